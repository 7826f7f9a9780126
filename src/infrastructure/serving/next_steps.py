"""Next steps as calls of tools, and errors of calls."""

import mimetypes
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from pathlib import Path
from typing import Final

from citeloom.domain import messages
from citeloom.domain.errors import DocumentFailed, Refused, Unavailable, UsageError
from citeloom.domain.jobs import KEPT_FOR
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.progress import Cancelled, within

TOOL_CALLS: Mapping[Action, str] = {
    Action.ADD_AGAIN: "the same person can be added again",
    Action.ADD_DOCUMENTS: "add documents with ingest_from_source",
    Action.ADD_REFERENCES: "call ingest_from_source with options.references",
    Action.ADD_TEXT: "add its file with ingest_from_source",
    Action.ADD_WORK: "the user can add the work {path}",
    Action.ALLOW_STALE: "call ingest_from_source for the file as it is",
    Action.CANCEL_SESSION: "wait, or call review with job_id {session} and cancel",
    Action.CHOOSE_PROJECT: "name one as `project`",
    Action.CREATE_PROJECT: "create one with ingest_from_source",
    Action.CUT_EXACTLY: "the user can have it re-encoded, which cuts at any moment",
    Action.DELETE_PROJECT: "the user can delete {project} and create it again",
    Action.DROP_COPIES: "the user can delete the old copies of {project}",
    Action.DROP_MODEL: "the user can delete the vectors of {model} in {project}",
    Action.FETCH_MODEL: "the user can fetch {model}",
    Action.FREE_SPACE: "the user can free some space, then call it again; what was stored is kept",
    Action.GIVE_PASSWORD: "the user can set pdf.passwords in citeloom.toml",
    Action.IDENTIFY: "call ingest_from_source with options.identify, which asks public services, "
    "or with options.references",
    Action.INGEST_AGAIN: "call ingest_from_source with options.force_rebuild",
    Action.KEEP_OWN: "or keep the change as your own here (`force`)",
    Action.LIST_MAPS: "list_documents names the documents, ingest_from_source adds documents",
    Action.LIST_MODELS: "list_projects names the models in use",
    Action.LIST_SESSIONS: "call review with a question, or a session_id that it gave as job_id",
    Action.LIST_TAGS: "write tags as Zotero has them",
    Action.LIST_UNCITED: "set `uncited` to list facts without a citation",
    Action.LOCATE_LIBRARY: "the user can set zotero.data_dir in citeloom.toml: Zotero shows the "
    "folder in its settings, Advanced, Files and Folders, as Data Directory Location",
    Action.LOCATE_ONLY: "call resolve with virtual",
    Action.MAKE_WRITABLE: "the user can make it writable",
    Action.MAP_FILE: "the user can have {path} mapped",
    Action.MIGRATE_MODEL: "the user can change the model of {project}",
    Action.OPTIMIZE: "the user can have {project} optimized",
    Action.REPAIR: "the user can have {project} validated and repaired",
    Action.REPLACE: "the user can have it replaced",
    Action.RESTORE: "the user can restore the backup {path}",
    Action.RESTORE_SESSION: "the user can bring {session} back",
    Action.RESUME_SESSION: "call review with job_id {session} to go on",
    Action.SEARCH_BY_MEANING: "use the tool query",
    Action.SET_JUDGE: "a stronger judge, which the user can configure, could decide more",
    Action.SET_LANGUAGE_MODEL: "the user can set llm.url and llm.model for an answer in sentences",
    Action.SHOW_SESSION: "call review with job_id {session} for its report",
    Action.USE_MODEL: "the user can make {model} the model of {project}",
}
#: The tools that a call above needs, and what is said by a server that has not all of them.
_NEEDS: Mapping[Action, tuple[frozenset[str], str]] = {
    action: (frozenset(tools.split()), otherwise)
    for action, tools, otherwise in (
        (Action.ADD_DOCUMENTS, "ingest_from_source", "the user can add documents"),
        (Action.ADD_REFERENCES, "ingest_from_source", "the user can name a reference file"),
        (Action.ADD_TEXT, "ingest_from_source", "the user can add its file"),
        (Action.ALLOW_STALE, "ingest_from_source", "the user can ingest the file as it is"),
        (Action.CANCEL_SESSION, "review", "wait, or the user can cancel {session}"),
        (Action.CREATE_PROJECT, "ingest_from_source", "the user can create one"),
        (
            Action.IDENTIFY,
            "ingest_from_source",
            "the user can have {project} identified, which asks public services",
        ),
        (Action.INGEST_AGAIN, "ingest_from_source", "the user can ingest it again"),
        (Action.LIST_MAPS, "list_documents ingest_from_source", "the user can list documents"),
        (Action.LIST_MODELS, "list_projects", "the user can list the models"),
        (Action.LIST_SESSIONS, "review", "the user can list the sessions"),
        (Action.LOCATE_ONLY, "resolve", "the user can see where it is"),
        (Action.RESUME_SESSION, "review", "the user can resume {session}"),
        (Action.SEARCH_BY_MEANING, "query", "the user can search by meaning alone"),
        (Action.SHOW_SESSION, "review", "the user can read the report of {session}"),
    )
}
_UNNAMED: Mapping[str, str] = {
    "project": "the project",
    "path": "the file",
    "model": "the model",
    "session": "its session_id",
}


