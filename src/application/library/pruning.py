"""Pruning: removal of documents that are no longer in the library."""

from collections.abc import Iterable, Mapping, Sequence

from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.index.removal import Remover
from citeloom.application.ingest.report import IngestLog
from citeloom.application.library.entries import scope_name
from citeloom.application.ports.catalogue import UNFINISHED, Catalogue, StoredDocument
from citeloom.application.ports.library import FollowedLibraries, LibraryEntry
from citeloom.domain.library.snapshot import LibrarySnapshot
from citeloom.domain.projects.project import Project


def removed_entries(
    known: Mapping[str, LibraryEntry],
    seen: Iterable[str],
    snapshot: LibrarySnapshot,
    *,
    prune: bool | None,
) -> list[LibraryEntry]:
    """Entries that are no longer in the library, or in its scope.

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


class LibraryPruning:
    """Removes documents that no entry holds any more, unless they have other sources as well.
    The entries are removed last, so that an interrupted removal is repeated."""

    def __init__(
        self,
        *,
        catalogue: Catalogue,
        remover: Remover,
        writer: PassageWriter,
        followed: FollowedLibraries,
        log: IngestLog,
    ) -> None:
        self._catalogue = catalogue
        self._remover = remover
        self._writer = writer
        self._followed = followed
        self._log = log

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
        documents = self._catalogue.documents(project.id)
        removed = _abandoned(documents, held_documents)
        for document_id in _concerned(documents, before, paths):
            stored = self._catalogue.document(project.id, document_id)
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
                self._catalogue.put_document(changed, project.collection)
            if sources and sources[0].path != stored.sources[0].path:
                self._writer.place(project, changed)
        self._remover.documents(project, [d.document_id for d in removed])
        self._log.removed += len(removed)
        gone_documents = {e.document_id for e in before if e.key in left}
        for stored in removed:
            if stored.document_id in gone_documents:
                self._log.progress.notice(f"removed {_name(stored)}: no longer in the library")
        self._followed.remove_entries(project.id, left)


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
