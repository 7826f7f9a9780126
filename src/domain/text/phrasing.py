"""Plural forms and single-line text for reports and messages."""

from collections.abc import Sequence


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
