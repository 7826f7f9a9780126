"""Reference libraries: snapshots, items and the documents they hold.

Names follow Zotero's web API (``linkMode``, ``annotationType``, …). Keys are Zotero's eight letters
and digits, unique within one library.

Documents made from library items without files, and from notes. The id is the sha256 over content
and address of the item or note, so that equal records of two works are two documents.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum, StrEnum
from html.parser import HTMLParser
from pathlib import PurePath
from typing import Final, NamedTuple

from pydantic import Field

from .citation.metadata import CitationMeta
from .documents.conversion import Block, BlockLabel, ConversionResult, Structure, heading_tree
from .documents.spans import CharSpan
from .projects.project import ProjectId
from .text.phrasing import on_one_line
from .value import Value

# Zotero stores a file in a folder named by its attachment's key.
_STORED = re.compile(r"(?:^|[/\\])storage[/\\]([A-Z0-9]{8})[/\\][^/\\]+$")
_KEY = re.compile(r"[A-Z0-9]{8}")
_GROUP = re.compile(r"(?:zotero\.org/|zotero://[\w-]+/)groups/(\d+)/")


def attachment_key(path: str) -> str | None:
    """The attachment key of a stored file (``…/storage/KEY/paper.pdf``)."""
    match = _STORED.search(path)
    return match.group(1) if match else None


def library_path(*addresses: object) -> str:
    """``library``, or ``groups/ID`` if one of an item's addresses is in a group."""
    for address in addresses:
        if isinstance(address, str) and (match := _GROUP.search(address)):
            return f"groups/{match.group(1)}"
    return "library"


def item_address(library: str, key: str) -> str:
    """``zotero://select/library/items/KEY``."""
    return f"zotero://select/{library}/items/{key}"


def zotero_link(
    item_key: str | None, source_path: str, page: int | None = None, *, library: str = "library"
) -> str | None:
    """``zotero://open-pdf/library/items/ATTACHMENT?page=5`` for a PDF that Zotero stores,
    ``zotero://select/library/items/ITEM`` where only the item is known; None without either.

    ``page`` counts the file's pages from 1, as Zotero's reader does."""
    stored = attachment_key(source_path)
    if stored and PurePath(source_path.replace("\\", "/")).suffix.lower() == ".pdf":
        address = f"zotero://open-pdf/{library}/items/{stored}"
        return f"{address}?page={page}" if page else address
    key = item_key if item_key and _KEY.fullmatch(item_key) else stored
    return item_address(library, key) if key else None


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
        """``library`` or ``groups/4355231``, as in ``zotero://select/…``."""
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


class DocumentRole(StrEnum):
    """Role of a document for its item. Each item has one main document, to which the item's
    citation key refers."""

    MAIN = "main"
    SUPPLEMENT = "supplement"
    NOTE = "note"


class AlternativeCitation(Value):
    """Another library item that a document may be cited as. ``address`` (``zotero://select/…``)
    and ``item_key`` are the item's; ``why`` is what they have in common."""

    citekey: str
    item_key: str
    address: str
    why: str


class LibraryRecord(Value):
    """``former_keys`` are earlier citation keys of the cited item. ``key_source`` is None if the
    document is cited as no item."""

    role: DocumentRole = DocumentRole.MAIN
    key_source: KeySource | None = None
    alternatives: tuple[AlternativeCitation, ...] = ()
    former_keys: tuple[str, ...] = ()


class KeyChange(Value):
    """A changed citation key; the old one still resolves."""

    old: str
    new: str


class LibraryReport(Value):
    """Counts of a library synchronisation within its scope. ``missing_files`` are not on this
    machine; ``generated_keys`` counts items without a citation key of their own;
    ``documents_marked`` those whose annotations changed. ``unchanged``: nothing was read, since
    nothing had changed. ``rule`` describes the choice among duplicate items."""

    source: str
    place: str
    scope: LibraryScope
    complete: bool = True
    unchanged: bool = False
    items: int = 0
    files: int = 0
    notes: int = 0
    annotations: int = 0
    documents_marked: int = 0
    missing_files: int = 0
    generated_keys: int = 0
    key_changes: tuple[KeyChange, ...] = ()
    rule: str | None = None


class SyncRequest(Value):
    """A library to synchronise. ``scope`` None is the project's last scope, or the user's whole
    library. ``prune`` removes documents outside the scope (None: those that were in it before;
    False: none; True: also those of an earlier scope). Other fields are as in ``IngestRequest``."""

    project_id: ProjectId
    scope: LibraryScope | None = None
    model: str | None = None
    sentences: bool | None = None
    force: bool = False
    prune: bool | None = None
    password: str | None = None
    passwords: Mapping[str, str] = Field(default_factory=dict)


#: In place of a converter's fingerprint.
CONVERTER: Final = "library-text 1"
ITEM_TYPE: Final = "application/vnd.zotero.item"
NOTE_TYPE: Final = "application/vnd.zotero.note"
#: Of a work that was added without text, which no library holds.
WORK_TYPE: Final = "application/vnd.citeloom.work"

