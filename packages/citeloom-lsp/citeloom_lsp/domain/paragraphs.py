"""The paragraph around an offset of a draft, and whether that lies in code.

A draft is parsed whole in a second or two; what an editor asks while a person types is answered
from the paragraph.
"""

import re
from typing import Final, NamedTuple

_BLANK_LINE: Final = re.compile(r"\r?\n[ \t]*\r?\n")
# Where a block of LaTeX begins or ends, or a heading does.
_LATEX_BLOCK: Final = re.compile(
    r"^[ \t]*(?:\\(?:begin|end)[ \t]*\{[^{}\n]*\}|"
    r"(?P<heading>\\(?:part|chapter|section|subsection|subsubsection|paragraph)\*?[ \t]*[\[{]))",
    re.MULTILINE,
)
_INDENT: Final = re.compile(r"[ \t]*")
_FENCE: Final = re.compile(r"^[ >]*(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)$", re.MULTILINE)
_FRONT_MATTER: Final = re.compile(
    r"\A---[ \t]*\r?\n.*?^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE
)
_LITERAL: Final = re.compile(
    r"\\(?P<act>begin|end)\{(?P<name>verbatim|Verbatim|lstlisting|minted|comment|filecontents)\*?\}"
)
_RAW: Final = re.compile(r"`{3,}")
#: Characters on either side of the offset that are looked through.
_REACH: Final = 20_000


class DraftParagraph(NamedTuple):
    """``text`` is ``start`` to ``end`` of the draft."""

    text: str
    start: int
    end: int


def paragraph_at(text: str, offset: int, format: str) -> DraftParagraph:
    """The lines around ``offset`` up to the empty ones, without the indentation of the first; in
    LaTeX up to the beginning or end of a block, too."""
    start, end = max(0, offset - _REACH), min(len(text), offset + _REACH)
    for found in _BLANK_LINE.finditer(text, start, offset):
        start = found.end()
    if blank := _BLANK_LINE.search(text, max(start, offset - 1), end):
        end = max(offset, blank.start())
    if format == "latex":
        for found in _LATEX_BLOCK.finditer(text, start, end):
            if found.end() <= offset:
                start = found.start() if found["heading"] else found.end()
            elif found.start() >= offset:
                end = found.start()
                break
    elif indent := _INDENT.match(text, start, offset):
        start = indent.end()  # alone, a paragraph of a list would be code
    return DraftParagraph(text[start:end], start, end)


def in_code(text: str, offset: int, format: str) -> bool:
    """Whether ``offset`` is in a block that is not prose: code, or Markdown's front matter."""
    if format == "latex":
        literal = list(_LITERAL.finditer(text, 0, offset))
        return bool(literal) and literal[-1]["act"] == "begin"
    if format == "typst":
        return len(_RAW.findall(text, 0, offset)) % 2 == 1
    if (front := _FRONT_MATTER.match(text)) and offset <= front.end():
        return True
    fence = ""
    for match in _FENCE.finditer(text, 0, offset):
        if not fence:
            fence = match["fence"] if "`" not in match["info"] else ""
        elif match["fence"].startswith(fence) and not match["info"].strip():
            fence = ""
    return bool(fence)