_offered: Final[ContextVar[Collection[str] | None]] = ContextVar("offered", default=None)


def offering(tools: Collection[str]) -> AbstractContextManager[None]:
    """Within the block, messages name no other tools."""
    return within(_offered, tools)


def in_words(sentence: str) -> str:
    """A sentence and its next tool, if any."""
    return messages.in_words(sentence, _call)


def without_tools(step: NextStep) -> str:
    """What the user can do, for a client that calls no tools."""
    with offering(()):
        return _call(step)


def if_offered(tool: str, sentence: str) -> str:
    """A sentence that names a tool, or nothing where the server does not have it."""
    return sentence if _has(frozenset([tool])) else ""


def _call(step: NextStep) -> str:
    needed, otherwise = _NEEDS.get(step.action, (frozenset[str](), ""))
    words = TOOL_CALLS[step.action] if _has(needed) else otherwise
    return words.format_map({**_UNNAMED, **step.arguments})


def _has(tools: frozenset[str]) -> bool:
    offered = _offered.get()
    return offered is None or tools.issubset(offered)


class MissingParameter(UsageError):
    def __init__(self, parameter: str, hint: str = "") -> None:
        reason = f"{parameter}: this parameter is missing"
        super().__init__(f"{reason}; {hint}" if hint else reason, parameter=parameter)


class UnknownTool(UsageError):
    def __init__(self, name: str, known: Iterable[str]) -> None:
        tools = sorted(known)
        super().__init__(
            f"{name}: no such tool; the tools are {', '.join(tools)}", tool=name, tools=tools
        )


class JobNotFound(Refused):
    """An unknown or expired job id, of ``tool`` where one was asked for its jobs."""

    def __init__(self, job_id: str, tool: str | None = None) -> None:
        of, again = (f" of {tool}", f"call {tool}") if tool else ("", "begin them")
        super().__init__(
            f"{job_id}: no such job{of} here"
            f"{if_offered('jobs', '; jobs lists the jobs')}. Jobs are kept for "
            f"{KEPT_FOR.days} days after their end, and what they finished for good: {again} again "
            "to continue",
            job_id=job_id,
        )


class ProjectBusy(Refused):
    """A job works on the project; ``advice`` is how to end it."""

    def __init__(self, project: str, kind: str, job_id: str, advice: str = "") -> None:
        super().__init__(
            f"{project}: a job works on it ({kind}); wait for its end{advice}", job_id=job_id
        )


class TooManyJobs(Refused):
    """Its owner has as many jobs of a kind as one may have at once."""

    def __init__(self, kind: str, most: int) -> None:
        super().__init__(
            f"{kind}: {most:,} of your jobs wait or run already, as many as one may have at once "
            "(quota.jobs); wait for the end of one, or cancel one",
            kind=kind,
            most=most,
        )


class Busy(Unavailable):
    """Too many calls wait already; ``retry_after`` is in seconds."""

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
        super().__init__("the server is stopping; start it and call the tool again to continue")


def mime_type_of(path: Path) -> str:
    return mimetypes.guess_type(path.name)[0] or "application/octet-stream"
