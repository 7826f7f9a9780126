"""Validation jobs."""

import threading
from collections.abc import Callable
from typing import Final

from citeloom.application.validation.checks import Validation
from citeloom.application.validation.validate import ValidateRequest
from citeloom.infrastructure.mcp.jobs.job import Advance, Job
from citeloom.infrastructure.mcp.jobs.queue import Jobs

_NAME: Final = "validation"

ValidateVerb = Callable[[ValidateRequest, Callable[[int, int], None]], Validation]


class ValidateJob(Job[ValidateRequest, Validation]):
    """Checks of one project, or of all: then ``project`` is empty."""

    kind = _NAME

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


def validations(validate: ValidateVerb) -> Jobs[ValidateRequest, ValidateJob]:
    return Jobs(_NAME, lambda request, stopping: ValidateJob(request, stopping, validate))
