"""Errors of tool calls beside those of the domain."""

from collections.abc import Iterable, Mapping, Sequence

from citeloom.domain.cancellation import Cancelled
from citeloom.domain.errors import DocumentFailed, Refused, Unavailable, UsageError
from citeloom.domain.jobs.recorded_job import KEPT_FOR
from citeloom.infrastructure.serving.next_steps import if_offered


class MissingParameter(UsageError):
    code = "MISSING_PARAMETER"

    def __init__(self, parameter: str, hint: str = "") -> None:
        reason = f"{parameter}: this parameter is missing"
        super().__init__(f"{reason}; {hint}" if hint else reason, parameter=parameter)


class UnknownTool(UsageError):
    code = "UNKNOWN_TOOL"

    def __init__(self, name: str, known: Iterable[str]) -> None:
        tools = sorted(known)
        super().__init__(
            f"{name}: no such tool; the tools are {', '.join(tools)}", tool=name, tools=tools
        )


class JobNotFound(Refused):
    """An unknown or expired job id, of ``tool`` where one was asked for its jobs."""

    code = "JOB_NOT_FOUND"

    def __init__(self, job_id: str, tool: str | None = None) -> None:
        of, again = (f" of {tool}", f"call {tool}") if tool else ("", "begin them")
        super().__init__(
            f"{job_id}: no such job{of} here"
            f"{if_offered('jobs', '; jobs lists those there are')}. Jobs are kept for "
            f"{KEPT_FOR.days} days after their end, and what they finished for good: {again} again "
            "to go on",
            job_id=job_id,
        )


class ProjectBusy(Refused):
    """A job works on the project; ``advice`` is how to end it."""

    code = "PROJECT_BUSY"

    def __init__(self, project: str, kind: str, job_id: str, advice: str = "") -> None:
        super().__init__(
            f"{project}: a job works on it ({kind}); wait for its end{advice}", job_id=job_id
        )


class TooManyJobs(Refused):
    """Its owner has as many jobs of a kind as one may have at once."""

    code = "TOO_MANY_JOBS"

    def __init__(self, kind: str, most: int) -> None:
        super().__init__(
            f"{kind}: {most:,} of your jobs wait or run already, as many as one may have at once "
            "(quota.jobs); wait for the end of one, or cancel one",
            kind=kind,
            most=most,
        )


class Busy(Unavailable):
    """Too many calls wait already; ``retry_after`` is in seconds."""

    code = "BUSY"

    def __init__(self, operation: str, waiting: int, retry_after: int, instead: str = "") -> None:
        advice = f", or {instead}" if instead else ""
        super().__init__(
            f"{operation}: {waiting} calls wait for their turn already; call again in about "
            f"{retry_after} s, ask fewer at once{advice}",
            operation=operation,
            waiting=waiting,
            retry_after=retry_after,
        )


class IngestionFailed(DocumentFailed):
    """No document could be ingested."""

    code = "INGESTION_FAILED"

    def __init__(self, count: int, failures: Sequence[Mapping[str, object]]) -> None:
        super().__init__(
            f"none of {count} documents could be ingested; the first: {failures[0]['message']}",
            documents_processed=count,
            failures=list(failures),
        )


class Interrupted(Cancelled):
    """The server ends during a call or a job."""

    code = "UNAVAILABLE"

    def __init__(self) -> None:
        super().__init__("the server is ending; start it and call the tool again to go on")
