"""Entries of a library snapshot: keys, digests, attachment files, documents made of them."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePath
from typing import NamedTuple

from citeloom.application.ingest.plan import StageFingerprints
from citeloom.application.ports.catalogue import SourceStamp, StoredDocument
from citeloom.application.ports.ingest import SourceFiles
from citeloom.application.ports.library import EntryKind, LibraryEntry, LibrarySource
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import LibraryUnavailable
from citeloom.domain.library import (
    DocumentRole,
    LibraryAnnotation,
    LibraryAttachment,
    LibraryItem,
    LibraryNote,
    LibraryRef,
    LibraryScope,
    LibrarySnapshot,
    LinkMode,
    item_address,
    item_document,
    note_address,
    note_document,
)
from citeloom.domain.references.work_versions import WorkVersions, preferred_item


def entry_key(library: LibraryRef, key: str) -> str:
    """The key of an entry: ``library/ABCD2345``, ``groups/4355231/ABCD2345``."""
    return f"{library.path}/{key}"


def key_of(thing: LibraryItem | LibraryAttachment | LibraryNote) -> str:
    return entry_key(thing.library, thing.key)


def item_of(thing: LibraryAttachment | LibraryNote) -> str | None:
    """The entry key of the parent item; None without one."""
    return entry_key(thing.library, thing.item_key) if thing.item_key else None


def digest_of(thing: LibraryItem | LibraryAttachment | LibraryNote) -> str:
    """A digest of the content in the library."""
    if isinstance(thing, LibraryItem):
        return thing.digest
    if isinstance(thing, LibraryNote):
        return thing.digest or _digest([thing.item_key or "", thing.title, thing.html])
    names = (thing.path, thing.file_name, thing.url, thing.content_type, thing.md5)
    fields = [thing.item_key, str(thing.version), str(int(thing.link_mode)), *names]
    return _digest([text or "" for text in fields])


def annotation_versions_digest(annotations: Sequence[LibraryAnnotation]) -> str:
    """A digest of the annotations of one attachment; empty without any."""
    if not annotations:
        return ""
    return _digest(sorted(f"{one.key} {one.version} {one.digest}" for one in annotations))


def scope_name(scope: LibraryScope) -> str:
    """A canonical text of a scope."""
    return scope.model_dump_json(exclude_defaults=True)


def _digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()


# Failed downloads in a row after which no more are tried.
_GIVE_UP = 5


class FileState(StrEnum):
    """State of an attachment's file: readable; a link; of an unsupported kind; not on this
    machine; not fetched, after an error; unreadable."""

    THERE = "there"
    LINK = "link"
    OTHER_KIND = "other kind"
    MISSING = "missing"
    REFUSED = "refused"
    UNREADABLE = "unreadable"


#: States without access to the file, in which its content of the last sync still counts.
ABSENT = (FileState.MISSING, FileState.REFUSED, FileState.UNREADABLE)


class AttachmentFile(NamedTuple):
    """An attachment with the state of its file. ``stamp`` is set if the file is there;
    ``problem`` is the reason why it is not, or cannot be read."""

    attachment: LibraryAttachment
    state: FileState
    stamp: SourceStamp | None = None
    problem: str = ""

    @property
    def key(self) -> str:
        return key_of(self.attachment)

    @property
    def place(self) -> str:
        """The actual or expected path, else the file name or key."""
        path = self.stamp.path if self.stamp else self.attachment.path
        return path or self.attachment.file_name or self.key


class AttachmentFiles:
    """Attachment files of one sync; opens only files whose stamp is unknown."""

    def __init__(
        self,
        source: LibrarySource,
        files: SourceFiles,
        supports: Callable[[Path], bool],
        known: Mapping[str, LibraryEntry],
        stored: Iterable[StoredDocument],
    ) -> None:
        self._source = source
        self._files = files
        self._supports = supports
        self._known = known
        self._contents = {
            (stamp.path, stamp.size, stamp.mtime_ns): document.document_id
            for document in stored
            for stamp in document.sources
        }
        self._read: dict[str, str] = {}
        self._refused = 0

    def with_states(self, attachments: Sequence[LibraryAttachment]) -> list[AttachmentFile]:
        """The attachments with their files, in the order given."""
        paths = {key_of(a): path for a in attachments if (path := self._expected(a))}
        stamps = self._files.stamps(paths.values())
        return [self._shelved(a, stamps.get(paths.get(key_of(a), ""))) for a in attachments]

    def read(self, path: str) -> str | None:
        """The sha256 of a file, if it was read in this run."""
        return self._read.get(path)

    def content(self, stamp: SourceStamp) -> str:
        """The sha256 of a file, read only if its stamp is unknown. Raises OSError."""
        key = (stamp.path, stamp.size, stamp.mtime_ns)
        if key not in self._contents:
            self._contents[key] = self._files.sha256(Path(stamp.path))
            self._read[stamp.path] = self._contents[key]
        return self._contents[key]

    def _expected(self, attachment: LibraryAttachment) -> str | None:
        """The path in the library, else the path of an unchanged attachment's last sync."""
        if attachment.path or attachment.link_mode is LinkMode.LINKED_URL:
            return attachment.path
        entry = self._known.get(key_of(attachment))
        same = entry is not None and entry.digest == digest_of(attachment)
        return entry.stamp.path if same and entry and entry.stamp else None

    def _shelved(self, attachment: LibraryAttachment, stamp: SourceStamp | None) -> AttachmentFile:
        if attachment.link_mode is LinkMode.LINKED_URL:
            return AttachmentFile(attachment, FileState.LINK)
        name = attachment.file_name or attachment.path
        if name and not self._supports(Path(name)):
            return AttachmentFile(attachment, FileState.OTHER_KIND)
        if stamp is None:
            fetched = self._fetched(attachment)
            if isinstance(fetched, AttachmentFile):
                return fetched
            stamp = fetched
        if not self._supports(Path(stamp.path)):
            return AttachmentFile(attachment, FileState.OTHER_KIND)
        return AttachmentFile(attachment, FileState.THERE, stamp)

    def _fetched(self, attachment: LibraryAttachment) -> SourceStamp | AttachmentFile:
        where = attachment.path or attachment.file_name or attachment.key
        if self._refused >= _GIVE_UP:
            return AttachmentFile(
                attachment, FileState.REFUSED, problem=f"{where}: could not be fetched"
            )
        try:
            path = self._source.file(attachment)
        except LibraryUnavailable as error:
            self._refused += 1
            return AttachmentFile(attachment, FileState.REFUSED, problem=error.message)
        self._refused = 0
        if path is None:
            return AttachmentFile(attachment, FileState.MISSING, problem=f"{where}: no such file")
        if (stamp := self._files.stamps([str(path)]).get(str(path))) is not None:
            return stamp
        return AttachmentFile(
            attachment, FileState.UNREADABLE, problem="it is not a file that can be read"
        )


