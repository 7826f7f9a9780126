"""Library snapshots from raw items in the shape of Zotero's web API.

Whatever the source (database, local API, web API), an item is a mapping like the ``data`` of an API
response: ``key``, ``version``, ``itemType``, its fields, ``creators``, ``tags``, ``collections``
(keys), ``relations``, ``parentItem``, ``linkMode`` (by name), ``filename``, ``path``,
``annotationType`` …; a collection has ``key``, ``name`` and ``parentCollection``.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import orjson

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.library import (
    LibraryAnnotation,
    LibraryAttachment,
    LibraryCollection,
    LibraryItem,
    LibraryKind,
    LibraryNote,
    LibraryRef,
    LibraryScope,
)
from citeloom.domain.messages import CLOSE, Action, NextStep, UserMessage, nearest
from citeloom.infrastructure.references.fields.plain_text import plain, without_surrogates
from citeloom.infrastructure.references.formats.zotero_json import is_work

from .raw_items import (
    LINK_MODES,
    AttachmentFolders,
    RawWork,
    annotation_of,
    attachment_of,
    collections_in,
    items_of,
    kind_of,
    note_of,
    tags_in,
)

_MAX_NAMES_SHOWN = 12

T = TypeVar("T")


def chosen_libraries(
    libraries: Iterable[LibraryRef], scope: LibraryScope
) -> tuple[LibraryRef, ...]:
    """The libraries of ``scope``: the user's own first, then groups by number.

    Raises InvalidRequest for an unknown group, naming the known ones, and if no library is
    selected.
    """
    user_libraries = [library for library in libraries if library.kind is LibraryKind.USER]
    groups = sorted(
        (library for library in libraries if library.kind is LibraryKind.GROUP),
        key=lambda library: library.id,
    )
    chosen: dict[LibraryRef, None] = dict.fromkeys(user_libraries if scope.user else ())
    for name in scope.groups:
        if name == "*":
            chosen.update(dict.fromkeys(groups))
            continue
        matching = _matching(name, groups, (lambda group: str(group.id), lambda group: group.name))
        if not matching:
            raise unknown_name(
                "group library",
                name,
                {group.name: f"{group.name} ({group.id})" for group in groups},
            )
        chosen.update(dict.fromkeys(matching))
    if not chosen:
        raise InvalidRequest("no library is selected; name a group")
    return tuple(chosen)


def known_collections(
    raw: Iterable[Mapping[str, Any]], library: LibraryRef
) -> dict[str, LibraryCollection]:
    """The collections of one library by key, without those in the trash and their descendants."""
    nodes = {
        str(node["key"]): node for node in raw if isinstance(node.get("key"), str) and node["key"]
    }
    collections: dict[str, LibraryCollection] = {}
    for key, node in nodes.items():
        chain = _chain(key, nodes)
        if any(nodes[above].get("deleted") for above in chain):
            continue
        collections[key] = LibraryCollection(
            key=key,
            library=library,
            name=_name(node),
            path="/".join(_name(nodes[above]) for above in reversed(chain)),
            parent=chain[1] if len(chain) > 1 else None,
        )
    return collections


def chosen_collections(
    collections: Sequence[LibraryCollection], scope: LibraryScope, warnings: list[str]
) -> set[tuple[LibraryRef, str]]:
    """Library and key of the collections that ``scope`` names, and of their descendants.

    A key goes before a path, a path before a name, exact spelling before other case; a name of
    several collections selects all of them, with a warning. Raises InvalidRequest for an unknown
    one, naming the known ones.
    """
    chosen: set[tuple[LibraryRef, str]] = set()
    for name in scope.collections:
        matching = _matching(
            name.strip("/"), collections, (lambda c: c.key, lambda c: c.path, lambda c: c.name)
        )
        if not matching:
            names = {collection.name: collection.path for collection in collections}
            by_path = {collection.path: collection.path for collection in collections}
            raise unknown_name("collection", name, {**names, **by_path})
        if len(matching) > 1:
            paths = ", ".join(f"{each.path} ({each.library.name}, {each.key})" for each in matching)
            warnings.append(f"{name}: {len(matching)} collections, all meant: {paths}")
        chosen.update((collection.library, collection.key) for collection in matching)
    below: dict[tuple[LibraryRef, str], list[LibraryCollection]] = {}
    for collection in collections:
        if collection.parent:
            below.setdefault((collection.library, collection.parent), []).append(collection)
    waiting = list(chosen)
    while waiting:
        for child in below.get(waiting.pop(), ()):
            if (child.library, child.key) not in chosen:
                chosen.add((child.library, child.key))
                waiting.append((child.library, child.key))
    return chosen


def _name(node: Mapping[str, Any]) -> str:
    return plain(node.get("name")) or str(node["key"])


def _chain(key: str, nodes: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """``key`` and its ancestors, upwards; a cycle is cut where it closes."""
    chain: list[str] = []
    current: Any = key
    while isinstance(current, str) and current in nodes and current not in chain:
        chain.append(current)
        current = nodes[current].get("parentCollection")
    return chain


def _matching(name: str, options: Sequence[T], names: Sequence[Callable[[T], str]]) -> list[T]:
    for name_of in names:
        if matching := [one for one in options if name_of(one) == name]:
            return matching
    folded = name.casefold()
    for name_of in names:
        if matching := [one for one in options if name_of(one).casefold() == folded]:
            return matching
    return []


def unknown_name(what: str, name: str, options: Mapping[str, str]) -> InvalidRequest:
    """The refusal of a name that selects nothing, with the nearest ones. ``options``: how each
    option is displayed, by a name that selects it."""
    near = nearest(name, {one: (one,) for one in options}, at_least=CLOSE, whole=True)
    similar = list(dict.fromkeys(options[option] for option in near))
    displayed = sorted(set(options.values()), key=str.casefold)
    if not displayed:
        hint = "there is none"
    elif similar:
        hint = f"did you mean {' or '.join(similar)}?"
    else:
        more = f", … ({len(displayed)} in all)" if len(displayed) > _MAX_NAMES_SHOWN else ""
        hint = f"there are: {', '.join(displayed[:_MAX_NAMES_SHOWN])}{more}"
    return InvalidRequest(
        f"{name}: no such {what}; {hint}", wanted=name, there=displayed, similar=similar
    )


_MAX_SHOWN = 5


@dataclass(frozen=True)
class RawLibrary:
    """The entries of one library. ``keys`` are citation keys stored elsewhere (Better BibTeX), by
    item key; ``places`` are the folders of attachment files; ``retracted`` are keys of items that
    Zotero marks as retracted."""

    library: LibraryRef
    items: Sequence[Mapping[str, Any]]
    collections: Sequence[Mapping[str, Any]] = ()
    keys: Mapping[str, str] = field(default_factory=dict)
    places: AttachmentFolders = field(default_factory=AttachmentFolders)
    retracted: Sequence[str] = ()


class SnapshotParts(NamedTuple):
    """The parts of a LibrarySnapshot."""

    collections: tuple[LibraryCollection, ...]
    items: tuple[LibraryItem, ...]
    attachments: tuple[LibraryAttachment, ...]
    notes: tuple[LibraryNote, ...]
    annotations: tuple[LibraryAnnotation, ...]
    warnings: tuple[str, ...]


@contextmanager
def without_gc() -> Iterator[None]:
    """Without Python's cyclic garbage collector, which takes a quarter of the time while a library
    is built and finds nothing: there are no reference cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@without_gc()
