"""Items, attachments, notes and annotations from raw items, whatever the source."""

import hashlib
import html
import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from citeloom.domain.citation.metadata import CiteKey
from citeloom.domain.library import (
    AnnotationKind,
    KeySource,
    LibraryAnnotation,
    LibraryAttachment,
    LibraryCollection,
    LibraryItem,
    LibraryNote,
    LibraryRef,
    LinkMode,
)
from citeloom.domain.references.dates import year_of
from citeloom.domain.references.identifiers import normalise_doi
from citeloom.domain.text.phrasing import shortened
from citeloom.infrastructure.references.citation_keys import assign_keys
from citeloom.infrastructure.references.fields.plain_text import note_field, plain
from citeloom.infrastructure.references.formats.csl import labels, meta_from_csl, title_of
from citeloom.infrastructure.references.formats.zotero_json import to_csl

Rect = tuple[float, float, float, float]

_KINDS = {kind.value: kind for kind in AnnotationKind}
_MAX_RECTS = 2000  # more than the lines of two full pages of any mark


class AnnotationPosition(NamedTuple):
    """``page`` from 1, None where the format has no pages; boxes (left, bottom, right, top) in
    points from the bottom left."""

    page: int | None = None
    rects: tuple[Rect, ...] = ()
    rects_next: tuple[Rect, ...] = ()


def kind_of(raw: Mapping[str, Any]) -> AnnotationKind | None:
    """None for an unknown kind."""
    return _KINDS.get(str(raw.get("annotationType")))


def position_of(raw: Mapping[str, Any]) -> AnnotationPosition:
    """Position from ``annotationPosition``, which is JSON: in PDFs ``pageIndex`` (from 0),
    ``rects`` and ``nextPageRects``; for drawings ``paths``, of which the bounding box of each
    stroke is given. Annotations of EPUBs and web pages have selectors instead, hence no page; an
    unreadable position has none either."""
    position = raw.get("annotationPosition")
    if isinstance(position, str):
        try:
            position = json.loads(position)
        except (ValueError, RecursionError):
            return AnnotationPosition()
    if not isinstance(position, Mapping):
        return AnnotationPosition()
    index = position.get("pageIndex")
    if isinstance(index, bool) or not isinstance(index, int) or index < 0:
        return AnnotationPosition()
    rects = (*_rects(position.get("rects")), *_strokes(position.get("paths")))
    return AnnotationPosition(
        index + 1, rects[:_MAX_RECTS], tuple(_rects(position.get("nextPageRects")))
    )


def _rects(value: Any) -> Iterator[Rect]:
    for rect in value[:_MAX_RECTS] if isinstance(value, list) else ():
        numbers = _numbers(rect)
        if len(numbers) == 4:
            left, bottom, right, top = numbers
            yield (min(left, right), min(bottom, top), max(left, right), max(bottom, top))


def _strokes(value: Any) -> Iterator[Rect]:
    for path in value[:_MAX_RECTS] if isinstance(value, list) else ():
        numbers = _numbers(path)
        if len(numbers) >= 2 and len(numbers) % 2 == 0:
            across, up = numbers[::2], numbers[1::2]
            yield (min(across), min(up), max(across), max(up))


def _numbers(value: Any) -> list[float]:
    """The numbers of a list; empty if it contains anything else."""
    if not isinstance(value, list):
        return []
    numbers = [
        float(number)
        for number in value
        if isinstance(number, int | float)
        and not isinstance(number, bool)
        and abs(number) < 1e9
        and math.isfinite(number)
    ]
    return numbers if len(numbers) == len(value) else []


# Names in Zotero's API (``linkMode``), numbers in its database. ``embedded_image`` (4) is a picture
# within a note, not an attachment.
LINK_MODES = {
    "imported_file": LinkMode.IMPORTED_FILE,
    "imported_url": LinkMode.IMPORTED_URL,
    "linked_file": LinkMode.LINKED_FILE,
    "linked_url": LinkMode.LINKED_URL,
}
_STORAGE = "storage:"
_RELATIVE = "attachments:"
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")


