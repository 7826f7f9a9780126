"""The list of resources, page by page: projects, reports of reviews, then every document."""

import base64
import binascii
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from mcp.types import Resource

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.research import SessionFilter
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.research.session import SessionStatus
from citeloom.domain.resources.uris import document_uri, project_uri
from citeloom.infrastructure.mcp.answers.review import report_uri
from citeloom.infrastructure.mcp.visible import visible

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

XML: Final = "application/xml"
MARKDOWN: Final = "text/markdown"
#: Resources of a page.
PAGE: Final = 100
# Reports in the list, the latest first; all others can be read too.
_REPORTS: Final = 20
_AUTHORS: Final = 3


class ResourcePage(NamedTuple):
    """Resources, and the cursor of the next page where there is one."""

    resources: Sequence[Resource]
    cursor: str | None


def resource_page(application: "Application", cursor: str | None) -> ResourcePage:
    """Raises InvalidRequest for a cursor that is none."""
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
    """Those of all projects, ordered by project and document."""
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
            "cursor: is none of this server; leave it out to begin again", parameter="cursor"
        )
    return project, document