def assemble(raw: Sequence[RawLibrary], scope: LibraryScope) -> SnapshotParts:
    """The part of the chosen libraries ``raw`` that ``scope`` selects.

    Items in the trash are left out with their children. Citation keys are assigned over whole
    libraries, so that they are independent of the scope. Raises InvalidRequest for an unknown
    collection or tag, naming the nearest ones.
    """
    warnings: list[str] = []
    libraries = [_ScopedLibrary(library, warnings) for library in raw]
    collections = [entry for library in libraries for entry in library.collections.values()]
    chosen_keys = chosen_collections(collections, scope, warnings) if scope.collections else None
    items = items_of([library.works() for library in libraries], warnings)
    for library in libraries:
        library.select(scope, chosen_keys)
    _check_tags(libraries, scope, warnings)
    inside = {(library.library, key) for library in libraries for key in library.chosen}
    counts = {library.library: library.counts() for library in libraries}
    chosen_items = tuple(item for item in items if (item.library, item.key) in inside)
    return SnapshotParts(
        collections=tuple(
            entry.model_copy(update={"items": counts[entry.library].get(entry.key, 0)})
            for entry in sorted(collections, key=lambda entry: entry.path.casefold())
            if chosen_keys is None or (entry.library, entry.key) in chosen_keys
        ),
        items=chosen_items,
        attachments=tuple(entry for library in libraries for entry in library.attachments()),
        notes=tuple(entry for library in libraries for entry in library.notes()),
        annotations=tuple(entry for library in libraries for entry in library.annotations()),
        warnings=(*warnings, *_retracted(raw, chosen_items)),
    )


