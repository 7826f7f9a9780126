"""MCP resources: knowledge URIs, as in ``citeloom read``, and reports of reviews."""

import base64
import logging
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar

import anyio
import anyio.to_thread
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    BlobResourceContents,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from citeloom.application.ports.research import SessionFilter
from citeloom.domain.errors import (
    CiteLoomError,
    NothingThere,
    OperationTimeout,
    Refused,
    StorageFailed,
    UsageError,
)
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.research.session import SessionStatus
from citeloom.domain.resources.document_uris import project_uri
from citeloom.domain.resources.observations import ObsMedia
from citeloom.domain.resources.prompt_text import render_body
from citeloom.infrastructure.mcp.answers.review import REPORT_URI, report_uri
from citeloom.infrastructure.mcp.answers.visible import visible
from citeloom.infrastructure.mcp.contract.next_steps import in_words

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

_T = TypeVar("_T")

_SECONDS: Final = 15.0
_THREADS: Final = 8
# MCP specification 2025-06-18, "Resources", error handling: resource not found.
_NOT_FOUND: Final = -32002
_XML: Final = "application/xml"
_MARKDOWN: Final = "text/markdown"
# Reports in the list of resources, the latest first; all others can be read too.
_REPORTS: Final = 20
_REPORT: Final = re.compile(re.escape(REPORT_URI).replace(r"\{session_id\}", r"([^/]+)"))
_DOCUMENT: Final = "ndk://file/{project}/{document}"
_TEMPLATES: Final = (
    ("project", "ndk://file/{project}/-/$collection", "The documents of a project."),
    ("document", _DOCUMENT + "/$body", "A document, or its table of contents where it is long."),
    ("part", _DOCUMENT + "/$chunk/{number}", "A part of a document, by its number: 03, or 03/00."),
    ("passage", _DOCUMENT + "/{span}/$chunk", "The words of a hit, as its knowledge_uri has them."),
    ("figure", _DOCUMENT + "/$media/{name}", "A picture of a document, or its caption."),
    ("text", _DOCUMENT + "/$plain", "The text of a document as it is stored."),
    ("report", REPORT_URI, "The report of a review, by its session_id."),
)

_log: Final = logging.getLogger(__name__)


class ResourceReader:
    """Lists projects and the latest reports, and reads every knowledge URI and report; each call
    has a deadline."""

    def __init__(self, application: "Application") -> None:
        self._application = application
        self._threads = anyio.CapacityLimiter(_THREADS)

    async def list(
        self, _context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        resources = await self._run("resources/list", self._listed)
        return ListResourcesResult(resources=resources)

    async def templates(
        self, _context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(
            resource_templates=[
                ResourceTemplate(name=name, uri_template=uri, description=description)
                for name, uri, description in _TEMPLATES
            ]
        )

    async def read(
        self, _context: ServerRequestContext[Any], params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        contents = await self._run(params.uri, lambda: self._read(params.uri))
        return ReadResourceResult(contents=[contents])

    def _listed(self) -> Sequence[Resource]:
        projects = [
            Resource(
                name=project.id.value,
                uri=f"{project_uri(project.id)}/$collection",
                description=f"The documents of {project.id}.",
                mime_type=_XML,
            )
            for project in self._application.stores.catalogue.projects()
        ]
        completed = SessionFilter(statuses=(SessionStatus.COMPLETED,), limit=_REPORTS)
        return projects + [
            Resource(
                name=visible(session.question),
                uri=report_uri(session.id),
                description=f"The report of a review of {session.project_id}.",
                mime_type=_MARKDOWN,
            )
            for session in self._application.research.sessions.list(completed)
        ]

    def _report(self, uri: str, session: str) -> TextResourceContents:
        """Raises SessionNotFound, and NothingThere where there is no report yet."""
        recorded = self._application.research.sessions.show(session)
        if recorded.session.is_deleted:
            raise NothingThere(
                f"{uri}: was deleted", NextStep(Action.RESTORE_SESSION, session=session)
            )
        if recorded.report.content is None:
            raise NothingThere(
                f"{uri}: the session is {recorded.session.status.value} and has no report; call "
                "review with its id as job_id to go on"
            )
        return TextResourceContents(
            uri=uri, mime_type=_MARKDOWN, text=visible(recorded.report.content)
        )

    def _read(self, uri: str) -> TextResourceContents | BlobResourceContents:
        if report := _REPORT.fullmatch(uri):
            return self._report(uri, report[1])
        seen = self._application.resources.observe(uri)
        if isinstance(seen.observation, ObsMedia):
            # Without its file (moved, or protected by a password) the caption stands for it.
            with suppress(CiteLoomError):
                png = self._application.resources.observe.picture(uri)
                return BlobResourceContents(
                    uri=uri,
                    mime_type=seen.observation.mime_type,
                    blob=base64.b64encode(png).decode("ascii"),
                )
        return TextResourceContents(
            uri=uri, mime_type=_XML, text=visible(render_body(seen.observation))
        )

    async def _run(self, what: str, work: Callable[[], _T]) -> _T:
        try:
            with anyio.move_on_after(_SECONDS):
                return await anyio.to_thread.run_sync(
                    work, abandon_on_cancel=True, limiter=self._threads
                )
            raise OperationTimeout(what, _SECONDS)
        except CiteLoomError as error:
            raise _told(error) from error
        except OSError as error:
            raise _told(StorageFailed(f"{error.filename or what}: {error.strerror}")) from error
        except MCPError:
            raise
        except Exception as error:
            _log.exception("%s", what)
            kind = type(error).__name__
            raise MCPError(
                INTERNAL_ERROR, f"{what}: unexpected {kind}; the server's log has the details"
            ) from error


def _told(error: CiteLoomError) -> MCPError:
    message = visible(in_words(error.message))
    data = visible({"code": error.code, **error.details})
    if isinstance(error, UsageError):
        return MCPError(INVALID_PARAMS, message, data)
    return MCPError(_NOT_FOUND if isinstance(error, Refused) else INTERNAL_ERROR, message, data)
