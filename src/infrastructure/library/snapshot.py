"""From raw items, in the shape of Zotero's web API, to a snapshot of a library.

Whatever the source (database, local API, web API), an item is a mapping like the ``data`` of
an API answer: ``key``, ``version``, ``itemType``, its fields, ``creators``, ``tags``,
``collections`` (keys), ``relations``, ``parentItem``, ``linkMode`` (by name), ``filename``,
``path``, ``annotationType`` …; a collection has ``key``, ``name`` and ``parentCollection``.
"""

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

from citeloom.domain.library.snapshot import (
    LibraryAnnotation,
    LibraryAttachment,
    LibraryCollection,
    LibraryItem,
    LibraryNote,
    LibraryRef,
    LibraryScope,
)
from citeloom.infrastructure.library.annotations import kind_of
from citeloom.infrastructure.library.attachment_paths import LINK_MODES, FilePlaces
from citeloom.infrastructure.library.library_items import RawWork, items_of
from citeloom.infrastructure.library.raw_items import (
    annotation_of,
    attachment_of,
    collections_in,
    note_of,
    tags_in,
)
from citeloom.infrastructure.library.scope import chosen_collections, known_collections
from citeloom.infrastructure.references.fields.plain_text import without_surrogates
from citeloom.infrastructure.references.formats.zotero_json import is_work

_NAMED = 5


@dataclass(frozen=True)
class RawLibrary:
    """All that a source read of one library. ``keys`` are citation keys that are kept
    elsewhere (Better BibTeX), by item key; ``places`` tell where files lie."""

    library: LibraryRef
    items: Sequence[Mapping[str, Any]]
    collections: Sequence[Mapping[str, Any]] = ()
    keys: Mapping[str, str] = field(default_factory=dict)
    places: FilePlaces = field(default_factory=FilePlaces)


class SnapshotParts(NamedTuple):
    """The parts of a LibrarySnapshot."""

    collections: tuple[LibraryCollection, ...]
    items: tuple[LibraryItem, ...]
    attachments: tuple[LibraryAttachment, ...]
    notes: tuple[LibraryNote, ...]
    annotations: tuple[LibraryAnnotation, ...]
    warnings: tuple[str, ...]