_SEPARATOR = "\n\n"
_MARKUP = re.compile(r"</?(?:jats:)?(?:p|i|b|em|strong|sub|sup|italic|bold|sec|title|br|div)\b")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BREAKING = (
    *("p", "div", "blockquote", "li", "tr", "pre", "ul", "ol", "table", "hr", "section"),
    *("title", "sec"),  # of JATS, in abstracts
)
_BESIDE = ("td", "th", "br")
_SILENT = ("style", "script", "head")
_JATS = "jats:"


def is_library_text(source_path: str) -> bool:
    """Whether a document is an item record or note of the library, whose positions are none in
    the work."""
    return source_path.startswith("zotero://select/")


class _TextPart(NamedTuple):
    label: BlockLabel
    text: str
    level: int | None = None


def item_document(item: LibraryItem) -> ConversionResult:
    """The title as heading, then the abstract, or without one authors, venue and year."""
    citation = item.citation
    parts = [_TextPart(BlockLabel.SECTION_HEADER, on_one_line(citation.title), 1)]
    abstract = _abstract(item.abstract or "")
    if abstract:
        parts += abstract
    else:
        published = (citation.container_title, str(citation.year) if citation.year else None)
        who = "; ".join(citation.authors)
        parts.append(_TextPart(BlockLabel.TEXT, ". ".join([who, *filter(None, published)])))
    return _document(
        item.address,
        parts,
        title=on_one_line(citation.title),
        mime_type=ITEM_TYPE,
        identifiers=(citation.doi,) if citation.doi else (),
    )


def note_document(note: LibraryNote) -> ConversionResult | None:
    """The text of a note with headings and lists; None if it is empty."""
    parts = _read(note.html)
    if not parts:
        return None
    title = on_one_line(note.title) or parts[0].text
    return _document(note_address(note), parts, title=title, mime_type=NOTE_TYPE)


def note_address(note: LibraryNote) -> str:
    """``zotero://select/library/items/KEY``."""
    return item_address(note.library.path, note.key)


def _document(
    address: str,
    parts: Sequence[_TextPart],
    *,
    title: str,
    mime_type: str,
    identifiers: tuple[str, ...] = (),
) -> ConversionResult:
    parts = [part for part in parts if part.text]
    blocks: list[Block] = []
    at = 0
    for part in parts:
        span = CharSpan(start=at, end=at + len(part.text))
        blocks.append(Block(label=part.label, span=span, level=part.level))
        at = span.end + len(_SEPARATOR)
    text = _SEPARATOR.join(part.text for part in parts)
    headers = [
        (part.text, part.level, block.span.start, None)
        for part, block in zip(parts, blocks, strict=True)
        if part.level is not None
    ]
    content = json.dumps([address, CONVERTER, title, parts], ensure_ascii=False)
    return ConversionResult(
        doc_id=hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest(),
        structure=Structure(heading_tree=heading_tree(headers, len(text)), page_map=()),
        plain_text=text,
        blocks=tuple(blocks),
        title=title,
        identifiers=identifiers,
        mime_type=mime_type,
        converter=CONVERTER,
    )


def _abstract(text: str) -> list[_TextPart]:
    if _MARKUP.search(text):
        return [part._replace(label=BlockLabel.TEXT, level=None) for part in _read(text)]
    paragraphs = (on_one_line(paragraph) for paragraph in re.split(r"\n\s*\n", text))
    return [_TextPart(BlockLabel.TEXT, paragraph) for paragraph in paragraphs if paragraph]


def _read(html: str) -> list[_TextPart]:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    reader.end_part()
    return reader.parts


class _Reader(HTMLParser):
    """Blocks of HTML in reading order; characters of style and script are left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[_TextPart] = []
        self._text: list[str] = []
        self._label, self._level = BlockLabel.TEXT, 0
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        tag = tag.removeprefix(_JATS)
        if tag in _SILENT:
            self._silent += 1
        elif tag in _HEADINGS:
            self.end_part()
            self._label, self._level = BlockLabel.SECTION_HEADER, _HEADINGS.index(tag) + 1
        elif tag in _BREAKING:
            in_item = tag in ("p", "div") and self._label is BlockLabel.LIST_ITEM
            if not in_item or self._text:
                self.end_part()
            if tag == "li" or in_item:
                self._label = BlockLabel.LIST_ITEM
            elif tag == "pre":
                self._label = BlockLabel.CODE
        elif tag in _BESIDE:
            self._text.append(" ")

    def handle_endtag(self, tag: str) -> None:
        tag = tag.removeprefix(_JATS)
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag in _HEADINGS or tag in _BREAKING:
            self.end_part()

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._text.append(data)

    def end_part(self) -> None:
        """End the current block."""
        raw = "".join(self._text)
        text = raw.strip("\n") if self._label is BlockLabel.CODE else on_one_line(raw)
        if text.strip():
            self.parts.append(_TextPart(self._label, text, self._level or None))
        self._text = []
        self._label, self._level = BlockLabel.TEXT, 0
