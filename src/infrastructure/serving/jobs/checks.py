"""Verification, validation and look-up jobs: checks of a draft, of projects and of citations."""

import threading
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from citeloom.application.validation.checks import Validation
from citeloom.application.validation.validate import ValidateRequest
from citeloom.application.verification.verify import VerifyRequest
from citeloom.domain.references.lookup import IdentifyRequest, IdentifyResult
from citeloom.domain.verification.drafts.draft import Verification

from .job import Advance, Job, JobKind, Result, request_json, result_json, result_of
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
#: Characters of a draft that is handed over as text; a long book has that many.
MAX_DRAFT: Final = 1_000_000

Told = Callable[[int, int], None]
_C = TypeVar("_C", bound=VerifyRequest | ValidateRequest | IdentifyRequest)


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
