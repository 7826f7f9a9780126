"""A researcher's library as Zotero keeps it: items, files, notes, annotations, collections.

Names follow Zotero's web API (``linkMode``, ``annotationType``, …), which its database says in
other words. Keys are Zotero's eight letters and digits; they are unique within one library.
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
    """One library of an account: her own, or a group's. ``id`` is Zotero's number of the group
    (0 for her own); ``version`` counts up with each synced change, 0 where it never was."""

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
    """Where a citation key came from; earlier ones go first."""

    NATIVE = "native"
    BETTER_BIBTEX = "better-bibtex"
    EXTRA = "extra"
    GENERATED = "generated"


class LibraryCollection(Value):
    """``path`` names it from the top: ``Thesis/Chapter 2``."""

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
    """A file or link of an item, or one that stands alone (``item_key`` None). ``path`` is where
    the file lies on this machine by what the library says (whether it is there is another
    matter); None for links, and for files that the source has to fetch first."""

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
    """A note in HTML, of an item or alone (``item_key`` None)."""

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
    """What a reader marked in an attachment.

    ``page`` is the PDF page (from 1) of its beginning, None in formats without pages; ``rects``
    are the boxes (left, bottom, right, top) on it in points from the *bottom* left, as PDF and
    Zotero count them. ``rects_next`` are those on the page after, of a mark that goes over.
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
    """Which part of the libraries is meant; all of her own library if nothing is named.

    ``collections`` are names, paths or keys (with what is below them); an item has one of
    ``tags`` and none of ``exclude_tags``; ``groups`` are names or numbers of group libraries,
    ``*`` for all; her own library is then meant as well only with ``user``.
    """

    collections: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    exclude_tags: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    user: bool = True


class LibrarySnapshot(Value):
    """What a source holds of a scope, at one moment.

    ``complete`` is False if anything of the scope could not be read: nothing may then be taken
    for deleted. Items in the bin are not there. ``state`` is the same as long as nothing of
    the source changed.
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
    """How many items have each tag, the most used first, then by name."""
    counts: dict[str, int] = {}
    for item in items:
        for tag in item.citation.tags:
            counts[tag] = counts.get(tag, 0) + 1
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0].casefold())))
