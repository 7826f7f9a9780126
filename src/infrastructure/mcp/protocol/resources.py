"""MCP resources: knowledge URIs, as in ``citeloom read``, pages, files, and reports of reviews."""

import base64
import binascii
import json
import logging
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar
from urllib.parse import quote, unquote

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    BlobResourceContents,
    ContentBlock,
    ImageContent,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceLink,
    ResourceTemplate,
    TextResourceContents,
)

from citeloom.application.places.show import PageRequest
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.maps import PictureLimit
from citeloom.application.ports.research import SessionFilter
from citeloom.domain.errors import (
    CiteLoomError,
    InvalidRequest,
    InvalidSource,
    NothingThere,
    Refused,
    StorageFailed,
    UsageError,
)
from citeloom.domain.maps.address import short_id
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.naming import parse_spelling
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research.session import SessionStatus
from citeloom.domain.resources.observations import ObsMedia, render_body
from citeloom.domain.resources.uris import SCHEME, document_uri, page_of, project_uri
from citeloom.domain.text.phrasing import sized
from citeloom.infrastructure.mcp.answers.contents import Content, refused
from citeloom.infrastructure.mcp.answers.jobs import REPORT_URI, report_uri
from citeloom.infrastructure.mcp.visible import visible
from citeloom.infrastructure.serving.lanes import LaneName, Lanes
from citeloom.infrastructure.serving.next_steps import if_offered, mime_type_of

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

_SECONDS: Final = 15.0
# Resource not found: revisions 2024-11-05 to 2025-11-25. From 2026-07-28 on it is -32602
# (SEP-2164).
_NOT_FOUND: Final = -32002
_ONE_CODE_SINCE: Final = "2026-07-28"

_T = TypeVar("_T")
_log: Final = logging.getLogger(__name__)


class Answering:
    """Requests that are not calls of tools, in the lane of those that look things up."""

    def __init__(self, lanes: Lanes) -> None:
        self._lane = lanes[LaneName.READING]

    async def run(self, what: str, work: Callable[[], _T], revision: str = _ONE_CODE_SINCE) -> _T:
        """``what`` names the request, ``revision`` is that of the protocol. Raises MCPError."""
        try:
            return await self._lane.run(what, work, _SECONDS)
        except CiteLoomError as error:
            raise told(error, revision) from error
        except OSError as error:
            failed = StorageFailed(f"{error.filename or what}: {error.strerror}")
            raise told(failed, revision) from error
        except MCPError:
            raise
        except Exception as error:
            _log.exception("%s", what)
            kind = type(error).__name__
            raise MCPError(
                INTERNAL_ERROR, f"{what}: unexpected {kind}; the server's log has the details"
            ) from error


def told(error: CiteLoomError, revision: str) -> MCPError:
    """An error with the code that ``revision`` has for it."""
    refusal = refused(error)["error"]
    message = visible(refusal["message"])
    data = visible({"code": error.code, **refusal["details"]})
    if isinstance(error, UsageError):
        return MCPError(INVALID_PARAMS, message, data)
    if isinstance(error, Refused):
        not_found = INVALID_PARAMS if revision >= _ONE_CODE_SINCE else _NOT_FOUND
        return MCPError(not_found, message, data)
    return MCPError(INTERNAL_ERROR, message, data)


PNG: Final = "image/png"
#: Hosts and models take no larger pictures: pixels of the longer side, bytes of the file.
PICTURE: Final = PictureLimit(longest_side=1600, bytes=700_000)


@dataclass(frozen=True, slots=True)
class Illustrated:
    """An answer with content blocks that follow its text."""

    content: Content
    blocks: tuple[ContentBlock, ...]


def picture(png: bytes) -> ImageContent:
    return ImageContent(type="image", data=base64.b64encode(png).decode("ascii"), mime_type=PNG)


def link(
    uri: str, name: str, mime_type: str, *, description: str | None = None, size: int | None = None
) -> ResourceLink:
    """``size`` is in bytes."""
    return ResourceLink(
        type="resource_link",
        uri=uri,
        name=name,
        mime_type=mime_type,
        description=description,
        size=size,
    )


EVIDENCE_URI: Final = "citeloom://evidence/{name}"
SOURCE_URI: Final = "citeloom://sources/{document}"
#: Bytes of a file that is handed over; base64 makes them a third more.
MOST_BYTES: Final = 5 * 2**20

_EVIDENCE: Final = re.compile(r"citeloom://evidence/([^/\\]+)")
_SOURCE: Final = re.compile(r"citeloom://sources/([0-9a-f]{16,64})")


def evidence_uri(name: str) -> str:
    return EVIDENCE_URI.format(name=quote(name, safe=""))


def source_uri(document_id: str) -> str:
    return SOURCE_URI.format(document=short_id(document_id))


