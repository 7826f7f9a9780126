"""Sync state of library entries: marked unfinished before storage, finished after it."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence, Set

from citeloom.application.library.attachments import ABSENT, AttachmentFile, FileState
from citeloom.application.library.entries import (
    annotation_versions_digest,
    digest_of,
    item_of,
    key_of,
    scope_name,
)
from citeloom.application.library.holdings import Holdings
from citeloom.application.ports.catalogue import SourceStamp
from citeloom.application.ports.library import (
    EntryKind,
    FollowedLibraries,
    Following,
    LibraryEntry,
)
from citeloom.domain.library.snapshot import (
    LibraryAnnotation,
    LibraryItem,
    LibraryNote,
    LibrarySnapshot,
)
from citeloom.domain.projects.project import Project


class SyncStateRecorder:
    """Records the entries of a snapshot. An entry without digest is unfinished: the next run
    processes it again, or removes its document."""

    def __init__(
        self,
        snapshot: LibrarySnapshot,
        attachments: Sequence[AttachmentFile],
        marks: Mapping[str, Sequence[LibraryAnnotation]],
        known: Mapping[str, LibraryEntry],
        followed: FollowedLibraries,
    ) -> None:
        self._snapshot = snapshot
        self._attachments = attachments
        self._marks = marks
        self._known = known
        self._followed = followed
        self._scope = scope_name(snapshot.scope)
        self._begun: dict[str, LibraryEntry] = {}

    def begin(self, project: Project, holdings: Holdings, following: Following) -> None:
        """Record new entries, and changed ones as unfinished, with the new paths of their files."""
        begun = set(following.begun)
        for entry in self.entries(holdings, frozenset()):
            before = self._known.get(entry.key)
            if before is None:
                self._begun[entry.key] = dataclasses.replace(entry, digest="", annotations="")
            elif before != entry and before.digest:
                self._begun[entry.key] = dataclasses.replace(before, digest="")
            if before is not None and entry.stamp is not None and is_at_another_path(before, entry):
                begun.add(entry.stamp.path)
        if begun != set(following.begun):
            now = following.model_copy(update={"begun": tuple(sorted(begun))})
            self._followed.follow(project.id, now)
        self._followed.put_entries(project.id, self._begun.values())

    def finish(self, project: Project, entries: Iterable[LibraryEntry]) -> None:
        """Record the entries that differ from the recorded ones."""
        recorded = {**self._known, **self._begun}
        changed = [entry for entry in entries if recorded.get(entry.key) != entry]
        self._followed.put_entries(project.id, changed)

    def entries(
        self, holdings: Holdings, failed: frozenset[str], unmarked: Set[str] = frozenset()
    ) -> list[LibraryEntry]:
        """The entries after the run; ``failed`` are paths that were not stored, ``unmarked``
        keys of entries whose annotations were not."""
        things: list[LibraryItem | LibraryNote] = [*self._snapshot.items, *self._snapshot.notes]
        texts = [self._text_entry(thing, holdings, failed) for thing in things]
        files = [self._file_entry(one, holdings, failed) for one in self._attachments]
        return [
            dataclasses.replace(one, digest="", annotations="") if one.key in unmarked else one
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
            scope=self._scope,
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
            scope=self._scope,
            item=item_of(one.attachment),
            digest="" if undone else digest_of(one.attachment),
            document_id=self._before(one.key) if undone else holdings.of_entry(one.key),
            stamp=stamp,
            annotations=annotation_versions_digest(self._marks.get(one.key, ())),
        )

    def _before(self, key: str) -> str | None:
        """The former document of an entry, which stays until it is replaced."""
        entry = self._known.get(key)
        return entry.document_id if entry else None


def is_at_another_path(before: LibraryEntry, after: LibraryEntry) -> bool:
    """Whether the file of an entry has another path than before."""
    old, new = before.stamp, after.stamp
    return (old and old.path) != (new and new.path)
