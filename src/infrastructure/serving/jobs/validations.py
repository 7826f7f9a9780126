"""Validation jobs."""

import threading
from collections.abc import Callable
from typing import Final

from citeloom.application.validation.checks import Validation
from citeloom.application.validation.validate import ValidateRequest
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

KIND: Final = JobKind[ValidateRequest, Validation](
    "validation", "validation", request_json, result_json, result_of(Validation)
)

ValidateVerb = Callable[[ValidateRequest, Callable[[int, int], None]], Validation]


class ValidateJob(Job[ValidateRequest, Validation]):
    """Checks of one project, or of all: then ``project`` is empty."""

    kind = KIND.name

    def __init__(
        self, request: ValidateRequest, stopping: threading.Event, validate: ValidateVerb
    ) -> None:
        super().__init__(request, stopping)
        self._done = 0
        self._total: int | None = None
        self._validate = validate

    def work(self) -> Validation:
        return self._validate(self.asked, self._told)

    @property
    def project(self) -> str:
        return self.asked.project_id.value if self.asked.project_id else ""

    def advance(self) -> Advance:
        """In projects."""
        return Advance(self._done, self._total, "checking projects")

    def _told(self, done: int, total: int) -> None:
        self._done, self._total = done, total


def validations(
    validate: ValidateVerb, recorder: Recorder, most: int = 0
) -> Jobs[ValidateRequest, Validation]:
    return Jobs(KIND, lambda asked, stop: ValidateJob(asked, stop, validate), recorder, most)
