"""Places that a resource has, and names for what is cut out there."""

import hashlib
import json
import re
import unicodedata
from pathlib import PurePath

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.maps.address import Address, format_address, pages_fragment
from citeloom.domain.maps.resource_map import Location, Node, ResourceType

_STEM = 40
_PLACE = 40
# Of either: file systems count a name's bytes (255, of which others need some).
_BYTES = 72
_TYPES: dict[ResourceType, str] = {
    "document": "pages",
    "video": "time",
    "audio": "time",
    "image": "box",
    "text": "lines",
    "virtual": "virtual",
}


def existing_pages(location: Location, count: int, name: str) -> tuple[list[int], list[str]]:
    """The pages of ``location`` that a document of ``count`` pages has, as listed, and a
    warning for those that it has not. Raises InvalidRequest if none is left, or named."""
    if not location.pages:
        raise InvalidRequest(
            f"{name}: no page numbers; name the pages, as in #pages=3-5", parameter="pages"
        )
    there = [page for page in location.pages if page <= count]
    beyond = [page for page in location.pages if page > count]
    if not there:
        raise InvalidRequest(
            f"{name}: no page {pages_fragment(beyond)}; it has {count}", parameter="pages"
        )
    if beyond:
        return there, [f"{name}: no page {pages_fragment(beyond)}, it has {count}; left out"]
    return there, []


def place_node(resource_id: str, location: Location, kind: ResourceType) -> Node:
    """A node for a place that no node of the map has (``pages-3-5``), or for the whole of a
    resource of this ``kind``."""
    fragment = fragment_of(resource_id, location)
    if fragment is None:
        return Node(id="whole", type=kind, location=location)
    node_id = re.sub(r"(?:\.(?=\.)|[^\w.,-])+", "-", fragment).strip("-.") or "whole"
    return Node(id=node_id, type=_TYPES[location.modality], location=location)


def fragment_of(resource_id: str, location: Location) -> str | None:
    """``pages=3-5``: what stands behind the ``#`` of an address."""
    text = format_address(Address(resource_id=resource_id, location=location))
    return text.partition("#")[2] or None


def evidence_name(source: PurePath, place: str, suffix: str, *what: object) -> str:
    """``paper-0123456789abcdef-pages-3-5.pdf``: a file name that stands for its content.

    The digits are of the sha256 over ``what`` (JSON values: the content of the source and
    all that was asked of it); the rest is for people.
    """
    key = json.dumps(what, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(key.encode()).hexdigest()[:16]
    return f"{_plain(source.stem, _STEM) or 'source'}-{digest}-{_plain(place, _PLACE)}{suffix}"


def _plain(text: str, length: int) -> str:
    """Letters and digits of any script, joined by ``-``: what every file system takes."""
    words = re.sub(r"[^\w.]+|_+", "-", unicodedata.normalize("NFC", text)).strip("-.")
    short = words[:length].encode()[:_BYTES].decode(errors="ignore")
    return short.strip("-.")
