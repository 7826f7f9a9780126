"""Errors of tool calls beside those of the domain."""

from collections.abc import Iterable, Mapping, Sequence

from citeloom.domain.errors import DocumentFailed, Refused, Unavailable, UsageError


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
    """An unknown or expired job id of ``tool``."""

    code = "JOB_NOT_FOUND"

    def __init__(self, job_id: str, tool: str) -> None:
        super().__init__(
            f"{job_id}: no such job of {tool} here; jobs end with the server that ran them, and "
            f"what they had finished is kept: call {tool} again to go on",
            job_id=job_id,
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


class Interrupted(Unavailable):
    """The server stops during a job."""

    def __init__(self) -> None:
        super().__init__("the server is ending; start it and call the tool again to go on")