def is_windows(path: str) -> bool:
    r"""Whether it is an absolute path of Windows: ``C:\papers\a.pdf``, ``\\server\a.pdf``."""
    return bool(_WINDOWS.match(path))


@dataclass(frozen=True)
class AttachmentFolders:
    """Base folders of attachment paths: Zotero's data directory, and the "linked attachment base
    directory" of its settings. Where one is unknown, its files have no path."""

    data_dir: Path | None = None
    linked_base: Path | None = None

    def of(self, raw: Mapping[str, Any]) -> str | None:
        """Path of the file of a raw attachment: ``storage/KEY/FILE`` for stored files; for linked
        files the stored path, relative to the base directory if it begins with ``attachments:``.
        None for links, and where a base folder is unknown."""
        mode = LINK_MODES.get(str(raw.get("linkMode")))
        path = raw.get("path")
        written = path.strip() if isinstance(path, str) else ""
        if mode in (LinkMode.IMPORTED_FILE, LinkMode.IMPORTED_URL):
            return self._stored(str(raw.get("key") or ""), file_name(raw))
        return self._linked(written) if mode is LinkMode.LINKED_FILE and written else None

    def _stored(self, key: str, name: str | None) -> str | None:
        if self.data_dir is None or not key or not name:
            return None
        return os.path.join(self.data_dir, "storage", key, name)  # noqa: PTH118 - thrice as fast

    def _linked(self, path: str) -> str | None:
        if path.lower().startswith("file:"):
            path = unquote(urlsplit(path).path)
            path = path[1:] if is_windows(path[1:]) else path
        if path.startswith("/") or is_windows(path):
            return path
        if self.linked_base is None or not path.startswith(_RELATIVE):
            return None
        parts = PurePosixPath(path.removeprefix(_RELATIVE).replace("\\", "/")).parts
        return str(self.linked_base.joinpath(*parts))


def file_name(raw: Mapping[str, Any]) -> str | None:
    """Name of an attachment's file, without folders: Zotero stores flat, and a name from a library
    must not lead out of its folder."""
    name, path = raw.get("filename"), raw.get("path")
    if not isinstance(name, str) or not name.strip():
        name = path if isinstance(path, str) else ""
        name = name.removeprefix(_STORAGE).removeprefix(_RELATIVE)
    last = re.split(r"[\\/]", name.strip())[-1]
    return last if last not in ("", ".", "..") else None


# Fields that change by syncing or saving while the content stays the same.
_VOLATILE = frozenset({"version", "synced", "dateModified", "clientDateModified", "mtime",
                    "lastModifiedByUser", "links", "meta", "library"})  # fmt: skip
_UNORDERED = frozenset({"tags", "relations", "collections"})
_BLOCK_END = re.compile(r"</(?:p|h[1-6]|li|div|blockquote|pre)\s*>|<br\s*/?>", re.IGNORECASE)
_MARKUP = re.compile(r"<[^<>]*>")
_MAX_TITLE = 120  # as Zotero cuts the titles of notes


def tags_in(raw: Mapping[str, Any]) -> tuple[str, ...]:
    """Tag names, sorted: their order differs between sources."""
    return tuple(sorted(set(labels(raw.get("tags")))))


