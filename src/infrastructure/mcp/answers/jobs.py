"""Answers about jobs: one that goes on or was cancelled, and the list of all."""

from collections.abc import Sequence
from typing import Any, Final

from citeloom.application.review.roles import EXTRACTIVE
from citeloom.application.validation.checks import Status
from citeloom.infrastructure.mcp.answers.contents import Content, Entry, JobReply, fitting
from citeloom.infrastructure.mcp.answers.ingest import IngestReply
from citeloom.infrastructure.mcp.answers.review import ReviewReply
from citeloom.infrastructure.mcp.answers.verification import VerifyReply
from citeloom.infrastructure.mcp.contract.next_steps import in_words
from citeloom.infrastructure.mcp.jobs.background import Background
from citeloom.infrastructure.mcp.jobs.ingests import IngestJob
from citeloom.infrastructure.mcp.jobs.job import AnyJob, JobStatus
from citeloom.infrastructure.mcp.jobs.reviews import ReviewJob
from citeloom.infrastructure.mcp.jobs.validations import ValidateJob
from citeloom.infrastructure.mcp.jobs.verifications import VerifyJob

#: Jobs in an answer: some 4,000 tokens.
MOST_JOBS: Final = 50
_GRAVITY: Final = (Status.FAIL, Status.WARN, Status.PASS)
_NEXT: Final = "jobs with this job_id"
_GO_ON: Final = {
    IngestJob.kind: "the same ingest goes on where it ended",
    VerifyJob.kind: "the same verify goes on where it ended",
    ValidateJob.kind: "it is begun over HTTP",
    ReviewJob.kind: "review with the session_id as job_id goes on, or the same question",
}


class ValidationReply(JobReply, total=False):
    """What was checked, and how it stands: PASS, WARN or FAIL."""

    ok: bool
    checks: list[dict[str, Any]]
    left_out: int


class JobsReply(IngestReply, VerifyReply, ReviewReply, ValidationReply, total=False):
    """All jobs; or one, which when it has ended has the answer of its tool."""

    jobs: list[dict[str, Any]]
    count: int


def unfinished(jobs: Background, job: AnyJob) -> Content:
    """A job without result: one that waits or runs, or was cancelled."""
    answer = {**job.handles(), "status": _status(job), "project": job.project, **_place(jobs, job)}
    if isinstance(job, IngestJob):
        answer |= _ingest(job)
    elif isinstance(job, VerifyJob):
        answer |= {"checked": job.done} | ({} if job.total is None else {"citations": job.total})
    elif isinstance(job, ReviewJob):
        answer |= _review(job)
    return answer | {"next": _GO_ON[job.kind] if job.has_ended else _NEXT}


def validated(job: ValidateJob) -> ValidationReply:
    """What is not well first, as many as fit."""
    found = job.result()
    graver = sorted(found.checks, key=lambda one: _GRAVITY.index(one.status))
    told = [one.model_dump(mode="json", context=in_words, exclude_defaults=True) for one in graver]
    shown = fitting(told)
    answer: ValidationReply = {"job_id": job.id, "status": "done", "ok": found.ok, "checks": shown}
    if len(shown) < len(told):
        answer["left_out"] = len(told) - len(shown)
    return answer


def listing(jobs: Background, offset: int) -> JobsReply:
    """Those that go on in order of arrival, then those that have ended, the latest first."""
    known = jobs.all()
    going_on = [job for job in known if not job.has_ended]
    shown = [*going_on, *reversed([job for job in known if job.has_ended])]
    page = shown[offset : offset + MOST_JOBS]
    answer: JobsReply = {"jobs": [_line(jobs, job) for job in page], "count": len(shown)}
    after = offset + len(page)
    if after < len(shown):
        answer["next"] = f"jobs with offset {after}"
    return answer


def _line(jobs: Background, job: AnyJob) -> Entry:
    line: Entry = {
        **job.handles(),
        "kind": job.kind,
        "project": job.project,
        "status": _status(job),
        **_place(jobs, job),
    }
    if job.started is not None:
        line |= {"started": job.started.isoformat(timespec="seconds"), "seconds": _s(job.seconds)}
        advance = job.advance()
        line["done"] = round(advance.done, 2)
        if advance.total is not None:
            line["total"] = advance.total
        if advance.doing and not job.has_ended:
            line["doing"] = advance.doing
    if job.status is JobStatus.FAILED and (error := job.error) is not None:
        line["error"] = in_words(getattr(error, "message", type(error).__name__))
    return line


def _status(job: AnyJob) -> str:
    return "cancelling" if job.is_cancelling and not job.has_ended else job.status.value


def _place(jobs: Background, job: AnyJob) -> Entry:
    """Of a job that waits: its place in the queue, from 1, and the jobs before it."""
    before: Sequence[AnyJob] = jobs.before(job)
    return {"position": len(before), "waits_for": before[0].id} if before else {}


def _ingest(job: IngestJob) -> Entry:
    """``documents_done`` includes failed ones."""
    told: Entry = {
        "documents_done": job.documents_done,
        "documents_total": job.documents_total,
    }
    if job.documents_failed:
        told["documents_failed"] = job.documents_failed
    if job.passages:
        told |= {"pages": job.pages_done, "passages": job.passages}
    if not job.has_ended:
        if (rate := job.passages_per_second) is not None:
            told["passages_per_second"] = _s(rate)
        if (left := job.seconds_left) is not None:
            told["seconds_left"] = round(left)
        if job.doing:
            told["doing"] = job.doing
    return told


def _review(job: ReviewJob) -> Entry:
    told: Entry = {} if job.asked.writer == EXTRACTIVE else {"writer": job.asked.writer}
    if job.steps is not None:
        told |= {"steps_done": job.steps_done, "steps": job.steps}
    return told | ({"doing": job.doing} if job.doing and not job.has_ended else {})


def _s(value: float) -> float:
    return round(value, 1)