def _retracted(libraries: Iterable[RawLibrary], items: Iterable[LibraryItem]) -> Iterator[str]:
    """A warning about items that Zotero marks as retracted; they are kept."""
    retracted = {(raw.library, key) for raw in libraries for key in raw.retracted}
    flagged = [item for item in items if (item.library, item.key) in retracted]
    if flagged:
        citekeys = ", ".join(item.citation.citekey for item in flagged[:_MAX_SHOWN])
        more = ", …" if len(flagged) > _MAX_SHOWN else ""
        yield f"{len(flagged)} retracted by Zotero's records: {citekeys}{more}; check before citing"


class Counts(NamedTuple):
    """Number of entries of each kind, without the trash."""

    items: int = 0
    attachments: int = 0
    notes: int = 0
    annotations: int = 0


def count(raw: Sequence[RawLibrary]) -> Counts:
    """The counts that ``assemble`` gives for the whole of ``raw``; items need only keys, types,
    parents and their deletion mark."""
    each = [_ScopedLibrary(library, []).count() for library in raw]
    return Counts(*(sum(numbers) for numbers in zip(*each, strict=True))) if each else Counts()


class _ScopedLibrary:
    """One library: its items by kind, and the ``chosen`` ones (keys of works and of standalone
    attachments and notes)."""

    def __init__(self, raw: RawLibrary, warnings: list[str]) -> None:
        self.library = raw.library
        self.collections = known_collections(raw.collections, raw.library)
        self.chosen: set[str] = set()
        self._raw = raw
        self._warnings = warnings
        self._live_items = _live_items(raw, warnings)
        self._kinds: dict[str, list[Mapping[str, Any]]] = {}
        for item in self._live_items.values():
            self._kinds.setdefault("work" if is_work(item) else item["itemType"], []).append(item)

    def works(self) -> list[RawWork]:
        return [
            RawWork.of(item, self.library, self.collections, self._raw.keys.get(item["key"]))
            for item in self._kinds.get("work", ())
        ]

    def select(
        self, scope: LibraryScope, collection_keys: set[tuple[LibraryRef, str]] | None
    ) -> None:
        included_tags = {tag.casefold() for tag in scope.tags}
        excluded_tags = {tag.casefold() for tag in scope.exclude_tags}
        for item in self._top():
            tags = {tag.casefold() for tag in tags_in(item)}
            if collection_keys is not None and not any(
                (self.library, key) in collection_keys for key in self._collections_of(item)
            ):
                continue
            if (not included_tags or tags & included_tags) and not tags & excluded_tags:
                self.chosen.add(item["key"])

    def tags(self) -> set[str]:
        return {tag for item in self._top() for tag in tags_in(item)}

    def counts(self) -> dict[str, int]:
        """Number of works, files and notes directly in each collection."""
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
                if attachment := attachment_of(item, self.library, self._raw.places):
                    yield attachment
                elif item.get("linkMode") != "embedded_image":
                    mode = item.get("linkMode")
                    self._warn(f"attachment {item['key']}: link mode {mode!r} is not known")

    def notes(self) -> Iterable[LibraryNote]:
        for item in self._kinds.get("note", ()):
            if self._in_scope(item):
                yield note_of(item, self.library)

    def annotations(self) -> Iterable[LibraryAnnotation]:
        for item in self._kinds.get("annotation", ()):
            attachment = self._live_items.get(str(item.get("parentItem")))
            if attachment is None or not self._in_scope(attachment):
                continue
            if annotation := annotation_of(item, self.library):
                yield annotation
            else:
                kind = item.get("annotationType")
                self._warn(f"annotation {item['key']}: kind {kind!r} is not known")

    def _warn(self, what: str) -> None:
        self._warnings.append(f"{what}; left out: a later version may read it")

    def _top(self) -> Iterable[Mapping[str, Any]]:
        return (item for item in self._live_items.values() if not item.get("parentItem"))

    def _in_scope(self, item: Mapping[str, Any]) -> bool:
        return str(item.get("parentItem") or item["key"]) in self.chosen

    def _collections_of(self, item: Mapping[str, Any]) -> list[str]:
        return [key for key in collections_in(item) if key in self.collections]


