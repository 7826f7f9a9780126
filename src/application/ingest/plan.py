"""Ingest plan: new, changed, moved, unchanged and unreadable files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from citeloom.application.ports.catalogue import SourceStamp, StoredDocument
from citeloom.application.ports.ingest import FoundFile, SourceFiles
from citeloom.domain.cancellation import checkpoint
from citeloom.domain.value import Value


@dataclass(frozen=True, slots=True)
class StageFingerprints:
    """The current fingerprints of the stages; ``is_current`` judges that of a conversion."""

    is_current: Callable[[str], bool]
    chunking: str
    embedding: str

    def is_current_for(self, document: StoredDocument) -> bool:
        """Whether all stored results of the document are current."""
        return (
            self.is_current(document.conversion)
            and document.chunking == self.chunking
            and document.embedding == self.embedding
        )


class Need(StrEnum):
    NOTHING = "nothing"
    WORK = "work"
    UNREADABLE = "unreadable"


class IngestTask(Value):
    """One file with the work that it needs. ``stored`` is the document of its content, if the
    project has it; ``replaces`` is the former document of the same path."""

    path: Path
    need: Need
    document_id: str | None = None
    stamp: SourceStamp | None = None
    stored: StoredDocument | None = None
    replaces: str | None = None
    problem: str | None = None
    new_path: bool = False

    @property
    def source(self) -> str:
        """The path, or the address of a text that is no file."""
        return self.stamp.path if self.stamp else str(self.path)


class IngestPlanner:
    """Compares files with stored documents; opens only files whose stamp changed."""

    def __init__(
        self,
        stored: Sequence[StoredDocument],
        files: SourceFiles,
        stages: StageFingerprints,
        *,
        force: bool,
    ) -> None:
        self._by_id = {d.document_id: d for d in stored}
        self._by_path = {s.path: (d, s) for d in stored for s in d.sources}
        self._files = files
        self._stages = stages
        self._force = force

    def plan(self, files: Sequence[FoundFile]) -> list[IngestTask]:
        return [self._task(file) for file in files]

    def _task(self, file: FoundFile) -> IngestTask:
        if file.problem or file.stamp is None:
            return IngestTask(path=file.path, need=Need.UNREADABLE, problem=file.problem)
        known, stamp = self._by_path.get(str(file.path), (None, None))
        if known and stamp == file.stamp:
            return self._known(file, known)
        checkpoint()
        try:
            digest = self._files.sha256(file.path)
        except OSError as error:
            reason = error.strerror or str(error)
            return IngestTask(path=file.path, need=Need.UNREADABLE, problem=reason)
        if same := self._by_id.get(digest):
            return self._known(file, same, new_path=True)
        return IngestTask(
            path=file.path,
            need=Need.WORK,
            document_id=digest,
            stamp=file.stamp,
            replaces=known.document_id if known else None,
            new_path=True,
        )

    def _known(
        self, file: FoundFile, document: StoredDocument, *, new_path: bool = False
    ) -> IngestTask:
        # One without a path was being removed by a run that was killed: passages may be gone.
        is_current = bool(document.sources) and self._stages.is_current_for(document)
        done = is_current and not self._force
        before = self._by_path.get(str(file.path))
        replaced = before[0].document_id if before else None
        return IngestTask(
            path=file.path,
            need=Need.NOTHING if done else Need.WORK,
            document_id=document.document_id,
            stamp=file.stamp,
            stored=document,
            replaces=replaced if replaced != document.document_id else None,
            new_path=new_path,
        )


def with_source(
    sources: Sequence[SourceStamp], stamp: SourceStamp | None
) -> tuple[SourceStamp, ...]:
    """The sources of a document with one added or replaced, in the order first seen."""
    by_path: Mapping[str, SourceStamp] = {s.path: s for s in sources}
    merged = {**by_path, **({stamp.path: stamp} if stamp else {})}
    return tuple(merged.values())
