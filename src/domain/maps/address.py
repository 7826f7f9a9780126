"""Parsing and canonical formatting of fragment addresses.

``doc://ID#pages=3-5`` (a single page is ``pages=5``), ``text://ID#lines=5-25``,
``video://ID#t=145.5-285``, ``audio://…``, ``image://ID#bbox=0.1,0.2,0.9,0.8``,
``virtual://ID#…``. The grammar is CiteKit's. The addresses of passages are made here too.

Pages and lines count from 1, both ends inclusive; times are seconds; a box is (x1, y1, x2,
y2) in 0..1 from the top left. All parse functions of fragments raise ValueError with the reason.
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from pydantic import ValidationError

from citeloom.domain.errors import InvalidAddress
from citeloom.domain.text.phrasing import shortened
from citeloom.domain.value import Value

from .resource_map import Location, ResourceId, ResourceType, printable

MAX_PAGES = 100_000
"""Maximum number of pages of one address."""

_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_LINES = re.compile(r"([0-9]{1,12})(?:[-,]([0-9]{1,12}))?")
_CLOCK = re.compile(r"(?:(?:([0-9]{1,9}):)?([0-9]{1,9}):)?([0-9]{1,15}(?:\.[0-9]+)?)")
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]+)?")
_LONGEST = 60
ID_LENGTH = 16
MAX_LENGTH = 4096
"""Maximum length of an address, in characters."""
_SCHEMES: Final[dict[str, ResourceType]] = {
    "doc": "document",
    "video": "video",
    "audio": "audio",
    "image": "image",
    "text": "text",
    "virtual": "virtual",
}
_SCHEME_OF: Final = {modality: scheme for scheme, modality in _SCHEMES.items()}
_KEYS: Final[dict[ResourceType, str]] = {
    "document": "pages",
    "video": "t",
    "audio": "t",
    "image": "bbox",
    "text": "lines",
}
_FORM = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<id>[^#]+)(?:#(?P<fragment>.+))?")


def parse_pages(text: str) -> tuple[int, ...]:
    """``3-5``, ``5``, ``1,3,7``, ``1-3,7``: in the order given, each page once."""
    pages: dict[int, None] = {}
    for part in text.split(","):
        match = _RANGE.fullmatch(part)
        if not match:
            raise ValueError(f"{_shown(part)} is neither a page number nor a range of pages")
        first = int(match[1])
        last = int(match[2] or first)
        if first > last:
            raise ValueError(f"the page range {part} is reversed")
        if not first:
            raise ValueError("pages count from 1")
        if last > MAX_PAGES or len(pages) + last - first >= MAX_PAGES:
            raise ValueError(f"an address names at most {MAX_PAGES} pages")
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
        raise ValueError(f"{_shown(text)} is not a time; write seconds, MM:SS or HH:MM:SS")
    hours, minutes, seconds = match.groups()
    if (minutes and float(seconds) >= 60) or (hours and int(minutes) >= 60):
        raise ValueError(f"{_shown(text)} is not a clock time: minutes and seconds end at 59")
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds)


def format_time(seconds: float) -> str:
    """Plain seconds, exactly: ``0``, ``145.5``, ``3661``."""
    return format_number(seconds)


def parse_times(text: str) -> tuple[float, float]:
    """``start-end`` in seconds."""
    sides = text.split("-")
    if len(sides) != 2:
        raise ValueError(f"{_shown(text)} is not a time range; write START-END")
    return parse_time(sides[0]), parse_time(sides[1])


def parse_lines(text: str) -> tuple[int, int]:
    """``5-25``, ``5,25``, or ``5`` for that one line."""
    match = _LINES.fullmatch(text)
    if not match:
        raise ValueError(f"{_shown(text)} is neither a line number nor a range of lines")
    return int(match[1]), int(match[2] or match[1])


def parse_box(text: str) -> tuple[float, float, float, float]:
    parts = text.split(",")
    if len(parts) != 4:
        raise ValueError(f"bbox must have 4 values, got {len(parts)}")
    for part in parts:
        if not _NUMBER.fullmatch(part):
            raise ValueError(f"{_shown(part)} is not a coordinate; write numbers from 0 to 1")
    x1, y1, x2, y2 = (float(part) for part in parts)
    return x1, y1, x2, y2


def format_number(number: float) -> str:
    """The shortest decimal number that parses to ``number``, without exponent."""
    text = format(Decimal(repr(float(number) + 0.0)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _shown(text: str) -> str:
    return repr(shortened(text, _LONGEST))


class Address(Value):
    """A fragment of a resource, or the whole resource."""

    resource_id: ResourceId
    location: Location

    def __str__(self) -> str:
        return format_address(self)


def parse_address(text: str) -> Address:
    """Raises InvalidAddress with the reason."""
    if len(text) > MAX_LENGTH:
        raise InvalidAddress(text, f"longer than {MAX_LENGTH} characters")
    if not printable(text):
        raise InvalidAddress(text, "holds a control character")
    match = _FORM.fullmatch(text)
    if not match:
        raise InvalidAddress(text, "write SCHEME://ID or SCHEME://ID#FRAGMENT")
    modality = _SCHEMES.get(match["scheme"])
    if modality is None:
        raise InvalidAddress(
            text, f"Unknown scheme '{match['scheme']}'. Expected one of: {list(_SCHEMES)}"
        )
    try:
        location = (
            Location(modality="virtual", virtual_address=text)
            if modality == "virtual"
            else _location(modality, match["fragment"])
        )
        return Address(resource_id=match["id"], location=location)
    except ValidationError as error:
        reason = str(error.errors()[0]["msg"]).removeprefix("Value error, ")
        raise InvalidAddress(text, reason) from None
    except ValueError as error:
        raise InvalidAddress(text, str(error)) from None


def format_address(address: Address) -> str:
    """The canonical form: pages sorted, each once, runs collapsed; times in plain seconds;
    lines with both ends; numbers exact.

    A virtual location that names another place (``graph://7``) is that name. Raises
    InvalidAddress for a time range that lacks an end: no address says that.
    """
    location = address.location
    if location.virtual_address is not None:
        return location.virtual_address
    whole = f"{_SCHEME_OF[location.modality]}://{address.resource_id}"
    if location.pages is not None:
        return f"{whole}#pages={format_pages(location.pages)}"
    if location.lines is not None:
        return f"{whole}#lines={location.lines[0]}-{location.lines[1]}"
    if location.bbox is not None:
        return f"{whole}#bbox={','.join(format_number(one) for one in location.bbox)}"
    if location.start is not None and location.end is not None:
        return f"{whole}#t={format_time(location.start)}-{format_time(location.end)}"
    if location.start is not None or location.end is not None:
        raise InvalidAddress(whole, "a time range needs both its start and its end")
    return whole


def _location(modality: ResourceType, fragment: str | None) -> Location:
    if fragment is None:
        return Location(modality=modality)
    expected = _KEYS[modality]
    key, equals, value = fragment.partition("=")
    if not equals or key != expected or "&" in value:
        raise ValueError(f"the fragment of this scheme is {expected}=…, and that alone")
    if modality == "document":
        return Location(modality=modality, pages=parse_pages(value))
    if modality == "text":
        return Location(modality=modality, lines=parse_lines(value))
    if modality == "image":
        return Location(modality=modality, bbox=parse_box(value))
    start, end = parse_times(value)
    return Location(modality=modality, start=start, end=end)


def short_id(document_id: str) -> str:
    """The resource id of a document: the first 16 hex digits of its sha256."""
    return document_id[:ID_LENGTH]


def document_address(document_id: str, pages: Iterable[int]) -> str:
    return f"doc://{short_id(document_id)}#pages={format_pages(pages)}"


def chunk_address(document_id: str, pages: Iterable[int] | None, chunk_idx: int) -> str:
    """The address of a chunk: its pages, or in formats without pages its number."""
    if pages is not None:
        return document_address(document_id, pages)
    return f"virtual://{short_id(document_id)}#chunk={chunk_idx}"
