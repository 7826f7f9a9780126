"""Recorded entries of a sync, its annotations, and the removal of documents that left."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from citeloom.application.index.collection import Remover
from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.ingest.ingest import Annotate, Marked
from citeloom.application.ingest.report import IngestLog
from citeloom.application.ports.catalogue import UNFINISHED, Catalogue, SourceStamp, StoredDocument
from citeloom.application.ports.library import EntryKind, FollowedLibraries, Following, LibraryEntry
from citeloom.domain.library import LibraryAnnotation, LibraryItem, LibraryNote, LibrarySnapshot
from citeloom.domain.projects.project import Project

from .entries import (
    ABSENT,
    AttachmentFile,
    FileState,
    Holding,
    Holdings,
    annotation_versions_digest,
    digest_of,
    entry_key,
    item_of,
    key_of,
    scope_name,
)


@dataclass(frozen=True, slots=True)
class SyncStateRecorder:
    """Records the entries of a snapshot. An entry without digest is unfinished: the next run
    processes it again, or removes its document."""

    snapshot: LibrarySnapshot
    attachments: Sequence[AttachmentFile]
    marks: Mapping[str, Sequence[LibraryAnnotation]]
    known: Mapping[str, LibraryEntry]
    followed: FollowedLibraries
    _begun: dict[str, LibraryEntry] = field(default_factory=dict, init=False)

    def begin(self, project: Project, holdings: Holdings, following: Following) -> None:
        """Record new entries, and changed ones as unfinished, with the new paths of their files."""
        begun = set(following.begun)
        for entry in self.entries(holdings, frozenset()):
            before = self.known.get(entry.key)
            if before is None:
                self._begun[entry.key] = replace(entry, digest="", annotations="")
            elif before != entry and before.digest:
                self._begun[entry.key] = replace(before, digest="")
            if before is not None and entry.stamp is not None and is_at_another_path(before, entry):
                begun.add(entry.stamp.path)
        if begun != set(following.begun):
            now = following.model_copy(update={"begun": tuple(sorted(begun))})
            self.followed.follow(project.id, now)
        self.followed.put_entries(project.id, self._begun.values())

    def finish(self, project: Project, entries: Iterable[LibraryEntry]) -> None:
        """Record the entries that differ from the recorded ones."""
        recorded = {**self.known, **self._begun}
        changed = [entry for entry in entries if recorded.get(entry.key) != entry]
        self.followed.put_entries(project.id, changed)

    def entries(
        self, holdings: Holdings, failed: frozenset[str], unmarked: Set[str] = frozenset()
    ) -> list[LibraryEntry]:
        """The entries after the run; ``failed`` are paths that were not stored, ``unmarked``
        keys of entries whose annotations were not."""
        things: list[LibraryItem | LibraryNote] = [*self.snapshot.items, *self.snapshot.notes]
        texts = [self._text_entry(thing, holdings, failed) for thing in things]
        files = [self._file_entry(one, holdings, failed) for one in self.attachments]
        return [
            replace(one, digest="", annotations="") if one.key in unmarked else one
            for one in (*texts, *files)
        ]

    def _text_entry(
        self, thing: LibraryItem | LibraryNote, holdings: Holdings, failed: frozenset[str]
    ) -> LibraryEntry:
        key = key_of(thing)
        note = isinstance(thing, LibraryNote)
        document_id = holdings.of_entry(key)
        holding = holdings.get(document_id) if document_id else None
        stamp = holding.stamps[0] if holding else None
        undone = stamp is not None and stamp.path in failed
        return LibraryEntry(
            key=key,
            kind=EntryKind.NOTE if note else EntryKind.ITEM,
            scope=scope_name(self.snapshot.scope),
            item=item_of(thing) if isinstance(thing, LibraryNote) else key,
            digest="" if undone else digest_of(thing),
            document_id=self._before(key) if undone else document_id,
            stamp=stamp,
        )

    def _file_entry(
        self, one: AttachmentFile, holdings: Holdings, failed: frozenset[str]
    ) -> LibraryEntry:
        undone = one.state is FileState.REFUSED or one.place in failed
        stamp = one.stamp
        if one.state in ABSENT and one.attachment.path is not None:
            stamp = SourceStamp.absent(one.attachment.path)
        return LibraryEntry(
            key=one.key,
            kind=EntryKind.ATTACHMENT,
            scope=scope_name(self.snapshot.scope),
            item=item_of(one.attachment),
            digest="" if undone else digest_of(one.attachment),
            document_id=self._before(one.key) if undone else holdings.of_entry(one.key),
            stamp=stamp,
            annotations=annotation_versions_digest(self.marks.get(one.key, ())),
        )

    def _before(self, key: str) -> str | None:
        """The former document of an entry, which stays until it is replaced."""
        entry = self.known.get(key)
        return entry.document_id if entry else None


def is_at_another_path(before: LibraryEntry, after: LibraryEntry) -> bool:
    """Whether the file of an entry has another path than before."""
    old, new = before.stamp, after.stamp
    return (old and old.path) != (new and new.path)


def marks_of(snapshot: LibrarySnapshot) -> Mapping[str, Sequence[LibraryAnnotation]]:
    """Annotations by the key of their attachment's entry."""
    marks: dict[str, list[LibraryAnnotation]] = defaultdict(list)
    for one in snapshot.annotations:
        marks[entry_key(one.library, one.attachment_key)].append(one)
    return marks


