"""Documents of a library snapshot: files, notes, and items without file."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from citeloom.application.ingest.plan import StageFingerprints
from citeloom.application.library.attachments import (
    ABSENT,
    AttachmentFile,
    AttachmentFiles,
    FileState,
)
from citeloom.application.library.entries import digest_of, item_of, key_of
from citeloom.application.library.holdings import Holdings
from citeloom.application.ports.catalogue import SourceStamp, StoredDocument
from citeloom.application.ports.library import EntryKind, LibraryEntry
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.library.holding import DocumentRole
from citeloom.domain.library.item_documents import item_document, note_address, note_document
from citeloom.domain.library.snapshot import LibraryItem, LibraryNote, LibrarySnapshot
from citeloom.domain.library.zotero_links import item_address
from citeloom.domain.references.work_versions import WorkVersions, preferred_item


@dataclass
class LibraryDocuments:
    """Documents of a snapshot with the entries that hold them. ``made`` are new or changed
    documents that need no converter, by id; ``failures`` are reasons by unreadable path."""

    holdings: Holdings = field(default_factory=Holdings)
    is_current_for: dict[str, ConversionResult] = field(default_factory=dict)
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
        _add_note(gathered, note, items.get(item_of(note) or ""), before)
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
        key = key_of(item)
        standing = before.standing(key, digest_of(item))
        if standing is None:
            made = item_document(item)
            standing = made.doc_id, _stamp(item.address, made)
            document = before.stored.get(made.doc_id)
            if before.force or document is None or not before.stages.is_current_for(document):
                gathered.is_current_for[made.doc_id] = made
        gathered.holdings.add(standing[0], key, standing[1], item)
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


def _add_note(
    gathered: LibraryDocuments, note: LibraryNote, item: LibraryItem | None, before: StateBeforeSync
) -> None:
    key = key_of(note)
    standing = before.standing(key, digest_of(note))
    if standing is None:
        made = note_document(note)
        if made is None:
            return
        standing = made.doc_id, _stamp(note_address(note), made)
        document = before.stored.get(made.doc_id)
        if before.force or document is None or not before.stages.is_current_for(document):
            gathered.is_current_for[made.doc_id] = made
    gathered.holdings.add(standing[0], key, standing[1], item, role=DocumentRole.NOTE)


def _stamp(address: str, document: ConversionResult) -> SourceStamp:
    return SourceStamp(path=address, size=len(document.plain_text), mtime_ns=0)


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