def _live_items(raw: RawLibrary, warnings: list[str]) -> dict[str, Mapping[str, Any]]:
    """The items by key, without those in the trash and those with a missing parent."""
    by_key: dict[str, Mapping[str, Any]] = {}
    without_key = 0
    for item in raw.items:
        if isinstance(item.get("key"), str) and isinstance(item.get("itemType"), str):
            by_key[item["key"]] = _clean(item)
        else:
            without_key += 1
    live_items: dict[str, Mapping[str, Any]] = {}
    orphans: list[str] = []
    for key, item in by_key.items():
        chain = [item]
        while parent := chain[-1].get("parentItem"):
            parent_item = by_key.get(str(parent))
            if parent_item is None or parent_item in chain:
                orphans.append(key)
                break
            chain.append(parent_item)
        else:
            if not any(entry.get("deleted") for entry in chain):
                live_items[key] = item
    if without_key:
        warnings.append(
            f"{raw.library.name}: {without_key} entries have no key or item type; left out: "
            "check the library in Zotero"
        )
    if orphans:
        examples = ", ".join(orphans[:_MAX_SHOWN]) + (", …" if len(orphans) > _MAX_SHOWN else "")
        warnings.append(
            f"{raw.library.name}: {len(orphans)} files or notes belong to items that are not "
            f"there ({examples}); left out: check the library's database in Zotero"
        )
    return live_items


def _clean(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """``item`` without lone surrogates, which orjson refuses."""
    try:
        orjson.dumps(item, default=str)
    except TypeError:
        cleaned: Mapping[str, Any] = without_surrogates(dict(item))
        return cleaned
    return item


def _check_tags(
    libraries: Sequence[_ScopedLibrary], scope: LibraryScope, warnings: list[str]
) -> None:
    """Raises InvalidRequest for a tag of the scope that no item has: nothing would be in it."""
    if not scope.tags and not scope.exclude_tags:
        return
    known = {tag.casefold(): tag for library in libraries for tag in library.tags()}
    for tag in scope.tags:
        if tag.casefold() not in known:
            raise unknown_name("tag", tag, {one: one for one in known.values()})
    warnings += [
        UserMessage(f"{tag}: no item has this tag", NextStep(Action.LIST_TAGS))
        for tag in scope.exclude_tags
        if tag.casefold() not in known
    ]
