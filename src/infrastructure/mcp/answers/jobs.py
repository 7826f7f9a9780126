"""Answers about jobs: one that goes on or was cancelled, and the list of all."""

from typing import Any, Final

from citeloom.application.validation.checks import Status, Validation
from citeloom.domain.jobs.recorded_job import JobProgress, JobStatus
from citeloom.infrastructure.mcp.answers.contents import Content, Entry, JobReply, fitting
from citeloom.infrastructure.mcp.answers.ingest import IngestReply
from citeloom.infrastructure.mcp.answers.review import ReviewReply
from citeloom.infrastructure.mcp.answers.verification import VerifyReply
from citeloom.infrastructure.serving.jobs import checks, ingests, reviews
from citeloom.infrastructure.serving.jobs.background import Background
from citeloom.infrastructure.serving.jobs.view import AnyView, JobView
from citeloom.infrastructure.serving.next_steps import in_words

#: Jobs in an answer: some 4,000 tokens.
MOST_JOBS: Final = 50
_GRAVITY: Final = (Status.FAIL, Status.WARN, Status.PASS)
_NEXT: Final = "jobs with this job_id"
_GO_ON: Final = {
    ingests.KIND.name: "the same ingest goes on where it ended",
    checks.VERIFICATION.name: "the same verify goes on where it ended",
    checks.VALIDATION.name: "it is begun over HTTP",
    reviews.KIND.name: "review with the session_id as job_id goes on, or the same question",
}
# What is said of a job only while it runs.
_PRESENT: Final = ("doing", "passages_per_second", "seconds_left")


class ValidationReply(JobReply, total=False):
    """What was checked, and how it stands: PASS, WARN or FAIL."""

    ok: bool
    checks: list[dict[str, Any]]
    left_out: int


class JobsReply(IngestReply, VerifyReply, ReviewReply, ValidationReply, total=False):
    """All jobs; or one, which when it has ended has the answer of its tool."""

    jobs: list[dict[str, Any]]
    count: int


def unfinished(job: AnyView) -> Content:
    """A job without result: one that waits or runs, or was cancelled."""
    progress = job.progress()
    counts = dict(progress.counts)
    if progress.status.is_end:
        counts = {name: value for name, value in counts.items() if name not in _PRESENT}
    answer = {
        **job.handles(),
        "status": _status(job, progress),
        "project": job.project,
        **_place(progress),
        **counts,
    }
    return answer | {"next": _GO_ON[job.kind] if progress.status.is_end else _NEXT}


def validated(job: JobView[Validation]) -> ValidationReply:
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
    answer: JobsReply = {"jobs": [_line(job) for job in page], "count": len(shown)}
    after = offset + len(page)
    if after < len(shown):
        answer["next"] = f"jobs with offset {after}"
    return answer


def _line(job: AnyView) -> Entry:
    progress = job.progress()
    line: Entry = {
        **job.handles(),
        "kind": job.kind,
        "project": job.project,
        "status": _status(job, progress),
        **_place(progress),
    }
    if progress.started_at is not None:
        started = progress.started_at.isoformat(timespec="seconds")
        line |= {"started": started, "seconds": round(job.seconds, 1)}
        line["done"] = round(progress.done, 2)
        if progress.total is not None:
            line["total"] = progress.total
        if progress.doing:
            line["doing"] = progress.doing
    if progress.status is JobStatus.FAILED and (error := job.error) is not None:
        line["error"] = in_words(getattr(error, "message", type(error).__name__))
    return line


def _status(job: AnyView, progress: JobProgress) -> str:
    is_ending = job.is_cancelling and not progress.status.is_end
    return "cancelling" if is_ending else progress.status.value


def _place(progress: JobProgress) -> Entry:
    """Of a job that waits: its place in the queue, from 1, and the job before it."""
    if progress.position is None:
        return {}
    return {"position": progress.position, "waits_for": progress.waits_for}
