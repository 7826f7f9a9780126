"""Evidence of a place: its node, the name of its file, the boxes of its words."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox, union
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.text.normalized_text import NormalizedText

from .address import Address, format_address, format_pages
from .resource_map import Location, Node, ResourceType

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
            f"{name}: no page {format_pages(beyond)}; it has {count}", parameter="pages"
        )
    if beyond:
        return existing, [f"{name}: no page {format_pages(beyond)}, it has {count}; left out"]
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


class PageCharacter(NamedTuple):
    """A character of a page, in the file's order; ``bbox`` is in points from the top left of the
    page as displayed."""

    text: str
    bbox: BBox


def box_of_words(
    line: str, start: int, end: int, bbox: BBox, characters: Sequence[PageCharacter]
) -> BBox | None:
    """The box of ``line[start:end]``, within the ``bbox`` of the line: as high as the line and as
    wide as these words, or the other way round if the line runs down the page. None if
    ``characters`` (those of the whole page) do not locate the words."""
    own = [one for one in characters if _is_in(one.bbox, bbox)]
    text = "".join(one.text[:1] or " " for one in own)
    span = _same_words(line, start, end, text)
    if span is None:
        return None
    words = union([own[n].bbox for n in range(*span) if not text[n].isspace()])
    left, top, right, bottom = bbox
    if bottom - top > right - left:
        return (left, words[1], right, words[3])
    return (words[0], top, words[2], bottom)


def _is_in(box: BBox, line: BBox) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return line[0] - 1 <= x <= line[2] + 1 and line[1] <= y <= line[3]


def _same_words(line: str, start: int, end: int, text: str) -> tuple[int, int] | None:
    """Where in ``text``, another reading of the line, the words ``line[start:end]`` are."""
    whole, other = (NormalizedText(one, letters_only=True) for one in (line, text))
    before = len(NormalizedText(line[:start], letters_only=True).letters)
    letters = NormalizedText(line[start:end], letters_only=True).letters
    if not letters:
        return None
    if whole.letters != other.letters:
        if other.letters.count(letters) != 1:
            return None
        before = other.letters.index(letters)
    first, last = other.span(before, before + len(letters))
    return _with_punctuation(text, first, last, line[start:end].strip())


def _with_punctuation(text: str, first: int, last: int, words: str) -> tuple[int, int]:
    """The span with the punctuation that the words begin and end with."""
    opening = len(words) - len(words.lstrip(_marks(words)))
    closing = len(words) - len(words.rstrip(_marks(words)))
    while opening and first and _is_mark(text[first - 1]):
        first, opening = first - 1, opening - 1
    while closing and last < len(text) and _is_mark(text[last]):
        last, closing = last + 1, closing - 1
    return first, last


def _marks(words: str) -> str:
    return "".join({char for char in words if _is_mark(char)})


def _is_mark(char: str) -> bool:
    return not char.isalnum() and not char.isspace()