# Preference of the main file by suffix: the paper before its web page.
_KINDS = {".pdf": 0, ".epub": 1, ".html": 3, ".htm": 3, ".xhtml": 3}
_OTHER = 2
_SUPPLEMENT = re.compile(
    r"suppl|supporting|\bSI\b|appendi|erratum|corrigendum|\bslides\b|\bdataset\b", re.IGNORECASE
)


@dataclass
class Holding:
    """A document with the entries (attachments, notes, items) that hold it, their paths or
    addresses, and their items, in the library's order. ``names`` are titles and file names of
    its attachments."""

    document_id: str
    role: DocumentRole = DocumentRole.MAIN
    entries: list[str] = field(default_factory=list)
    stamps: list[SourceStamp] = field(default_factory=list)
    items: list[LibraryItem] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def add(self, entry: str, stamp: SourceStamp, item: LibraryItem | None, name: str) -> None:
        self.entries.append(entry)
        if stamp.path not in [one.path for one in self.stamps]:
            self.stamps.append(stamp)
        if item is not None and item.address not in [one.address for one in self.items]:
            self.items.append(item)
        self.names.append(name)


class Holdings:
    """Holdings by document id, in the library's order."""

    def __init__(self) -> None:
        self._by_id: dict[str, Holding] = {}
        self._of_entry: dict[str, str] = {}

    def __iter__(self) -> Iterator[Holding]:
        return iter(self._by_id.values())

    def __contains__(self, document_id: object) -> bool:
        return document_id in self._by_id

    @property
    def places(self) -> int:
        """The number of paths and addresses of all documents."""
        return sum(len(holding.stamps) for holding in self)

    def get(self, document_id: str) -> Holding | None:
        return self._by_id.get(document_id)

    def with_those_of(self, other: "Holdings") -> "Holdings":
        """The union of two disjoint holdings."""
        both = Holdings()
        both._by_id = {**self._by_id, **other._by_id}
        both._of_entry = {**self._of_entry, **other._of_entry}
        return both

    def of_entry(self, entry: str) -> str | None:
        """The document id of an entry; None if it has no document."""
        return self._of_entry.get(entry)

    def add(
        self,
        document_id: str,
        entry: str,
        stamp: SourceStamp,
        item: LibraryItem | None,
        *,
        name: str = "",
        role: DocumentRole = DocumentRole.MAIN,
    ) -> None:
        holding = self._by_id.setdefault(document_id, Holding(document_id, role))
        holding.add(entry, stamp, item, name)
        self._of_entry[entry] = document_id


