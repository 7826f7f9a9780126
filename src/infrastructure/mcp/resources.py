"""MCP resources: what ``citeloom read`` shows, by the same knowledge URIs."""

import base64
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol, TypeVar

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

from citeloom.application.reading.observe import Observe
from citeloom.domain.errors import (
    CiteLoomError,
    OperationTimeout,
    Refused,
    StorageFailed,
    UsageError,
)
from citeloom.domain.knowledge.library import project_uri
from citeloom.domain.knowledge.observations import ObsMedia
from citeloom.domain.knowledge.rendering import render_body
from citeloom.domain.project import Project

_T = TypeVar("_T")

_SECONDS: Final = 15.0
_THREADS: Final = 8
# MCP specification 2025-06-18, "Resources", error handling: resource not found.
_NOT_FOUND: Final = -32002
_XML: Final = "application/xml"
_DOCUMENT: Final = "ndk://file/{project}/{document}"
_TEMPLATES: Final = (
    ("project", "ndk://file/{project}/-/$collection", "The documents of a project."),
    ("document", _DOCUMENT + "/$body", "A document, or its table of contents where it is long."),
    ("part", _DOCUMENT + "/$chunk/{number}", "A part of a document, by its number: 03, or 03/00."),
    ("passage", _DOCUMENT + "/{span}/$chunk", "The words of a hit, as its knowledge_uri has them."),
    ("figure", _DOCUMENT + "/$media/{name}", "A picture of a document, or its caption."),
    ("text", _DOCUMENT + "/$plain", "The text of a document as it is stored."),
)

_log: Final = logging.getLogger(__name__)


class Projects(Protocol):
    def projects(self) -> Sequence[Project]: ...


class Library(Protocol):
    """What of the application resources are read from."""

    @property
    def observe(self) -> Observe: ...

    @property
    def catalogue(self) -> Projects: ...


class ResourceReader:
    """Lists projects, and reads whatever has a knowledge URI; each call has a deadline."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._threads = anyio.CapacityLimiter(_THREADS)

    async def list(
        self, _context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        projects = await self._run("resources/list", lambda: self._library.catalogue.projects())
        return ListResourcesResult(
            resources=[
                Resource(
                    name=project.id.value,
                    uri=f"{project_uri(project.id)}/$collection",
                    description=f"The documents of {project.id}.",
                    mime_type=_XML,
                )
                for project in projects
            ]
        )

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

    def _read(self, uri: str) -> TextResourceContents | BlobResourceContents:
        seen = self._library.observe(uri)
        if isinstance(seen.observation, ObsMedia):
            # Without its file (moved, or protected by a password) the caption stands for it.
            with suppress(CiteLoomError):
                png = self._library.observe.picture(uri)
                return BlobResourceContents(
                    uri=uri,
                    mime_type=seen.observation.mime_type,
                    blob=base64.b64encode(png).decode("ascii"),
                )
        return TextResourceContents(uri=uri, mime_type=_XML, text=render_body(seen.observation))

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
    data = {"code": error.code, **error.details}
    if isinstance(error, UsageError):
        return MCPError(INVALID_PARAMS, error.message, data)
    return MCPError(
        _NOT_FOUND if isinstance(error, Refused) else INTERNAL_ERROR, error.message, data
    )
