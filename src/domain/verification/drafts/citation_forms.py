"""What counts as a citation in each format of a draft, in words."""

import re
from typing import Final

# Commands that only the format has; pandoc's keys decide for Markdown before these.
_PANDOC: Final = re.compile(r"\[[^\[\]\n]*@[\w:.#$%&+?<>~/-]+[^\[\]\n]*\]")
_LATEX: Final = re.compile(
    r"\\[A-Za-z]*cite[A-Za-z]*\*?\s*[\[{]|\\(?:documentclass|begin|section)\b"
)
_TYPST: Final = re.compile(r"#(?:cite|bibliography|set|show|import|quote)\b")

_TYPED = (
    "authors and year as in “(Barba & Forsyth, 2018, p. 5)” or “Boeing (2018)”, and numbers as in "
    "“[3, 5–7]” with a numbered list under a heading “References”"
)
_FORMS = {
    "markdown": f"pandoc's keys as in “[@key, p. 5]”, {_TYPED}",
    "text": f"pandoc's keys as in “[@key, p. 5]”, {_TYPED}",
    "latex": rf"“\cite{{key}}” and the commands of natbib and biblatex, {_TYPED}",
    "typst": f"“@key[p. 5]” and “#cite(<key>)”, {_TYPED}",
    "docx": f"fields of Zotero, Mendeley and EndNote, {_TYPED}",
}


def guessed_format(text: str) -> str:
    """The format of a draft whose format nobody has said: by its citations, else by commands
    that only one format has; ``markdown`` where nothing speaks for another."""
    if _PANDOC.search(text):
        return "markdown"
    if _LATEX.search(text):
        return "latex"
    return "typst" if _TYPST.search(text) else "markdown"


def nothing_recognised(format: str) -> str:
    """The sentence about a draft without any citation."""
    return (
        "no citation was recognised, so nothing was checked; recognised are, outside of headings "
        f"and tables: {_FORMS[format]}"
    )
