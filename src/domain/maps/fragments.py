"""Fragments of addresses: pages, times, lines, boxes.

Pages and lines count from 1, both ends inclusive; times are seconds; a box is (x1, y1, x2,
y2) in 0..1 from the top left. All parse functions raise ValueError with the reason.
"""

import re
from collections.abc import Iterable
from decimal import Decimal

from citeloom.domain.text.phrasing import shortened

MAX_PAGES = 100_000
"""Maximum number of pages of one address."""

_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_LINES = re.compile(r"([0-9]{1,12})(?:[-,]([0-9]{1,12}))?")
_CLOCK = re.compile(r"(?:(?:([0-9]{1,9}):)?([0-9]{1,9}):)?([0-9]{1,15}(?:\.[0-9]+)?)")
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]+)?")
_LONGEST = 60


def parse_pages(text: str) -> tuple[int, ...]:
    """``3-5``, ``5``, ``1,3,7``, ``1-3,7``: in the order given, each page once."""
    pages: dict[int, None] = {}
    for part in text.split(","):
        match = _RANGE.fullmatch(part)
        if not match:
            raise ValueError(f"{_shown(part)} is no page number and no range of pages")
        first = int(match[1])
        last = int(match[2] or first)
        if first > last:
            raise ValueError(f"the page range {part} is reversed")
        if not first:
            raise ValueError("pages count from 1")
        if last > MAX_PAGES or len(pages) + last - first >= MAX_PAGES:
            raise ValueError(f"an address names pages up to {MAX_PAGES}, and no more of them")
        pages |= dict.fromkeys(range(first, last + 1))
    return tuple(pages)


def format_pages(pages: Iterable[int]) -> str:
    """``3-5``, ``5`` or ``1,3-4``: sorted, without repeats, runs collapsed."""
    parts: list[tuple[int, int]] = []
    for page in sorted(set(pages)):
        if parts and parts[-1][1] == page - 1:
            parts[-1] = (parts[-1][0], page)
        else:
            parts.append((page, page))
    if not parts:
        raise ValueError("Pages list cannot be empty")
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in parts)


def parse_time(text: str) -> float:
    """Seconds of ``145.5``, ``MM:SS(.f)`` or ``HH:MM:SS(.f)``, stripped.

    In clock times seconds are below 60, and minutes too if there are hours.
    """
    match = _CLOCK.fullmatch(text.strip())
    if not match:
        raise ValueError(f"{_shown(text)} is no time; write seconds, MM:SS or HH:MM:SS")
    hours, minutes, seconds = match.groups()
    if (minutes and float(seconds) >= 60) or (hours and int(minutes) >= 60):
        raise ValueError(f"{_shown(text)} is no clock time: minutes and seconds end at 59")
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds)


def format_time(seconds: float) -> str:
    """Plain seconds, exactly: ``0``, ``145.5``, ``3661``."""
    return format_number(seconds)


def parse_times(text: str) -> tuple[float, float]:
    """``start-end`` in seconds."""
    sides = text.split("-")
    if len(sides) != 2:
        raise ValueError(f"{_shown(text)} is no time range; write START-END")
    return parse_time(sides[0]), parse_time(sides[1])


def parse_lines(text: str) -> tuple[int, int]:
    """``5-25``, ``5,25``, or ``5`` for that one line."""
    match = _LINES.fullmatch(text)
    if not match:
        raise ValueError(f"{_shown(text)} is no line number and no range of lines")
    return int(match[1]), int(match[2] or match[1])


def parse_box(text: str) -> tuple[float, float, float, float]:
    parts = text.split(",")
    if len(parts) != 4:
        raise ValueError(f"bbox must have 4 values, got {len(parts)}")
    for part in parts:
        if not _NUMBER.fullmatch(part):
            raise ValueError(f"{_shown(part)} is no coordinate; write decimal numbers from 0 to 1")
    x1, y1, x2, y2 = (float(part) for part in parts)
    return x1, y1, x2, y2


def format_number(number: float) -> str:
    """The shortest decimal number that parses to ``number``, without exponent."""
    text = format(Decimal(repr(float(number) + 0.0)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _shown(text: str) -> str:
    return repr(shortened(text, _LONGEST))
