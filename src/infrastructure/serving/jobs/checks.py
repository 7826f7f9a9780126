"""Verification, validation, look-up and table jobs: checks of a draft, of projects and of
citations, and what papers say to questions."""

import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

from citeloom.application.review.table import TableRequest
from citeloom.application.validation.checks import Validation
from citeloom.application.validation.validate import ValidateRequest
from citeloom.application.verification.verify import VerifyRequest
from citeloom.domain.references.lookup import IdentifyRequest, IdentifyResult
from citeloom.domain.review.report.table import PaperTable
from citeloom.domain.verification.drafts.draft import Verification

from .job import Advance, Asked, Job, JobKind, Result, request_json, result_json, result_of
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
TABLE: Final = JobKind[TableRequest, PaperTable](
    "table", "table", request_json, result_json, result_of(PaperTable)
)
#: Characters of a draft that is handed over as text; a long book has that many.
MAX_DRAFT: Final = 1_000_000

Told = Callable[[int, int], None]
VerifyVerb = Callable[[VerifyRequest, Told], Verification]
ValidateVerb = Callable[[ValidateRequest, Told], Validation]
LookupVerb = Callable[[IdentifyRequest, Told], IdentifyResult]
TableVerb = Callable[[TableRequest, Told], PaperTable]


class CheckJob(Job[Asked, Result]):
    """``done`` of ``total`` are checked; ``total`` is None until that is known."""

    doing: str

    def __init__(
        self, asked: Asked, stopping: threading.Event, check: Callable[[Asked, Told], Result]
    ) -> None:
        super().__init__(asked, stopping)
        self.done = 0
        self.total: int | None = None
        self._check = check

    def work(self) -> Result:
        return self._check(self.asked, self._told)

    def advance(self) -> Advance:
        return Advance(self.done, self.total, self.doing)

    def _told(self, done: int, total: int) -> None:
        self.done, self.total = done, total


class VerifyJob(CheckJob[VerifyRequest, Verification]):
    """One draft, in citations."""

    kind = VERIFICATION.name
    doing = "checking citations"

    @property
    def project(self) -> str:
        return self.asked.project_id.value

    def counts(self) -> Mapping[str, Any]:
        return {"checked": self.done} | ({} if self.total is None else {"citations": self.total})


class ValidateJob(CheckJob[ValidateRequest, Validation]):
    """One project, or all: then ``project`` is empty. In projects."""

    kind = VALIDATION.name
    doing = "checking projects"

    @property
    def project(self) -> str:
        return self.asked.project_id.value if self.asked.project_id else ""


class LookupJob(CheckJob[IdentifyRequest, IdentifyResult]):
    """Documents of one project, in documents."""

    kind = LOOKUP.name
    doing = "looking up papers"

    @property
    def project(self) -> str:
        return self.asked.project_id.value


class TableJob(CheckJob[TableRequest, PaperTable]):
    """The table of one project, in cells."""

    kind = TABLE.name
    doing = "reading papers"

    @property
    def project(self) -> str:
        return self.asked.project_id.value


def verifications(
    verify: VerifyVerb, recorder: Recorder, most: int = 0
) -> Jobs[VerifyRequest, Verification]:
    return Jobs(VERIFICATION, lambda asked, stop: VerifyJob(asked, stop, verify), recorder, most)


def validations(
    validate: ValidateVerb, recorder: Recorder, most: int = 0
) -> Jobs[ValidateRequest, Validation]:
    return Jobs(VALIDATION, lambda asked, stop: ValidateJob(asked, stop, validate), recorder, most)


def lookups(
    look_up: LookupVerb, recorder: Recorder, most: int = 0
) -> Jobs[IdentifyRequest, IdentifyResult]:
    return Jobs(LOOKUP, lambda asked, stop: LookupJob(asked, stop, look_up), recorder, most)


def paper_tables(
    fill: TableVerb, recorder: Recorder, most: int = 0
) -> Jobs[TableRequest, PaperTable]:
    return Jobs(TABLE, lambda asked, stop: TableJob(asked, stop, fill), recorder, most)
