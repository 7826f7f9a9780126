"""Text as Markdown that does nothing: no raw HTML, link, image, attribute, TeX command or citation
of the text's own is left (CommonMark 0.31.2; pandoc's extensions of it)."""

import re
from typing import Final

_ACTIVE: Final = re.compile(
    r"[\\`*]"
    r"|<(?=[A-Za-z/!?])"
    r"|\](?=[(\[:{])"
    r"|\{(?=[^{}]*[=#.:])"
    r"|(?<![^\W_])_|_(?![^\W_])"
    r"|&(?=#?\w+;)"
    r"|~(?=~)"
    r"|(?<![\w.])@(?=[\w{])"
)
_RUNNING: Final = re.compile(r"(?:javascript|vbscript|data|livescript|mocha):", re.IGNORECASE)
# What browsers leave out of a scheme (URL Standard, 4.4: tabs and newlines; leading controls).
_IGNORED: Final = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028\u2029\ufeff]")
_DOLLAR: Final = re.compile(r"\$")
# What opens a block at the start of a line; of a number the punctuation after it is escaped.
_OPENING: Final = re.compile(r"#{1,6}(?=\s|$)|>|[-+](?=\s|$)|[-=](?=[-=\s]*$)|~~~|:::|\|")
_NUMBER: Final = re.compile(r"(\d{1,9})([.)])(?=\s|$)")


def is_active_link(address: str) -> bool:
    """Whether opening it runs a script or a page that the address itself holds."""
    return _RUNNING.match(_IGNORED.sub("", address)) is not None


def inert_markdown(text: str) -> str:
    """A text without line breaks, or within a line: shown as it is, letter by letter."""
    escaped = _ACTIVE.sub(r"\\\g<0>", text)
    return _DOLLAR.sub(r"\\$", escaped) if text.count("$") > 1 else escaped


def inert_lines(text: str) -> list[str]:
    """The lines of a text, each without indentation and without a marker of a block."""
    return [_inert_line(line.strip()) for line in text.splitlines()]


def _inert_line(line: str) -> str:
    if number := _NUMBER.match(line):
        return f"{number[1]}\\{number[2]}{inert_markdown(line[number.end() :])}"
    opening = "\\" if _OPENING.match(line) and not _ACTIVE.match(line) else ""
    return opening + inert_markdown(line)
