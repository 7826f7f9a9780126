"""From a snapshot of a library to the documents that it should have in a project."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from citeloom.application.ingest.plan import Stages
from citeloom.application.library.attachments import ABSENT, AttachmentShelf, Shelved, State
from citeloom.application.library.entries import digest_of, item_of, key_of
from citeloom.application.library.holdings import Holdings
from citeloom.application.ports.catalogue import SourceStamp, StoredDocument
from citeloom.application.ports.library import EntryKind, LibraryEntry
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.library.holding import DocumentRole
from citeloom.domain.library.item_documents import item_document, note_address, note_document
from citeloom.domain.library.snapshot import LibraryItem, LibraryNote, LibrarySnapshot
from citeloom.domain.references.work_versions import Works, chosen


@dataclass
class LibraryDocuments:
    """Documents and who holds them. ``made`` are those that need no converter and are new or
    changed, by id; ``failures`` are paths that cannot be read, with the reason."""

    holdings: Holdings = field(default_factory=Holdings)
    made: dict[str, ConversionResult] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


class Before(NamedTuple):
    """What the project has: documents by id, entries by key, and today's stages."""

    stored: Mapping[str, StoredDocument]
    known: Mapping[str, LibraryEntry]
    stages: Stages
    force: bool

    def standing(self, entry: str, digest: str) -> tuple[str, SourceStamp] | None:
        """The document of a note or item that is as it was, and made as it is today."""
        before = self.known.get(entry)
        if self.force or before is None or before.digest != digest or before.stamp is None:
            return None
        document = self.stored.get(before.document_id or "")
        if document is None or not self.stages.made(document):
            return None
        return document.document_id, before.stamp


def gather(
    snapshot: LibrarySnapshot,
    items: Mapping[str, LibraryItem],
    shelved: Iterable[Shelved],
    shelf: AttachmentShelf,
    before: Before,
) -> LibraryDocuments:
    """Files and notes; ``items`` are by the key of their entry. Files whose content is known
    are not opened. What was read of a file that is not there now stays."""
    found = LibraryDocuments()
    for one in shelved:
        _add_file(found, one, shelf, items, before)
    for note in snapshot.notes:
        _add_note(found, note, items.get(item_of(note) or ""), before)
    return found


def gather_items(
    items: Iterable[LibraryItem],
    works: Works,
    filed: frozenset[str],
    before: Before,
) -> LibraryDocuments:
    """Items of which no file is read, nor one of another entry of the same work: of several
    such entries one. ``filed`` are addresses of items that have a file."""
    found = LibraryDocuments()
    for item in items:
        kin = [item, *works.same(item), *works.versions(item)]
        if any(one.address in filed for one in kin) or chosen(kin).address != item.address:
            continue
        key = key_of(item)
        standing = before.standing(key, digest_of(item))
        if standing is None:
            made = item_document(item)
            standing = made.doc_id, _stamp(item.address, made)
            document = before.stored.get(made.doc_id)
            if before.force or document is None or not before.stages.made(document):
                found.made[made.doc_id] = made
        found.holdings.add(standing[0], key, standing[1], item)
    return found


def _add_file(
    found: LibraryDocuments,
    one: Shelved,
    shelf: AttachmentShelf,
    items: Mapping[str, LibraryItem],
    before: Before,
) -> None:
    item = items.get(item_of(one.attachment) or "")
    name = f"{one.attachment.title} {one.attachment.file_name or ''}".strip()
    if one.state is State.THERE and one.stamp is not None:
        try:
            content = shelf.content(one.stamp)
        except OSError as error:
            found.failures[one.stamp.path] = error.strerror or str(error)
        else:
            found.holdings.add(content, one.key, one.stamp, item, name=name)
        return
    if one.state is State.UNREADABLE:
        found.failures[one.place] = one.problem
    entry = before.known.get(one.key)
    if entry and entry.stamp and one.state in ABSENT and entry.document_id in before.stored:
        away = entry.stamp.model_copy(update={"size": -1, "mtime_ns": 0})
        found.holdings.add(entry.document_id or "", one.key, away, item, name=name)


def _add_note(
    found: LibraryDocuments, note: LibraryNote, item: LibraryItem | None, before: Before
) -> None:
    key = key_of(note)
    standing = before.standing(key, digest_of(note))
    if standing is None:
        made = note_document(note)
        if made is None:
            return
        standing = made.doc_id, _stamp(note_address(note), made)
        document = before.stored.get(made.doc_id)
        if before.force or document is None or not before.stages.made(document):
            found.made[made.doc_id] = made
    found.holdings.add(standing[0], key, standing[1], item, role=DocumentRole.NOTE)


def _stamp(address: str, document: ConversionResult) -> SourceStamp:
    return SourceStamp(path=address, size=len(document.plain_text), mtime_ns=0)


def filed_items(
    holdings: Holdings, failed: frozenset[str], kept: Iterable[LibraryEntry]
) -> Iterator[str]:
    """Addresses of items that have a file in the project: those of ``holdings`` that did not
    fail, and those whose entries are kept without having been seen."""
    for holding in holdings:
        there = any(stamp.path not in failed for stamp in holding.stamps)
        if there and holding.role is not DocumentRole.NOTE:
            yield from (item.address for item in holding.items)
    for entry in kept:
        if entry.item and entry.document_id and entry.kind is EntryKind.ATTACHMENT:
            library, _, key = entry.item.rpartition("/")
            yield f"zotero://select/{library}/items/{key}"