def read_file(application: "Application", uri: str) -> BlobResourceContents | None:
    """The file that a URI names; None for another URI. Raises NothingThere, DocumentNotFound, and
    InvalidSource for a file that is too large, gone or changed."""
    if named := _EVIDENCE.fullmatch(uri):
        found = application.maps.evidence.find(unquote(named[1]))
        if found is None:
            again = if_offered("resolve", "; call resolve again")
            raise NothingThere(f"{uri}: is there no longer{again}", uri=uri)
        return _contents(uri, found.path, _bytes(found.path))
    if named := _SOURCE.fullmatch(uri):
        return _source(application, uri, named[1])
    return None


def _source(application: "Application", uri: str, document: str) -> BlobResourceContents:
    stored = application.stores.documents.find(parse_spelling(f"doc://{document}"))
    try:
        path = application.resources.sources.unchanged(stored)
    except InvalidSource as error:
        text = if_offered("open_page", "; open_page has its text")
        raise InvalidSource(f"{error.message}{text}") from error
    return _contents(uri, path, _bytes(path))


def _bytes(path: Path) -> bytes:
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise InvalidSource(
            f"{path.name}: has {sized(size)}, more than the {sized(MOST_BYTES)} that are handed "
            f"over{if_offered('resolve', '; resolve some of its pages')}"
        )
    return path.read_bytes()


def _contents(uri: str, path: Path, data: bytes) -> BlobResourceContents:
    blob = base64.b64encode(data).decode("ascii")
    return BlobResourceContents(uri=uri, mime_type=mime_type_of(path), blob=blob)


XML: Final = "application/xml"
MARKDOWN: Final = "text/markdown"
#: Resources of a page.
PAGE: Final = 100
# Reports in the list, the latest first; all others can be read too.
_REPORTS: Final = 20
_AUTHORS: Final = 3


class ResourcePage(NamedTuple):
    """Resources, and the cursor of the next page, if any."""

    resources: Sequence[Resource]
    cursor: str | None


def resource_page(application: "Application", cursor: str | None) -> ResourcePage:
    """Raises InvalidRequest for an invalid cursor."""
    after = _place(cursor) if cursor else None
    first = [] if after else [*_projects(application), *_reports(application)]
    documents = [*islice(_documents(application, after), max(1, PAGE - len(first)) + 1)]
    shown = documents[: max(1, PAGE - len(first))]
    following = _cursor(shown[-1]) if len(documents) > len(shown) else None
    return ResourcePage([*first, *map(_document, shown)], following)


def collection_uri(project_id: ProjectId) -> str:
    """The list of a project's documents."""
    return f"{project_uri(project_id)}/$collection"


def _projects(application: "Application") -> Iterator[Resource]:
    for project in application.stores.catalogue.projects():
        yield Resource(
            name=project.id.value,
            title=f"Project {project.id.name}",
            uri=collection_uri(project.id),
            description=f"The documents of {project.id}.",
            mime_type=XML,
        )


def _reports(application: "Application") -> Iterator[Resource]:
    completed = SessionFilter(statuses=(SessionStatus.COMPLETED,), limit=_REPORTS)
    for session in application.research.sessions.list(completed):
        yield Resource(
            name=visible(session.question),
            title=visible(session.question),
            uri=report_uri(session.id),
            description=f"The report of a review of {session.project_id}.",
            mime_type=MARKDOWN,
        )


def _documents(
    application: "Application", after: tuple[str, str] | None
) -> Iterator[StoredDocument]:
    """The documents of all projects, ordered by project and document."""
    for project in application.stores.catalogue.projects():
        if after is not None and project.id.value < after[0]:
            continue
        for document in application.stores.catalogue.documents(project.id):
            if after is None or (project.id.value, document.document_id) > after:
                yield document


def _document(document: StoredDocument) -> Resource:
    cited = document.citation
    title = visible((cited.title if cited else document.title) or "") or None
    name = visible(cited.citekey) if cited else document.document_id[:16]
    authors = cited.authors if cited else document.authors
    year = cited.year if cited else document.year
    names = ", ".join([*authors[:_AUTHORS], *(["et al."] if len(authors) > _AUTHORS else [])])
    told = " ".join(filter(None, (names, f"({year})" if year else "")))
    return Resource(
        name=name,
        title=title,
        uri=f"{document_uri(document.project_id, document.document_id)}/$body",
        description=visible(told) or None,
        mime_type=XML,
    )


def _cursor(document: StoredDocument) -> str:
    place = json.dumps([document.project_id.value, document.document_id])
    return base64.urlsafe_b64encode(place.encode()).decode("ascii")


def _place(cursor: str) -> tuple[str, str]:
    try:
        project, document = json.loads(base64.urlsafe_b64decode(cursor.encode("ascii")))
    except (ValueError, TypeError, binascii.Error):
        project = document = None
    if not isinstance(project, str) or not isinstance(document, str):
        raise InvalidRequest(
            "cursor: not from this server; leave it out to begin again", parameter="cursor"
        )
    return project, document


