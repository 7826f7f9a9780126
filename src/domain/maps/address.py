"""Parsing and canonical formatting of fragment addresses.

``doc://ID#pages=3-5`` (a single page is ``pages=5``), ``text://ID#lines=5-25``,
``video://ID#t=145.5-285``, ``audio://…``, ``image://ID#bbox=0.1,0.2,0.9,0.8``,
``virtual://ID#…``. The grammar is CiteKit's. The addresses of passages are made here too.
"""

import re
from collections.abc import Iterable
from typing import Final

from pydantic import ValidationError, field_validator

from citeloom.domain.errors import InvalidAddress
from citeloom.domain.maps.fragments import (
    format_number,
    format_pages,
    format_time,
    parse_box,
    parse_lines,
    parse_pages,
    parse_times,
)
from citeloom.domain.maps.resource_id import check_resource_id, printable
from citeloom.domain.maps.resource_map import Location, ResourceType
from citeloom.domain.value import Value

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


class Address(Value):
    """A fragment of a resource, or the whole resource."""

    resource_id: str
    location: Location

    @field_validator("resource_id")
    @classmethod
    def _safe(cls, resource_id: str) -> str:
        return check_resource_id(resource_id)

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


def pages_fragment(pages: Iterable[int]) -> str:
    """``3-5``, ``5`` or ``1,3-4``: sorted, without repeats, runs collapsed."""
    return format_pages(pages)


def document_address(document_id: str, pages: Iterable[int]) -> str:
    return f"doc://{short_id(document_id)}#pages={pages_fragment(pages)}"


def chunk_address(document_id: str, pages: Iterable[int] | None, chunk_idx: int) -> str:
    """The address of a chunk: its pages, or in formats without pages its number."""
    if pages is not None:
        return document_address(document_id, pages)
    return f"virtual://{short_id(document_id)}#chunk={chunk_idx}"
