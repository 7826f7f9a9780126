"""Verification jobs."""

import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

from citeloom.application.verification.verify import VerifyRequest
from citeloom.domain.verification.drafts.findings import Verification
from citeloom.infrastructure.serving.jobs.job import Job
from citeloom.infrastructure.serving.jobs.queue import Jobs
from citeloom.infrastructure.serving.jobs.record.kinds import (
    JobKind,
    request_json,
    result_json,
    result_of,
)
from citeloom.infrastructure.serving.jobs.record.recorder import Recorder
from citeloom.infrastructure.serving.jobs.view import Advance

TOOL: Final = "verify"
KIND: Final = JobKind[VerifyRequest, Verification](
    "verify", TOOL, request_json, result_json, result_of(Verification)
)
#: Characters of a draft that is handed over as text; a long book has that many.
MAX_DRAFT: Final = 1_000_000

VerifyVerb = Callable[[VerifyRequest, Callable[[int, int], None]], Verification]


class VerifyJob(Job[VerifyRequest, Verification]):
    """One draft. ``total`` is None until it has been read; both count citations."""

    kind = KIND.name

    def __init__(
        self, request: VerifyRequest, stopping: threading.Event, verify: VerifyVerb
    ) -> None:
        super().__init__(request, stopping)
        self.done = 0
        self.total: int | None = None
        self._verify = verify

    def work(self) -> Verification:
        return self._verify(self.asked, self._told)

    @property
    def project(self) -> str:
        return self.asked.project_id.value

    def advance(self) -> Advance:
        return Advance(self.done, self.total, "checking citations")

    def counts(self) -> Mapping[str, Any]:
        return {"checked": self.done} | ({} if self.total is None else {"citations": self.total})

    def _told(self, done: int, total: int) -> None:
        self.done, self.total = done, total


def checks(
    verify: VerifyVerb, recorder: Recorder, most: int = 0
) -> Jobs[VerifyRequest, Verification]:
    return Jobs(KIND, lambda asked, stop: VerifyJob(asked, stop, verify), recorder, most)
