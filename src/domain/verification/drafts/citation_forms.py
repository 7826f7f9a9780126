"""What counts as a citation in each format of a draft, in words."""

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


def nothing_recognised(format: str) -> str:
    """The sentence about a draft without any citation."""
    return (
        "no citation was recognised, so nothing was checked; recognised are, outside of headings "
        f"and tables: {_FORMS[format]}"
    )
