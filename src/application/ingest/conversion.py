"""Conversion of documents, each from the first of its files that can be converted."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from copy import copy
from typing import NamedTuple

from citeloom.application.documents.stores import password_for
from citeloom.application.ingest.plan import IngestTask
from citeloom.application.ports.ingest import (
    BundleStore,
    ConversionJob,
    ConversionOutcome,
    Converter,
    EmbeddingPlan,
    IngestStage,
    Progress,
    Refusal,
)
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import (
    CiteLoomError,
    ConversionFailed,
    DocumentTooLarge,
    SourceChanged,
)
from citeloom.domain.ingest.request import IngestRequest
from citeloom.domain.messages import UserMessage

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


class DocumentConversion:
    """Converts documents. Of a document with several files another one is tried if a file has a
    name that does not fit its content, has another password, or was changed meanwhile. A document
    that was too large is not tried again until the converter or its limits change."""

    def __init__(
        self,
        converter: Converter,
        bundles: BundleStore,
        request: IngestRequest,
        progress: Progress,
        embedding: EmbeddingPlan | None = None,
    ) -> None:
        self._converter = converter
        self._bundles = bundles
        self._request = request
        self._progress = progress
        self._embedding = embedding

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
            with closing(self._converter.convert(self._jobs(rest), self._heard)) as outcomes:
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
        refusal = None if self._request.force else self._bundles.refusal(document_id)
        known = refusal is not None and refusal.capacity == self._converter.capacity
        return refusal.reason if refusal is not None and known else None

    def _remember(self, outcome: ConversionOutcome) -> None:
        if isinstance(outcome.error, DocumentTooLarge):
            beginning = f"{outcome.job.source.name}: "
            self._bundles.refuse(
                outcome.job.document_id,
                Refusal(
                    reason=outcome.error.message.removeprefix(beginning),
                    capacity=self._converter.capacity,
                ),
            )

    def _jobs(self, work: Mapping[str, "_Attempts"]) -> Iterator[ConversionJob]:
        for document_id, attempts in work.items():
            task = attempts.next()
            if task is not None:
                self._progress.stage(str(task.path), IngestStage.CONVERTING)
                yield ConversionJob(
                    source=task.path,
                    document_id=document_id,
                    password=self._password(task),
                    embedding=self._embedding,
                )

    def _password(self, task: IngestTask) -> str | None:
        return password_for(task.path.name, self._request.passwords, self._request.password)

    def _heard(self, job: ConversionJob, done: int, total: int) -> None:
        self._progress.pages(str(job.source), done, total)


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
