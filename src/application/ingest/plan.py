"""Ingest plan: the needs of a file, quotas, and the conversion of changed files."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from copy import copy
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from citeloom.application.documents.stores import password_for
from citeloom.application.ports.catalogue import CatalogueAmounts, SourceStamp, StoredDocument
from citeloom.application.ports.ingest import (
    BundleStore,
    ConversionJob,
    ConversionOutcome,
    Converter,
    EmbeddingPlan,
    FoundFile,
    IngestStage,
    Progress,
    Refusal,
    SourceFiles,
)
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import CiteLoomError, ConversionFailed, DocumentTooLarge, SourceChanged
from citeloom.domain.ingest import IngestRequest
from citeloom.domain.messages import UserMessage
from citeloom.domain.progress import checkpoint
from citeloom.domain.projects.project import QuotaExceeded
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

    @property
    def source(self) -> str:
        """The path, or the address of a text that is not a file."""
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
            digest = file.digest or self._files.sha256(file.path)
        except OSError as error:
            reason = error.strerror or str(error)
            return IngestTask(path=file.path, need=Need.UNREADABLE, problem=reason)
        if same := self._by_id.get(digest):
            return self._known(file, same)
        return IngestTask(
            path=file.path,
            need=Need.WORK,
            document_id=digest,
            stamp=file.stamp,
            replaces=known.document_id if known else None,
        )

    def _known(self, file: FoundFile, document: StoredDocument) -> IngestTask:
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
        )


def with_source(
    sources: Sequence[SourceStamp], stamp: SourceStamp | None
) -> tuple[SourceStamp, ...]:
    """The sources of a document with one added or replaced, in the order first seen."""
    by_path: Mapping[str, SourceStamp] = {s.path: s for s in sources}
    merged = {**by_path, **({stamp.path: stamp} if stamp else {})}
    return tuple(merged.values())


_MEGABYTE: Final = 1_000_000


class ProjectQuota(Value):
    """Documents, passages and megabytes of files that a project may hold; 0: any number."""

    documents: int = 0
    passages: int = 0
    megabytes: int = 0


UNLIMITED: Final = ProjectQuota()


class QuotaCheck:
    """Counts the new documents of one run in addition to the stored ones. Passages are known only
    after the work: a full project takes no new document."""

    def __init__(self, quota: ProjectQuota, project: str, held: CatalogueAmounts) -> None:
        self._quota = quota
        self._project = project
        self._passages = held.passages
        self._documents = held.documents
        self._bytes = held.file_bytes
        self._counted: set[str | None] = set()

    def refusal(self, task: IngestTask) -> QuotaExceeded | None:
        """Of a document that the project has not, in whatever version."""
        is_new = task.need is Need.WORK and task.stored is None and task.replaces is None
        if not is_new or task.document_id in self._counted:
            return None
        size = task.stamp.size if task.stamp else 0
        quota = self._quota
        if quota.documents and self._documents >= quota.documents:
            return self._exceeded(task, "documents", quota.documents)
        if quota.passages and self._passages >= quota.passages:
            return self._exceeded(task, "passages", quota.passages)
        if quota.megabytes and self._bytes + size > quota.megabytes * _MEGABYTE:
            return self._exceeded(task, "megabytes", quota.megabytes)
        self._documents += 1
        self._bytes += size
        self._counted.add(task.document_id)
        return None

    def _exceeded(self, task: IngestTask, name: str, most: int) -> QuotaExceeded:
        return QuotaExceeded(task.path.name, self._project, f"quota.project_{name}", most)


# What a conversion depends on, besides the content: suffix and password.
_Key = tuple[str, str | None]
_PasswordOf = Callable[[IngestTask], str | None]


class Converted(NamedTuple):
    """The conversion of one document. ``tasks`` are those of its files, the converted one first;
    ``failures`` are the others with their errors; ``seconds`` is the time of all attempts."""

    tasks: Sequence[IngestTask]
    failures: Sequence[tuple[IngestTask, CiteLoomError]]
    result: ConversionResult | None
    seconds: float


@dataclass(frozen=True, slots=True)
class DocumentConversion:
    """Converts documents. Of a document with several files another one is tried if a file has a
    name that does not fit its content, has another password, or was changed meanwhile. A document
    that was too large is not tried again until the converter or its limits change."""

    converter: Converter
    bundles: BundleStore
    request: IngestRequest
    progress: Progress
    embedding: EmbeddingPlan | None = None

    def __call__(
        self, work: Mapping[str, Sequence[IngestTask]]
    ) -> Generator[Converted, None, None]:
        """The conversions of documents by id, as they are ready."""
        rest = {}
        for document_id, tasks in work.items():
            if (refusal := self._refusal(document_id)) is None:
                rest[document_id] = _Attempts(tasks, self._password)
            else:
                errors = (DocumentTooLarge(f"{task.path.name}: {refusal}") for task in tasks)
                yield Converted([], list(zip(tasks, errors, strict=True)), None, 0.0)
        while rest:
            with closing(self.converter.convert(self._jobs(rest), self._heard)) as outcomes:
                again: dict[str, _Attempts] = {}
                for outcome in outcomes:
                    attempts = rest[outcome.job.document_id]
                    attempts.take(outcome)
                    self._remember(outcome)
                    if outcome.result is None and attempts.next() is not None:
                        again[outcome.job.document_id] = attempts
                    else:
                        yield attempts.converted(outcome.result)
            rest = again

    def _refusal(self, document_id: str) -> str | None:
        """Why the document was too large, if it is so still."""
        refusal = None if self.request.force else self.bundles.refusal(document_id)
        known = refusal is not None and refusal.capacity == self.converter.capacity
        return refusal.reason if refusal is not None and known else None

    def _remember(self, outcome: ConversionOutcome) -> None:
        if isinstance(outcome.error, DocumentTooLarge):
            beginning = f"{outcome.job.source.name}: "
            self.bundles.refuse(
                outcome.job.document_id,
                Refusal(
                    reason=outcome.error.message.removeprefix(beginning),
                    capacity=self.converter.capacity,
                ),
            )

    def _jobs(self, work: Mapping[str, "_Attempts"]) -> Iterator[ConversionJob]:
        for document_id, attempts in work.items():
            task = attempts.next()
            if task is not None:
                self.progress.stage(str(task.path), IngestStage.CONVERTING)
                yield ConversionJob(
                    source=task.path,
                    document_id=document_id,
                    password=self._password(task),
                    embedding=self.embedding,
                )

    def _password(self, task: IngestTask) -> str | None:
        return password_for(task.path.name, self.request.passwords, self.request.password)

    def _heard(self, job: ConversionJob, done: int, total: int) -> None:
        self.progress.pages(str(job.source), done, total)


class _Attempts:
    """The files of one document, and the errors of those tried."""

    def __init__(self, tasks: Sequence[IngestTask], password: _PasswordOf) -> None:
        self._waiting = list(tasks)
        self._keys = {task.path: (task.path.suffix.lower(), password(task)) for task in tasks}
        self._changed: list[tuple[IngestTask, CiteLoomError]] = []
        self._failed: dict[_Key, tuple[IngestTask, CiteLoomError]] = {}
        self._seconds = 0.0

    def next(self) -> IngestTask | None:
        """The file to try next; None if the others would fail as those before."""
        open_tasks = (one for one in self._waiting if self._keys[one.path] not in self._failed)
        return next(open_tasks, None)

    def take(self, outcome: ConversionOutcome) -> None:
        """Take the outcome of the file tried."""
        self._seconds += outcome.seconds
        task = next(one for one in self._waiting if one.path == outcome.job.source)
        if outcome.result is not None:
            self._waiting.remove(task)
            self._waiting.insert(0, task)
            return
        error = outcome.error or ConversionFailed(f"{outcome.job.source}: no result")
        if isinstance(error, SourceChanged):
            self._waiting.remove(task)
            self._changed.append((task, error))
        else:
            self._failed[self._keys[task.path]] = (task, error)

    def converted(self, result: ConversionResult | None) -> Converted:
        failures = list(self._changed)
        if result is None:
            failures += [(one, self._error(one)) for one in self._waiting]
        tasks = self._waiting if result is not None else []
        return Converted(tasks, failures, result, self._seconds)

    def _error(self, task: IngestTask) -> CiteLoomError:
        """The error of the tried file of this kind, with the name of this one."""
        tried, error = self._failed[self._keys[task.path]]
        beginning = f"{tried.path.name}: "
        if tried is task or not error.message.startswith(beginning):
            return error
        renamed = copy(error)
        reason = error.message.removeprefix(beginning)
        renamed.message = UserMessage(f"{task.path.name}: {reason}", error.next_step)
        return renamed