def assign_roles(cited: Mapping[str, LibraryItem], holdings: Holdings) -> None:
    """Set the roles of documents: of the files cited as one item one is the main document,
    the others are supplements. ``cited`` are items by document id; notes stay notes."""
    files: dict[str, list[Holding]] = defaultdict(list)
    for holding in holdings:
        item = cited.get(holding.document_id)
        if item is not None and holding.role is not DocumentRole.NOTE:
            files[item.address].append(holding)
    for address, documents in files.items():
        main = min(documents, key=lambda one: _order(one, address))
        for holding in documents:
            holding.role = DocumentRole.MAIN if holding is main else DocumentRole.SUPPLEMENT


def _order(holding: Holding, address: str) -> tuple[bool, bool, int]:
    is_own = any(item.address == address for item in holding.items)
    supplement = all(_SUPPLEMENT.search(name) for name in holding.names if name)
    return not is_own, bool(any(holding.names)) and supplement, _kind(holding.stamps)


def _kind(stamps: Sequence[SourceStamp]) -> int:
    return min(_KINDS.get(PurePath(one.path).suffix.lower(), _OTHER) for one in stamps)


@dataclass
class LibraryDocuments:
    """Documents of a snapshot with the entries that hold them. ``made`` are new or changed
    documents that need no converter, by id; ``failures`` are reasons by unreadable path."""

    holdings: Holdings = field(default_factory=Holdings)
    made: dict[str, ConversionResult] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


class StateBeforeSync(NamedTuple):
    """State of the project before the sync: documents by id, entries by key, and the current
    stages."""

    stored: Mapping[str, StoredDocument]
    known: Mapping[str, LibraryEntry]
    stages: StageFingerprints
    force: bool

    def standing(self, entry: str, digest: str) -> tuple[str, SourceStamp] | None:
        """Document id and stamp of an unchanged note or item whose document is current; None
        otherwise."""
        before = self.known.get(entry)
        if self.force or before is None or before.digest != digest or before.stamp is None:
            return None
        document = self.stored.get(before.document_id or "")
        if document is None or not self.stages.is_current_for(document):
            return None
        return document.document_id, before.stamp


