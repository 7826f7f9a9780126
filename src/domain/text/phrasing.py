"""Plural forms, single-line text, and Markdown that does nothing."""

import json
import re
from collections.abc import Sequence
from typing import Final


def counted(number: int, one: str, several: str | None = None) -> str:
    """``1 source``, ``2 sources``."""
    return f"{number} {one if number == 1 else several or one + 's'}"


def sized(count: int) -> str:
    """Bytes in the largest unit that they fill: ``2 GB``, ``1.4 MB``, ``12 bytes``."""
    for unit, name in ((2**30, "GB"), (2**20, "MB"), (2**10, "KB")):
        if count >= unit:
            return f"{round(count / unit, 1):g} {name}"
    return counted(count, "byte")


def listed(names: Sequence[str], most: int = 5) -> str:
    """The first ``most`` names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def shortened(text: str, limit: int) -> str:
    """At most ``limit`` characters; the last is an ellipsis where some are left out."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def numbered_pages(pages: Sequence[int]) -> str:
    """``page 7``, ``pages 1-3, 7``; in ascending order."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][1] + 1:
            runs[-1][1] = page
        else:
            runs.append([page, page])
    ranges = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
    return f"{'page' if len(pages) == 1 else 'pages'} {ranges}"


def letter_suffix(number: int) -> str:
    """``a``, ``b``, …, ``z``, ``aa``, … for 0, 1, …"""
    letters = ""
    while number >= 0:
        letters = chr(ord("a") + number % 26) + letters
        number = number // 26 - 1
    return letters


def on_one_line(text: str) -> str:
    return " ".join(text.split())


def first_line(error: object) -> str:
    """The first line of what an error says; the name of its class if that is nothing."""
    return str(error).strip().partition("\n")[0] or type(error).__name__


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


_FENCED = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)


def extract_json(text: str) -> object:
    """The JSON value in a model's answer, also fenced or within other text; None without one."""
    fenced = _FENCED.search(text)
    tries = [text, fenced[1] if fenced else "", _between(text, "{", "}"), _between(text, "[", "]")]
    for one in tries:
        try:
            return json.loads(one)
        except (ValueError, RecursionError):
            continue
    return None


def _between(text: str, first: str, last: str) -> str:
    return text[text.find(first) : text.rfind(last) + 1] if first in text else ""
