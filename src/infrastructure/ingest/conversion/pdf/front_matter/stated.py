"""The work that a file states, and what the metadata of a PDF state: information dictionary, XMP
packet, name of the file."""

import re
from collections.abc import Callable
from functools import partial
from html import unescape
from typing import Any, NamedTuple

from .publication import Venue

# Elements and attributes of an XMP packet (ISO 16684-1), by their customary prefixes.
_ELEMENT = r"<{name}\b[^>]*>(.*?)</{name}\s*>"
_ATTRIBUTE = r"\s{name}\s*=\s*(?:\"([^\"]*)\"|'([^']*)')"
_ITEM = re.compile(r"<rdf:li\b[^>]*>(.*?)</rdf:li\s*>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_YEAR = re.compile(r"\b(?:18[5-9]|19\d|20\d)\d\b")


class StatedWork(NamedTuple):
    """See the fields of ``ConversionResult``. ``identifiers`` are in any form that names one."""

    title: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    container_title: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    uncertain: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()

    def changed(self, change: Callable[[str], str]) -> "StatedWork":
        """With each text changed."""
        return StatedWork(*map(partial(_changed, change), self))

    def or_else(self, other: "StatedWork") -> "StatedWork":
        """The values of ``self``, completed from ``other``; ``uncertain`` follows the values."""
        lacking = [name for name in _FIELDS if not getattr(self, name)]
        merged = self._replace(**{name: getattr(other, name) for name in lacking})
        uncertain = [name for name in other.uncertain if name in lacking and getattr(other, name)]
        identifiers = dict.fromkeys([*self.identifiers, *other.identifiers])
        return merged._replace(
            uncertain=(*self.uncertain, *uncertain), identifiers=tuple(identifiers)
        )


def _changed(change: Callable[[str], str], value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(change, value))
    return change(value) if isinstance(value, str) else value


_FIELDS = ("title", "authors", "year", "container_title", "volume", "issue", "pages")


class FileMetadata(NamedTuple):
    """Info /Title, /Author, /CreationDate and /Subject, in which publishers write the journal,
    the XMP packet, and the file's name."""

    title: str | None = None
    author: str | None = None
    created: str | None = None
    subject: str | None = None
    xmp: str | None = None
    file_stem: str = ""


def xmp_values(packet: str | None, name: str) -> tuple[str, ...]:
    """Values of the property ``name`` (``dc:title``, ``prism:volume``), in order."""
    values = []
    for match in re.finditer(_ELEMENT.format(name=re.escape(name)), packet or "", re.DOTALL):
        values += _ITEM.findall(match[1]) or [match[1]]
    for match in re.finditer(_ATTRIBUTE.format(name=re.escape(name)), packet or ""):
        values.append(match[1] or match[2] or "")
    texts = (" ".join(unescape(_TAG.sub("", value)).split()) for value in values)
    return tuple(dict.fromkeys(text for text in texts if text))


def stated_venue(packet: str | None) -> Venue:
    """The venue in PRISM's properties (PRISM 3.0, basic metadata), which publishers write."""

    def value(*names: str) -> str | None:
        found = (v for name in names for v in xmp_values(packet, f"prism:{name}"))
        return next(found, None)

    start, end = value("startingPage"), value("endingPage")
    pages = value("pageRange") or (f"{start}-{end}" if start and end and start != end else start)
    date = _YEAR.search(value("coverDate", "publicationDate", "coverDisplayDate") or "")
    return Venue(
        value("publicationName"),
        value("volume"),
        value("number", "issueIdentifier"),
        re.sub(r"\s*[\u2010-\u2014-]\s*", "-", pages) if pages else None,
        int(date[0]) if date else None,
        complete=True,
    )