_REPORT: Final = re.compile(re.escape(REPORT_URI).replace(r"\{session_id\}", r"([^/]+)"))
_DOCUMENT: Final = "ndk://file/{project}/{document}"
#: Name, title, URI, what is there, its type.
_TEMPLATES: Final = (
    (
        "project", "Documents of a project", "ndk://file/{project}/-/$collection",
        "The documents of a project.", XML,
    ),
    (
        "document", "Document", _DOCUMENT + "/$body",
        "A document, or its table of contents where it is long.", XML,
    ),
    (
        "part", "Part of a document", _DOCUMENT + "/$chunk/{number}",
        "A part of a document, by its number: 03, or 03/00.", XML,
    ),
    (
        "passage", "Passage", _DOCUMENT + "/{span}/$chunk",
        "The words of a hit, as its address has them.", XML,
    ),
    (
        "page", "Page", _DOCUMENT + "/page/{page}",
        "The text of a page of the file, counted from 1.", MARKDOWN,
    ),
    ("page-picture", "Picture of a page", _DOCUMENT + "/page/{page}.png", "The same page.", PNG),
    ("figure", "Figure", _DOCUMENT + "/$media/{name}", "A picture of a document.", PNG),
    ("text", "Text", _DOCUMENT + "/$plain", "The text of a document as it is stored.", XML),
    ("evidence", "Evidence", EVIDENCE_URI, "A file that resolve has made.", None),
    ("source", "Source file", SOURCE_URI, "The file of a document.", None),
    ("report", "Report", REPORT_URI, "The report of a review, by its session_id.", MARKDOWN),
)  # fmt: skip


async def list_templates(
    _context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
) -> ListResourceTemplatesResult:
    return ListResourceTemplatesResult(
        resource_templates=[
            ResourceTemplate(
                name=name, title=title, uri_template=uri, description=told, mime_type=mime_type
            )
            for name, title, uri, told, mime_type in _TEMPLATES
        ]
    )


class ResourceReader:
    """Lists projects, documents and the latest reports, and reads every knowledge URI, page, file
    and report, in threads of ``lanes``."""

    def __init__(self, application: "Application", lanes: Lanes) -> None:
        self._application = application
        self._answering = Answering(lanes)

    async def list(
        self, _context: ServerRequestContext[Any], params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        cursor = params.cursor if params else None
        page = await self._answering.run(
            "resources/list", lambda: resource_page(self._application, cursor)
        )
        return ListResourcesResult(resources=[*page.resources], next_cursor=page.cursor)

    async def read(
        self, context: ServerRequestContext[Any], params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        contents = await self._answering.run(
            params.uri, lambda: self._read(params.uri), context.protocol_version
        )
        return ReadResourceResult(contents=[contents])

    def _read(self, uri: str) -> TextResourceContents | BlobResourceContents:
        if report := _REPORT.fullmatch(uri):
            return self._report(uri, report[1])
        if (file := read_file(self._application, uri)) is not None:
            return file
        if page_of(uri.removeprefix(SCHEME).split("/")[2:]) is not None:
            return self._page(uri)
        seen = self._application.resources.observe(uri)
        if isinstance(seen.observation, ObsMedia):
            # Without its file (moved, or protected by a password) the caption stands for it.
            with suppress(CiteLoomError):
                return _blob(uri, self._application.resources.observe.picture(uri, limit=PICTURE))
        return TextResourceContents(
            uri=uri, mime_type=XML, text=visible(render_body(seen.observation))
        )

    def _page(self, uri: str) -> TextResourceContents | BlobResourceContents:
        open_page = self._application.resources.show
        opened = open_page(PageRequest(place=uri))
        if uri.endswith(".png"):
            return _blob(uri, open_page.pictures(opened, PICTURE)[0].png)
        return TextResourceContents(uri=uri, mime_type=MARKDOWN, text=visible(opened.text.text))

    def _report(self, uri: str, session: str) -> TextResourceContents:
        """Raises SessionNotFound, and NothingThere before the report exists."""
        recorded = self._application.research.sessions.show(session)
        if recorded.session.is_deleted:
            raise NothingThere(
                f"{uri}: was deleted", NextStep(Action.RESTORE_SESSION, session=session)
            )
        if recorded.report.content is None:
            raise NothingThere(
                f"{uri}: the session is {recorded.session.status.value} and has no report",
                NextStep(Action.RESUME_SESSION, session=session),
            )
        return TextResourceContents(
            uri=uri, mime_type=MARKDOWN, text=visible(recorded.report.content)
        )


def _blob(uri: str, png: bytes) -> BlobResourceContents:
    return BlobResourceContents(uri=uri, mime_type=PNG, blob=base64.b64encode(png).decode("ascii"))
