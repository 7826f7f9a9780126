"""Locations of a resource as nodes, and file names of extracted evidence."""

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
# Bytes of either part: file systems limit names to 255 bytes.
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
    """The pages of ``location`` within a document of ``count`` pages, and a warning for the
    others. Raises InvalidRequest if none is given or none exists."""
    if not location.pages:
        raise InvalidRequest(
            f"{name}: no page numbers; name the pages, as in #pages=3-5", parameter="pages"
        )
    existing = [page for page in location.pages if page <= count]
    beyond = [page for page in location.pages if page > count]
    if not existing:
        raise InvalidRequest(
            f"{name}: no page {pages_fragment(beyond)}; it has {count}", parameter="pages"
        )
    if beyond:
        return existing, [f"{name}: no page {pages_fragment(beyond)}, it has {count}; left out"]
    return existing, []


def place_node(resource_id: str, location: Location, kind: ResourceType) -> Node:
    """A node for a location outside the map (``pages-3-5``), or for a whole resource of this
    ``kind``."""
    fragment = fragment_of(resource_id, location)
    if fragment is None:
        return Node(id="whole", type=kind, location=location)
    node_id = re.sub(r"(?:\.(?=\.)|[^\w.,-])+", "-", fragment).strip("-.") or "whole"
    return Node(id=node_id, type=_TYPES[location.modality], location=location)


def fragment_of(resource_id: str, location: Location) -> str | None:
    """The fragment of an address: ``pages=3-5``."""
    text = format_address(Address(resource_id=resource_id, location=location))
    return text.partition("#")[2] or None


def evidence_name(source: PurePath, place: str, suffix: str, *what: object) -> str:
    """A content-addressed file name: ``paper-0123456789abcdef-pages-3-5.pdf``.

    The digits are of the sha256 over ``what`` (JSON values: the content of the source and the
    request); the rest is for people.
    """
    key = json.dumps(what, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(key.encode()).hexdigest()[:16]
    return f"{_plain(source.stem, _STEM) or 'source'}-{digest}-{_plain(place, _PLACE)}{suffix}"


def _plain(text: str, length: int) -> str:
    """Letters and digits of any script, joined by ``-``: portable in file names."""
    words = re.sub(r"[^\w.]+|_+", "-", unicodedata.normalize("NFC", text)).strip("-.")
    short = words[:length].encode()[:_BYTES].decode(errors="ignore")
    return short.strip("-.")