def collections_in(raw: Mapping[str, Any]) -> list[str]:
    """Keys of the collections that contain an entry directly."""
    keys = raw.get("collections")
    return [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else []


def version_of(raw: Mapping[str, Any]) -> int:
    version = raw.get("version")
    return version if isinstance(version, int) and version > 0 else 0


def digest_of(raw: Mapping[str, Any], *more: str) -> str:
    """SHA-256 over the content of an entry, and ``more``: without versions, timestamps, empty
    fields, and the order of unordered fields; so it is the same for each source."""
    content = {
        name: _canonical(name, value) if name in _UNORDERED else value
        for name, value in raw.items()
        if value and name not in _VOLATILE
    }
    text = json.dumps([content, *more], sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _canonical(name: str, value: Any) -> Any:
    if name == "tags" and isinstance(value, list):
        return sorted(
            f"{tag.get('tag')}\0{tag.get('type') or 0}" if isinstance(tag, Mapping) else str(tag)
            for tag in value
        )
    if name == "relations" and isinstance(value, Mapping):
        return {
            predicate: sorted(map(str, targets if isinstance(targets, list) else [targets]))
            for predicate, targets in value.items()
            if targets
        }
    if name == "collections" and isinstance(value, list):
        return sorted(map(str, value))
    return value


def attachment_of(
    raw: Mapping[str, Any], library: LibraryRef, places: AttachmentFolders
) -> LibraryAttachment | None:
    """None for an unknown link mode: pictures within notes are not attachments."""
    mode = LINK_MODES.get(str(raw.get("linkMode")))
    if mode is None:
        return None
    return LibraryAttachment(
        key=raw["key"],
        library=library,
        item_key=_text(raw, "parentItem"),
        version=version_of(raw),
        title=plain(raw.get("title")),
        link_mode=mode,
        path=places.of(raw),
        file_name=file_name(raw),
        url=_text(raw, "url"),
        content_type=_text(raw, "contentType"),
        md5=_text(raw, "md5"),
    )


def note_of(raw: Mapping[str, Any], library: LibraryRef) -> LibraryNote:
    value = raw.get("note")
    content = value if isinstance(value, str) else ""
    return LibraryNote(
        key=raw["key"],
        library=library,
        item_key=_text(raw, "parentItem"),
        version=version_of(raw),
        title=note_title(content),
        html=content,
        tags=tags_in(raw),
        digest=digest_of(raw),
    )


def note_title(content: str) -> str:
    """The first non-empty line of a note, as Zotero titles it."""
    lines = _BLOCK_END.split(content[:20_000])
    texts = (" ".join(html.unescape(_MARKUP.sub("", line)).split()) for line in lines)
    return next((text for text in texts if text), "")[:_MAX_TITLE]


def annotation_of(raw: Mapping[str, Any], library: LibraryRef) -> LibraryAnnotation | None:
    """None for an unknown kind."""
    kind = kind_of(raw)
    if kind is None:
        return None
    position = position_of(raw)
    return LibraryAnnotation(
        key=raw["key"],
        attachment_key=str(raw.get("parentItem")),
        library=library,
        version=version_of(raw),
        kind=kind,
        text=_text(raw, "annotationText") or "",
        comment=_text(raw, "annotationComment") or "",
        color=_text(raw, "annotationColor"),
        page=position.page,
        page_label=_text(raw, "annotationPageLabel"),
        rects=position.rects,
        rects_next=position.rects_next,
        sort_index=_text(raw, "annotationSortIndex") or "",
        tags=tags_in(raw),
        author=_text(raw, "annotationAuthorName"),
        digest=digest_of(raw),
    )


def _text(raw: Mapping[str, Any], name: str) -> str | None:
    value = raw.get(name)
    return value.strip() or None if isinstance(value, str) else None


_MAX_KEYS_SHOWN = 3


@dataclass
class RawWork:
    """A raw work before it becomes an item; ``key`` is its citation key, empty while it has none;
    ``invalid_key`` an invalid one."""

    raw: Mapping[str, Any]
    library: LibraryRef
    paths: tuple[str, ...]
    csl: dict[str, Any]
    key: str
    source: KeySource
    invalid_key: str = ""

    @classmethod
    def of(
        cls,
        raw: Mapping[str, Any],
        library: LibraryRef,
        collections: Mapping[str, LibraryCollection],
        better_bibtex_key: str | None,
    ) -> "RawWork":
        """``better_bibtex_key`` is its citation key in Better BibTeX, where known."""
        sources = (
            (KeySource.NATIVE, raw.get("citationKey")),
            (KeySource.BETTER_BIBTEX, better_bibtex_key),
            (KeySource.EXTRA, note_field(raw.get("extra"), "citation key")),
        )
        stated_keys = [
            (source, key.strip()) for source, key in sources if isinstance(key, str) and key
        ]
        usable = next((entry for entry in stated_keys if CiteKey.is_valid(entry[1])), None)
        invalid_key = next((key for _, key in stated_keys if key and not CiteKey.is_valid(key)), "")
        source, key = usable or (KeySource.GENERATED, "")
        return cls(raw, library, _paths(raw, collections), to_csl(raw), key, source, invalid_key)

    @property
    def age(self) -> tuple[str, str]:
        return (utc_timestamp(self.raw.get("dateAdded")) or "9999", self.raw["key"])

    def is_same_work(self, other: "RawWork") -> bool:
        """Whether it is a copy of the other in another library."""
        return self.library != other.library and bool(self._identities & other._identities)

    @property
    def _identities(self) -> set[object]:
        doi = normalise_doi(plain(self.csl.get("DOI")))
        title = title_of(self.csl).casefold()
        return {mark for mark in (doi, title and (title, year_of(self.csl.get("issued")))) if mark}

    def item(self) -> LibraryItem:
        csl = {**self.csl, "id": self.key, "citation-key": self.key}
        return LibraryItem(
            key=self.raw["key"],
            library=self.library,
            version=version_of(self.raw),
            digest=digest_of(self.raw, self.key, self.source.value, *self.paths),
            citation=meta_from_csl(
                csl,
                self.key,
                item_key=self.raw["key"],
                tags=tags_in(self.raw),
                collections=self.paths,
            ),
            key_source=self.source,
            abstract=plain(self.raw.get("abstractNote")) or None,
            added=utc_timestamp(self.raw.get("dateAdded")),
            modified=utc_timestamp(self.raw.get("dateModified")),
        )


def items_of(libraries: Sequence[Sequence[RawWork]], warnings: list[str]) -> list[LibraryItem]:
    """The works of all libraries as items, each with its citation key.

    A key belongs to the oldest item with it, in the order of the libraries; another item gets a
    letter appended, with a warning. Only the copy of a work in another library keeps it.
    """
    works = [work for library in libraries for work in sorted(library, key=lambda w: w.age)]
    warnings += [
        f"{_label(work)}: citation key {work.invalid_key!r} cannot be used; "
        "correct it in Zotero (no blanks, none of \\ { } ( ) [ ] , ; = # % ~ @ and quotes)"
        for work in works
        if work.invalid_key
    ]
    assigned = assign_keys(works, same=RawWork.is_same_work)
    for index, owner, key in assigned.renamed:
        warnings.append(
            f"{_label(works[index])}: citation key {key!r} belongs to item "
            f"{works[owner].raw['key']}; called {works[index].key!r} here: "
            "give it its own key in Zotero"
        )
    if assigned.generated:
        sample = ", ".join(
            f"{works[index].raw['key']} → {works[index].key}"
            for index in assigned.generated[:_MAX_KEYS_SHOWN]
        )
        more = ", …" if len(assigned.generated) > _MAX_KEYS_SHOWN else ""
        warnings.append(
            f"{len(assigned.generated)} of {len(works)} items have no citation key; made from "
            f"author, year and title: {sample}{more}; Zotero 8 or Better BibTeX give them "
            "keys of their own"
        )
    return [work.item() for work in works]


def utc_timestamp(value: Any) -> str | None:
    """``2021-06-30T14:59:13Z`` for a time as Zotero's API or database writes it (UTC)."""
    text = value.strip() if isinstance(value, str) else ""
    if not text or (text[10:11] == "T" and text.endswith("Z")):
        return text or None
    if len(text) == 19 and text[10] == " ":
        return f"{text[:10]}T{text[11:]}Z"
    day, _, time = text.replace("T", " ").partition(" ")
    return f"{day}T{time.removesuffix('Z')}Z" if time else day


def _label(work: RawWork) -> str:
    title = title_of(work.csl)
    short_title = shortened(title, 60)
    return f"item {work.raw['key']} ({short_title})" if short_title else f"item {work.raw['key']}"


def _paths(raw: Mapping[str, Any], collections: Mapping[str, LibraryCollection]) -> tuple[str, ...]:
    """``Thesis``, ``Thesis/Chapter 2``: the collections of an item and their ancestors, sorted."""
    paths: set[str] = set()
    for key in collections_in(raw):
        collection = collections.get(key)
        while collection is not None and collection.path not in paths:
            paths.add(collection.path)
            collection = collections.get(collection.parent) if collection.parent else None
    return tuple(sorted(paths))
