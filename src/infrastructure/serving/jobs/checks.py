"""Jobs of verification, validation, look-up and tables; and of answers in checked sentences."""

import threading
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from citeloom.application.validation.checks import Validation
from citeloom.application.validation.validate import ValidateRequest
from citeloom.application.verification.verify import VerifyRequest
from citeloom.domain.progress import Cancelled
from citeloom.domain.references.lookup import IdentifyRequest, IdentifyResult
from citeloom.domain.review.answer import AskRequest, WrittenAnswer
from citeloom.domain.review.report.table import PaperTable, TableRequest
from citeloom.domain.verification.drafts.draft import Verification

from .job import Advance, Job, JobKind, JobView, Result, request_json, result_json, result_of
from .queue import Jobs, Recorder

VERIFICATION: Final = JobKind[VerifyRequest, Verification](
    "verify", "verify", request_json, result_json, result_of(Verification)
)
VALIDATION: Final = JobKind[ValidateRequest, Validation](
    "validation", "validation", request_json, result_json, result_of(Validation)
)
LOOKUP: Final = JobKind[IdentifyRequest, IdentifyResult](
    "lookup", "identify", request_json, result_json, result_of(IdentifyResult)
)
ANSWER: Final = JobKind[AskRequest, WrittenAnswer](
    "ask", "ask", request_json, result_json, result_of(WrittenAnswer)
)
TABLE: Final = JobKind[TableRequest, PaperTable](
    "table", "table", request_json, result_json, result_of(PaperTable)
)
#: Characters of a draft that is handed over as text; a long book has that many.
MAX_DRAFT: Final = 1_000_000

Told = Callable[[int, int], None]
_C = TypeVar("_C", bound=VerifyRequest | ValidateRequest | IdentifyRequest | TableRequest)
AskVerb = Callable[[AskRequest, Callable[[WrittenAnswer], None]], WrittenAnswer]


class CheckJob(Job[_C, Result]):
    """``done`` of ``total`` are checked; ``total`` is None until that is known. ``project`` is
    empty for all projects. ``check`` is what it does, which ``doing`` names for people."""

    def __init__(
        self,
        asked: _C,
        stopping: threading.Event,
        kind: JobKind[_C, Result],
        doing: str,
        check: Callable[[_C, Told], Result],
    ) -> None:
        super().__init__(asked, stopping)
        self.kind = kind.name
        self.done = 0
        self.total: int | None = None
        self._doing = doing
        self._check = check

    @property
    def project(self) -> str:
        return self.asked.project_id.value if self.asked.project_id else ""

    def work(self) -> Result:
        return self._check(self.asked, self._told)

    def advance(self) -> Advance:
        return Advance(self.done, self.total, self._doing)

    def counts(self) -> Mapping[str, Any]:
        if self.kind != VERIFICATION.name:
            return {}
        return {"checked": self.done} | ({} if self.total is None else {"citations": self.total})

    def _told(self, done: int, total: int) -> None:
        self.done, self.total = done, total


def checks(
    kind: JobKind[_C, Result],
    doing: str,
    check: Callable[[_C, Told], Result],
    recorder: Recorder,
    most: int = 0,
) -> Jobs[_C, Result]:
    return Jobs(kind, lambda asked, stop: CheckJob(asked, stop, kind, doing, check), recorder, most)


class AnswerJob(Job[AskRequest, WrittenAnswer]):
    """An answer, in checked sentences. ``written`` is the part so far."""

    kind = ANSWER.name

    def __init__(self, asked: AskRequest, stopping: threading.Event, ask: AskVerb) -> None:
        super().__init__(asked, stopping)
        self.written: WrittenAnswer | None = None
        self._ask = ask

    @property
    def project(self) -> str:
        return self.asked.project_id.value

    def work(self) -> WrittenAnswer:
        return self._ask(self.asked, self._told)

    def advance(self) -> Advance:
        if self.written is None:
            return Advance(0, None, "searching")
        return Advance(len(self.written.sentences), None, "writing and checking sentences")

    def _told(self, answer: WrittenAnswer) -> None:
        self.written = answer


def written_so_far(job: JobView[WrittenAnswer]) -> WrittenAnswer | None:
    """The answer as far as this process knows it. Raises what ended the job, unless that was a
    cancellation in the middle of an answer."""
    known = job.written if isinstance(job, AnswerJob) else None
    if not job.has_ended or (known and isinstance(job.error, Cancelled)):
        return known
    return job.result()


def answers(ask: AskVerb, recorder: Recorder, most: int = 0) -> Jobs[AskRequest, WrittenAnswer]:
    return Jobs(ANSWER, lambda asked, stop: AnswerJob(asked, stop, ask), recorder, most)
