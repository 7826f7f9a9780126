"""MCP resources: knowledge URIs, as in ``citeloom read``, pages, files, and reports of reviews."""

import base64
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from mcp.server.context import ServerRequestContext
from mcp.types import (
    BlobResourceContents,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    ResourceTemplate,
    TextResourceContents,
)

from citeloom.application.places.show import PageRequest
from citeloom.domain.errors import CiteLoomError, NothingThere
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.resources.observations import ObsMedia, render_body
from citeloom.domain.resources.uris import SCHEME, page_of
from citeloom.infrastructure.mcp.answers.review import REPORT_URI
from citeloom.infrastructure.mcp.protocol.answering import Answering
from citeloom.infrastructure.mcp.protocol.blocks import PICTURE, PNG
from citeloom.infrastructure.mcp.protocol.files import EVIDENCE_URI, SOURCE_URI, read_file
from citeloom.infrastructure.mcp.protocol.listing import MARKDOWN, XML, resource_page
from citeloom.infrastructure.mcp.visible import visible
from citeloom.infrastructure.serving.lanes import Lanes

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

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
        """Raises SessionNotFound, and NothingThere where there is no report yet."""
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