@contextmanager
def uncollected() -> Iterator[None]:
    """Without Python's collector of circles, which goes over all that is kept again and again
    while a library grows (a quarter of the time), and finds none: nothing here makes any."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@uncollected()
def assemble(raw: Sequence[RawLibrary], scope: LibraryScope) -> SnapshotParts:
    """What ``scope`` means of ``raw``, which are the libraries chosen already.

    Items in the bin are left out with what hangs on them. Citation keys are settled over the
    whole libraries, so that they are the same whatever is asked for. Raises InvalidRequest
    for a collection that is not there, naming those that are.
    """
    warnings: list[str] = []
    shelves = [_Shelf(library, warnings) for library in raw]
    collections = [entry for shelf in shelves for entry in shelf.collections.values()]
    wanted = chosen_collections(collections, scope, warnings) if scope.collections else None
    items = items_of([shelf.works() for shelf in shelves], warnings)
    for shelf in shelves:
        shelf.narrow(scope, wanted)
    _missing_tags(shelves, scope, warnings)
    inside = {(shelf.library, key) for shelf in shelves for key in shelf.chosen}
    counts = {shelf.library: shelf.counts() for shelf in shelves}
    return SnapshotParts(
        collections=tuple(
            entry.model_copy(update={"items": counts[entry.library].get(entry.key, 0)})
            for entry in sorted(collections, key=lambda entry: entry.path.casefold())
            if wanted is None or (entry.library, entry.key) in wanted
        ),
        items=tuple(item for item in items if (item.library, item.key) in inside),
        attachments=tuple(found for shelf in shelves for found in shelf.attachments()),
        notes=tuple(found for shelf in shelves for found in shelf.notes()),
        annotations=tuple(found for shelf in shelves for found in shelf.annotations()),
        warnings=tuple(warnings),
    )


class Counts(NamedTuple):
    """How many entries of each kind, those in the bin apart."""

    items: int = 0
    attachments: int = 0
    notes: int = 0
    annotations: int = 0


def count(raw: Sequence[RawLibrary]) -> Counts:
    """What ``assemble`` would give of the whole of ``raw``; items need only keys, kinds,
    parents, and whether they are in the bin."""
    each = [_Shelf(library, []).count() for library in raw]
    return Counts(*(sum(numbers) for numbers in zip(*each, strict=True))) if each else Counts()


class _Shelf:
    """One library: its items by kind, and which of them are ``chosen`` (keys of works and of
    attachments and notes that stand alone)."""

    def __init__(self, raw: RawLibrary, warnings: list[str]) -> None:
        self.library = raw.library
        self.collections = known_collections(raw.collections, raw.library)
        self.chosen: set[str] = set()
        self._raw = raw
        self._warnings = warnings
        self._kept = _kept(raw, warnings)
        self._kinds: dict[str, list[Mapping[str, Any]]] = {}
        for item in self._kept.values():
            self._kinds.setdefault("work" if is_work(item) else item["itemType"], []).append(item)

    def works(self) -> list[RawWork]:
        return [
            RawWork.of(item, self.library, self.collections, self._raw.keys.get(item["key"]))
            for item in self._kinds.get("work", ())
        ]

    def narrow(self, scope: LibraryScope, wanted: set[tuple[LibraryRef, str]] | None) -> None:
        some = {tag.casefold() for tag in scope.tags}
        none = {tag.casefold() for tag in scope.exclude_tags}
        for item in self._top():
            tags = {tag.casefold() for tag in tags_in(item)}
            if wanted is not None and not any(
                (self.library, key) in wanted for key in self._collections_of(item)
            ):
                continue
            if (not some or tags & some) and not tags & none:
                self.chosen.add(item["key"])

    def tags(self) -> set[str]:
        return {tag.casefold() for item in self._top() for tag in tags_in(item)}

    def counts(self) -> dict[str, int]:
        """How many works, files and notes lie in each collection itself."""
        counts: dict[str, int] = {}
        for item in self._top():
            for key in self._collections_of(item):
                counts[key] = counts.get(key, 0) + 1
        return counts

    def count(self) -> Counts:
        files = self._kinds.get("attachment", ())
        marks = self._kinds.get("annotation", ())
        return Counts(
            items=len(self._kinds.get("work", ())),
            attachments=sum(item.get("linkMode") in LINK_MODES for item in files),
            notes=len(self._kinds.get("note", ())),
            annotations=sum(kind_of(item) is not None for item in marks),
        )

    def attachments(self) -> Iterable[LibraryAttachment]:
        for item in self._kinds.get("attachment", ()):
            if self._in_scope(item):
                if found := attachment_of(item, self.library, self._raw.places):
                    yield found
                elif item.get("linkMode") != "embedded_image":
                    mode = item.get("linkMode")
                    self._warn(f"attachment {item['key']}: link mode {mode!r} is not known")

    def notes(self) -> Iterable[LibraryNote]:
        for item in self._kinds.get("note", ()):
            if self._in_scope(item):
                yield note_of(item, self.library)

    def annotations(self) -> Iterable[LibraryAnnotation]:
        for item in self._kinds.get("annotation", ()):
            attachment = self._kept.get(str(item.get("parentItem")))
            if attachment is None or not self._in_scope(attachment):
                continue
            if found := annotation_of(item, self.library):
                yield found
            else:
                kind = item.get("annotationType")
                self._warn(f"annotation {item['key']}: kind {kind!r} is not known")

    def _warn(self, what: str) -> None:
        self._warnings.append(f"{what}; left out: a later version may read it")

    def _top(self) -> Iterable[Mapping[str, Any]]:
        return (item for item in self._kept.values() if not item.get("parentItem"))

    def _in_scope(self, item: Mapping[str, Any]) -> bool:
        return str(item.get("parentItem") or item["key"]) in self.chosen

    def _collections_of(self, item: Mapping[str, Any]) -> list[str]:
        return [key for key in collections_in(item) if key in self.collections]


def _kept(raw: RawLibrary, warnings: list[str]) -> dict[str, Mapping[str, Any]]:
    """The items by key: without those in the bin, and those whose parent is there or is not
    at all."""
    by_key: dict[str, Mapping[str, Any]] = {}
    nameless = 0
    for item in raw.items:
        if isinstance(item.get("key"), str) and isinstance(item.get("itemType"), str):
            by_key[item["key"]] = _clean(item)
        else:
            nameless += 1
    kept: dict[str, Mapping[str, Any]] = {}
    orphans: list[str] = []
    for key, item in by_key.items():
        chain = [item]
        while parent := chain[-1].get("parentItem"):
            above = by_key.get(str(parent))
            if above is None or above in chain:
                orphans.append(key)
                break
            chain.append(above)
        else:
            if not any(entry.get("deleted") for entry in chain):
                kept[key] = item
    if nameless:
        warnings.append(
            f"{raw.library.name}: {nameless} entries have no key or item type; left out: "
            "check the library in Zotero"
        )
    if orphans:
        shown = ", ".join(orphans[:_NAMED]) + (", …" if len(orphans) > _NAMED else "")
        warnings.append(
            f"{raw.library.name}: {len(orphans)} files or notes belong to items that are not "
            f"there ({shown}); left out: check the library's database in Zotero"
        )
    return kept


def _clean(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """``item`` without halves of characters, which no text may hold (and orjson refuses)."""
    try:
        orjson.dumps(item, default=str)
    except TypeError:
        cleaned: Mapping[str, Any] = without_surrogates(dict(item))
        return cleaned
    return item


def _missing_tags(shelves: Sequence[_Shelf], scope: LibraryScope, warnings: list[str]) -> None:
    if not scope.tags and not scope.exclude_tags:
        return
    there = {tag for shelf in shelves for tag in shelf.tags()}
    warnings += [
        f"{tag}: no item has this tag; see `citeloom zotero tags`"
        for tag in (*scope.tags, *scope.exclude_tags)
        if tag.casefold() not in there
    ]