def gather(
    snapshot: LibrarySnapshot,
    items: Mapping[str, LibraryItem],
    attachments: Iterable[AttachmentFile],
    attachment_files: AttachmentFiles,
    before: StateBeforeSync,
) -> LibraryDocuments:
    """Documents of files and notes; ``items`` are by entry key. Files with a known stamp are
    not opened. The document of a missing file stays."""
    gathered = LibraryDocuments()
    for one in attachments:
        _add_file(gathered, one, attachment_files, items, before)
    for note in snapshot.notes:
        _add_text(gathered, note, items.get(item_of(note) or ""), before)
    return gathered


def gather_items(
    items: Iterable[LibraryItem],
    works: WorkVersions,
    filed: frozenset[str],
    before: StateBeforeSync,
) -> LibraryDocuments:
    """Documents of items without file, one for all items of the same work, and none if any of
    them has a file. ``filed`` are addresses of items with a file."""
    gathered = LibraryDocuments()
    for item in items:
        versions = [item, *works.same(item), *works.versions(item)]
        if (
            any(item_version.address in filed for item_version in versions)
            or preferred_item(versions).address != item.address
        ):
            continue
        _add_text(gathered, item, item, before)
    return gathered


def _add_file(
    gathered: LibraryDocuments,
    one: AttachmentFile,
    attachment_files: AttachmentFiles,
    items: Mapping[str, LibraryItem],
    before: StateBeforeSync,
) -> None:
    item = items.get(item_of(one.attachment) or "")
    name = f"{one.attachment.title} {one.attachment.file_name or ''}".strip()
    if one.state is FileState.THERE and one.stamp is not None:
        try:
            content = attachment_files.content(one.stamp)
        except OSError as error:
            gathered.failures[one.stamp.path] = error.strerror or str(error)
        else:
            gathered.holdings.add(content, one.key, one.stamp, item, name=name)
        return
    if one.state is FileState.UNREADABLE:
        gathered.failures[one.place] = one.problem
    entry = before.known.get(one.key)
    if entry and entry.stamp and one.state in ABSENT and entry.document_id in before.stored:
        away = SourceStamp.absent(entry.stamp.path)
        gathered.holdings.add(entry.document_id or "", one.key, away, item, name=name)


def _add_text(
    gathered: LibraryDocuments,
    thing: LibraryItem | LibraryNote,
    item: LibraryItem | None,
    before: StateBeforeSync,
) -> None:
    """A note of ``item``, or the item itself."""
    key, is_note = key_of(thing), isinstance(thing, LibraryNote)
    standing = before.standing(key, digest_of(thing))
    if standing is None:
        made = note_document(thing) if isinstance(thing, LibraryNote) else item_document(thing)
        if made is None:
            return
        address = note_address(thing) if isinstance(thing, LibraryNote) else thing.address
        stamp = SourceStamp(path=address, size=len(made.plain_text), mtime_ns=0)
        standing = made.doc_id, stamp
        document = before.stored.get(made.doc_id)
        if before.force or document is None or not before.stages.is_current_for(document):
            gathered.made[made.doc_id] = made
    role = DocumentRole.NOTE if is_note else DocumentRole.MAIN
    gathered.holdings.add(standing[0], key, standing[1], item, role=role)


def filed_items(
    holdings: Holdings, failed: frozenset[str], kept: Iterable[LibraryEntry]
) -> Iterator[str]:
    """Addresses of items with a file in the project: those of ``holdings`` that did not fail,
    and those of entries ``kept`` from outside the snapshot."""
    for holding in holdings:
        has_file = any(stamp.path not in failed for stamp in holding.stamps)
        if has_file and holding.role is not DocumentRole.NOTE:
            yield from (item.address for item in holding.items)
    for entry in kept:
        if entry.item and entry.document_id and entry.kind is EntryKind.ATTACHMENT:
            library, _, key = entry.item.rpartition("/")
            yield item_address(library, key)