@dataclass
class AnnotationSync:
    """Annotates the documents whose annotations differ from those of their attachments. It compares
    what is stored with each document, because an earlier sync may have been stopped anywhere.
    ``documents`` counts the changed documents; ``undone`` are keys of entries whose annotations
    could not be stored."""

    annotate: Annotate
    catalogue: Catalogue
    marks: Mapping[str, Sequence[LibraryAnnotation]]
    documents: int = field(default=0, init=False)
    undone: set[str] = field(default_factory=set, init=False)

    def __call__(
        self, project: Project, holdings: Iterable[Holding], log: IngestLog
    ) -> Mapping[str, StoredDocument]:
        """The new states of annotated documents, by id."""
        by_id = {holding.document_id: holding for holding in holdings}
        marks = {
            document_id: [one for key in holding.entries for one in self.marks.get(key, ())]
            for document_id, holding in by_id.items()
        }
        due: list[Marked] = []
        for document_id in self.annotate.outdated(project, marks):
            stored = self.catalogue.document(project.id, document_id)
            if stored is not None:
                due.append((stored, marks[document_id]))
        changed: dict[str, StoredDocument] = {}
        for report in self.annotate.each(project, due) if due else ():
            for warning in report.warning_texts():
                log.warn(warning)
            document_id = report.document.document_id
            if report.problem:
                self.undone.update(by_id[document_id].entries)
            elif report.changed:
                changed[document_id] = report.document
        self.documents = len(changed)
        return changed


def removed_entries(
    known: Mapping[str, LibraryEntry],
    seen: Iterable[str],
    snapshot: LibrarySnapshot,
    *,
    prune: bool | None,
) -> list[LibraryEntry]:
    """Entries that have left the library, or in its scope.

    Empty for an incomplete snapshot, or with ``prune`` False. An entry last seen in another
    scope is included with ``prune`` True only.
    """
    if not snapshot.complete or prune is False:
        return []
    scope, seen_keys = scope_name(snapshot.scope), set(seen)
    return [
        entry
        for entry in known.values()
        if entry.key not in seen_keys and (prune or entry.scope == scope)
    ]


@dataclass(frozen=True)
class LibraryPruning:
    """Removes documents that no entry holds any more, unless they have other sources as well.
    The entries are removed last, so that an interrupted removal is repeated."""

    catalogue: Catalogue
    remover: Remover
    writer: PassageWriter
    followed: FollowedLibraries
    log: IngestLog

    def __call__(
        self,
        project: Project,
        before: Sequence[LibraryEntry],
        after: Iterable[LibraryEntry],
        left: set[str],
        begun: Iterable[str],
    ) -> None:
        """``before`` are entries that left or became another document, ``after`` all current
        entries; ``left`` are the keys of those that left, ``begun`` paths of a stopped run."""
        held_documents = {entry.document_id for entry in after}
        paths = {*begun, *(entry.stamp.path for entry in before if entry.stamp)}
        paths -= {entry.stamp.path for entry in after if entry.stamp}
        documents = self.catalogue.documents(project.id)
        removed = _abandoned(documents, held_documents)
        for document_id in _concerned(documents, before, paths):
            stored = self.catalogue.document(project.id, document_id)
            if stored is None:
                continue
            sources = tuple(one for one in stored.sources if one.path not in paths)
            if not sources and document_id not in held_documents:
                removed += [stored] if stored not in removed else []
                continue
            changes = {"sources": sources} | (
                {} if document_id in held_documents else {"held": None}
            )
            changed = stored.model_copy(update=changes)
            if sources and changed != stored:
                self.catalogue.put_document(changed, project.collection)
            if sources and sources[0].path != stored.sources[0].path:
                self.writer.place(project, changed)
        self.remover.documents(project, [d.document_id for d in removed])
        self.log.removed += len(removed)
        gone_documents = {e.document_id for e in before if e.key in left}
        for stored in removed:
            if stored.document_id in gone_documents:
                self.log.progress.notice(f"removed {_name(stored)}: no longer in the library")
        self.followed.remove_entries(project.id, left)


def _abandoned(
    documents: Iterable[StoredDocument], held_documents: set[str | None]
) -> list[StoredDocument]:
    """Documents of the library that a stopped run did not finish and that no entry holds."""
    return [
        document
        for document in documents
        if document.held is not None
        and document.embedding == UNFINISHED
        and document.document_id not in held_documents
    ]


def _concerned(
    documents: Iterable[StoredDocument], before: Iterable[LibraryEntry], paths: set[str]
) -> list[str]:
    """Ids of the documents of the entries, and of others at their paths: a stopped run gives a
    changed file to another document before the entry says so."""
    own = [entry.document_id for entry in before if entry.document_id]
    at_paths = [
        document.document_id
        for document in documents
        if any(source.path in paths for source in document.sources)
    ]
    return list(dict.fromkeys([*own, *at_paths]))


def _name(stored: StoredDocument) -> str:
    path = stored.path or stored.document_id[:16]
    return f"{stored.citation.citekey} ({path})" if stored.citation else path
