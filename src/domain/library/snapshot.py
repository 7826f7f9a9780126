"""Snapshot of a Zotero library: items, attachments, notes, annotations, collections.

Names follow Zotero's web API (``linkMode``, ``annotationType``, …). Keys are Zotero's eight
letters and digits, unique within one library.
"""

from collections.abc import Iterable
from enum import IntEnum, StrEnum

from pydantic import Field

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.library.zotero_links import item_address
from citeloom.domain.value import Value


class LibraryKind(StrEnum):
    USER = "user"
    GROUP = "group"


class LibraryRef(Value):
    """The user's own library, or a group's. ``id`` is Zotero's group number (0 for the user's);
    ``version`` increases with each synced change, 0 if never synced."""

    kind: LibraryKind = LibraryKind.USER
    id: int = Field(default=0, ge=0)
    name: str = "My Library"
    version: int = Field(default=0, ge=0)

    @property
    def path(self) -> str:
        """``library`` or ``groups/4355231``: as it stands in ``zotero://select/…``."""
        return "library" if self.kind is LibraryKind.USER else f"groups/{self.id}"


class LinkMode(IntEnum):
    """How an attachment holds its file (Zotero's ``itemAttachments.linkMode``)."""

    IMPORTED_FILE = 0
    IMPORTED_URL = 1
    LINKED_FILE = 2
    LINKED_URL = 3


class KeySource(StrEnum):
    """Source of a citation key, by descending precedence."""

    NATIVE = "native"
    BETTER_BIBTEX = "better-bibtex"
    EXTRA = "extra"
    GENERATED = "generated"


class LibraryCollection(Value):
    """``path`` is the full path: ``Thesis/Chapter 2``."""

    key: str
    library: LibraryRef
    name: str
    path: str
    parent: str | None = None
    items: int = Field(default=0, ge=0)


class LibraryItem(Value):
    """A work, citable with or without a file. ``citation`` has its key, tags, collection paths
    (those above each included), ``item_key`` and CSL-JSON item. ``digest`` changes exactly when
    anything of the item does. Times are ISO 8601 in UTC."""

    key: str
    library: LibraryRef
    version: int = Field(default=0, ge=0)
    digest: str
    citation: CitationMeta
    key_source: KeySource
    abstract: str | None = None
    added: str | None = None
    modified: str | None = None
    related: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        """``zotero://select/library/items/KEY``."""
        return item_address(self.library.path, self.key)


class LibraryAttachment(Value):
    """A file or link of an item, or a standalone one (``item_key`` None). ``path`` is the local
    path by the library, which may not exist; None for links, and for files that the source has
    to fetch first."""

    key: str
    library: LibraryRef
    item_key: str | None = None
    version: int = Field(default=0, ge=0)
    title: str = ""
    link_mode: LinkMode
    path: str | None = None
    file_name: str | None = None
    url: str | None = None
    content_type: str | None = None
    md5: str | None = None


class LibraryNote(Value):
    """A note in HTML, of an item or standalone (``item_key`` None)."""

    key: str
    library: LibraryRef
    item_key: str | None = None
    version: int = Field(default=0, ge=0)
    title: str = ""
    html: str = ""
    tags: tuple[str, ...] = ()
    digest: str = ""


class AnnotationKind(StrEnum):
    """Zotero's ``annotationType``."""

    HIGHLIGHT = "highlight"
    UNDERLINE = "underline"
    NOTE = "note"
    TEXT = "text"
    IMAGE = "image"
    INK = "ink"


class LibraryAnnotation(Value):
    """An annotation of an attachment.

    ``page`` is the PDF page (from 1) of its start, None in formats without pages; ``rects`` are
    the boxes (left, bottom, right, top) on it in points from the *bottom* left, as in PDF and
    Zotero. ``rects_next`` are those on the following page, of a mark across two pages.
    """

    key: str
    attachment_key: str
    library: LibraryRef
    version: int = Field(default=0, ge=0)
    kind: AnnotationKind
    text: str = ""
    comment: str = ""
    color: str | None = None
    page: int | None = Field(default=None, ge=1)
    page_label: str | None = None
    rects: tuple[tuple[float, float, float, float], ...] = ()
    rects_next: tuple[tuple[float, float, float, float], ...] = ()
    sort_index: str = ""
    tags: tuple[str, ...] = ()
    author: str | None = None
    digest: str = ""


class LibraryScope(Value):
    """Selected part of the libraries; by default all of the user's own library.

    ``collections`` are names, paths or keys, including their subcollections; an item has one of
    ``tags`` and none of ``exclude_tags``; ``groups`` are names or numbers of group libraries,
    ``*`` for all; with groups the user's own library is included only with ``user``.
    """

    collections: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    exclude_tags: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    user: bool = True


class LibrarySnapshot(Value):
    """Contents of a scope at one moment.

    ``complete`` is False if part of the scope could not be read; then nothing counts as deleted.
    Items in the bin are excluded. ``state`` changes whenever the source does.
    """

    source: str
    state: str
    scope: LibraryScope
    complete: bool
    libraries: tuple[LibraryRef, ...] = ()
    collections: tuple[LibraryCollection, ...] = ()
    items: tuple[LibraryItem, ...] = ()
    attachments: tuple[LibraryAttachment, ...] = ()
    notes: tuple[LibraryNote, ...] = ()
    annotations: tuple[LibraryAnnotation, ...] = ()
    warnings: tuple[str, ...] = ()


def tag_counts(items: Iterable[LibraryItem]) -> dict[str, int]:
    """Number of items by tag, most used first, then by name."""
    counts: dict[str, int] = {}
    for item in items:
        for tag in item.citation.tags:
            counts[tag] = counts.get(tag, 0) + 1
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0].casefold())))
