"""Verification jobs."""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from citeloom.application.documents.folder_access import FolderAccess
from citeloom.application.ports.verification import DraftMarkup, DraftText
from citeloom.application.projects.choice import ProjectChoice
from citeloom.application.verification.verify import VerifyRequest
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.verification.drafts.citation_forms import guessed_format
from citeloom.domain.verification.drafts.findings import Verification
from citeloom.infrastructure.mcp.contract.errors import MissingParameter
from citeloom.infrastructure.mcp.contract.parameters.drafts import VerifyParameters
from citeloom.infrastructure.mcp.jobs.job import Job
from citeloom.infrastructure.mcp.jobs.queue import Jobs
from citeloom.infrastructure.mcp.jobs.record.kinds import (
    JobKind,
    request_json,
    result_json,
    result_of,
)
from citeloom.infrastructure.mcp.jobs.record.recorder import Recorder
from citeloom.infrastructure.mcp.jobs.view import Advance

TOOL: Final = "verify"
KIND: Final = JobKind[VerifyRequest, Verification](
    "verify", TOOL, request_json, result_json, result_of(Verification)
)
_OF_A_DRAFT: Final = ("project", "text", "path", "format", "uncited")

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


def request(
    parameters: VerifyParameters, choice: ProjectChoice, access: FolderAccess
) -> VerifyRequest:
    """Of a draft that is given as ``text`` or ``path``. Raises MissingParameter,
    InvalidRequest, ProjectNotChosen, OutsideFolders."""
    if parameters.path is None:
        if not parameters.text:
            raise MissingParameter("text", "or give the path of a draft, or a job_id alone")
        markup = parameters.format or guessed_format(parameters.text)
        draft: Path | DraftText = DraftText(text=parameters.text, markup=DraftMarkup(markup))
    else:
        for name in ("text", "format"):
            if getattr(parameters, name) is not None:
                raise InvalidRequest(f"{name}: does not go with path; leave it out", parameter=name)
        draft = access.draft(parameters.path, "path").path
    return VerifyRequest(
        project_id=choice(parameters.project), draft=draft, uncited=parameters.uncited
    )


def refuse_beside_job(parameters: VerifyParameters) -> None:
    """Raises InvalidRequest for what a job cannot be asked: it has its draft."""
    for name in _OF_A_DRAFT:
        if getattr(parameters, name):
            raise InvalidRequest(
                f"{name}: does not go with job_id; leave it out, or job_id", parameter=name
            )
