"""The verb *zotero*: read-only browsing of a reference library."""

from collections import Counter
from collections.abc import Sequence

from citeloom.application.ports.library import LibrarySource, LibraryStatus
from citeloom.domain.library import (
    KeySource,
    LibraryCollection,
    LibraryItem,
    LibraryScope,
    LibrarySnapshot,
    tag_counts,
)
from citeloom.domain.value import Value


class LibraryListing(Value):
    """The common part of every listing: source, its state and warnings.

    ``total`` counts all entries, of which the first are listed.
    """

    source: str
    state: str
    complete: bool
    libraries: tuple[str, ...]
    total: int
    warnings: tuple[str, ...] = ()


class ListedItem(Value):
    """An item as it is listed; ``files``, ``notes`` and ``annotations`` are counts."""

    key: str
    library: str
    citekey: str
    key_source: KeySource
    title: str
    authors: tuple[str, ...]
    year: int | None
    type: str | None
    collections: tuple[str, ...]
    tags: tuple[str, ...]
    files: int
    notes: int
    annotations: int
    added: str | None
    modified: str | None
    address: str


class ItemListing(LibraryListing):
    items: tuple[ListedItem, ...]


class CollectionListing(LibraryListing):
    collections: tuple[LibraryCollection, ...]


class ListedTag(Value):
    tag: str
    items: int


class TagListing(LibraryListing):
    tags: tuple[ListedTag, ...]


class LibraryBrowser:
    """Listings of a library; each call reads the source once. ``limit`` is the number of
    entries at most, None for all. Methods raise LibraryUnavailable, and InvalidRequest for an
    unknown collection or group."""

    def __init__(self, source: LibrarySource) -> None:
        self._source = source

    @property
    def asks_network(self) -> bool:
        return self._source.asks_network

    @property
    def source_name(self) -> str:
        return self._source.name

    def status(self) -> LibraryStatus:
        return self._source.status()

    def items(self, scope: LibraryScope, limit: int | None = None) -> ItemListing:
        """Items by title."""
        snapshot = self._source.snapshot(scope)
        listed = sorted(snapshot.items, key=lambda item: item.citation.title.casefold())
        return _items(snapshot, listed, limit)

    def recent(self, scope: LibraryScope, limit: int | None = None) -> ItemListing:
        """Items by date added, the latest first."""
        snapshot = self._source.snapshot(scope)
        listed = sorted(snapshot.items, key=lambda item: item.added or "", reverse=True)
        return _items(snapshot, listed, limit)

    def collections(self, scope: LibraryScope, limit: int | None = None) -> CollectionListing:
        """Collections by library and path; ``items`` counts those directly in each."""
        snapshot = self._source.snapshot(scope)
        order = {library: number for number, library in enumerate(snapshot.libraries)}
        listed = sorted(
            snapshot.collections,
            key=lambda entry: (order.get(entry.library, 0), entry.path.casefold()),
        )
        return CollectionListing(**_look(snapshot, len(listed)), collections=tuple(listed[:limit]))

    def tags(self, scope: LibraryScope, limit: int | None = None) -> TagListing:
        """Tags, the most used first."""
        snapshot = self._source.snapshot(scope)
        counts = tag_counts(snapshot.items)
        shown = [ListedTag(tag=tag, items=items) for tag, items in counts.items()]
        return TagListing(**_look(snapshot, len(shown)), tags=tuple(shown[:limit]))


def _look(snapshot: LibrarySnapshot, total: int) -> dict[str, object]:
    return {
        "source": snapshot.source,
        "state": snapshot.state,
        "complete": snapshot.complete,
        "libraries": tuple(library.name for library in snapshot.libraries),
        "total": total,
        "warnings": snapshot.warnings,
    }


def _items(
    snapshot: LibrarySnapshot, listed: Sequence[LibraryItem], limit: int | None
) -> ItemListing:
    parents = {(file.library, file.key): file.item_key for file in snapshot.attachments}
    files = Counter((file.library, file.item_key) for file in snapshot.attachments)
    notes = Counter((note.library, note.item_key) for note in snapshot.notes)
    marks = Counter(
        (mark.library, parents.get((mark.library, mark.attachment_key)))
        for mark in snapshot.annotations
    )
    return ItemListing(
        **_look(snapshot, len(listed)),
        items=tuple(
            ListedItem(
                key=item.key,
                library=item.library.name,
                citekey=item.citation.citekey,
                key_source=item.key_source,
                title=item.citation.title,
                authors=item.citation.authors,
                year=item.citation.year,
                type=item.citation.type,
                collections=item.citation.collections,
                tags=item.citation.tags,
                files=files[(item.library, item.key)],
                notes=notes[(item.library, item.key)],
                annotations=marks[(item.library, item.key)],
                added=item.added,
                modified=item.modified,
                address=item.address,
            )
            for item in listed[:limit]
        ),
    )
