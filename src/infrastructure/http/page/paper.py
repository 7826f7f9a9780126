"""What the view of a paper shows: its contents, and a page of it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from citeloom.application.resources.open_page import PageRequest
from citeloom.application.resources.page_layer import PageLayer
from citeloom.domain.errors import InvalidSource, UnsupportedFormat
from citeloom.domain.maps.resource_map import Node
from citeloom.domain.projects.project_id import ProjectId
from citeloom.infrastructure.http.next_steps import in_words
from citeloom.infrastructure.http.page.pictures import picture_url

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application


class Part(NamedTuple):
    """A heading, figure or table; ``where`` names its pages of the file."""

    title: str
    where: str | None
    url: str | None
    parts: Sequence["Part"]


class PaperView(NamedTuple):
    """``layer`` is the page that is shown; a document without pages has its ``text``."""

    title: str
    authors: str
    year: int | None
    citekey: str | None
    notes: Sequence[str]
    parts: Sequence[Part]
    layer: PageLayer | None = None
    picture: str | None = None
    before: str | None = None
    after: str | None = None
    text: str = ""


def opened(application: "Application", project: str, document: str, page: int) -> PaperView:
    """Raises what ``open_page`` raises; InvalidRequest for a page that it does not have."""
    project_id = ProjectId.parse(project)
    whole = application.resources.open_page(PageRequest(place=document, project_id=project_id))
    stored, converted = whole.place.stored, whole.place.document
    structure = application.maps.structure.map(project_id, stored.document_id)
    work = stored.citation
    told = application.citation.retracted([work]) if work else {}
    paper = PaperView(
        title=(work.title if work else converted.title) or stored.path or document,
        authors=", ".join(work.authors if work else stored.authors),
        year=work.year if work else stored.year,
        citekey=work.citekey if work else None,
        notes=list(told.values()),
        parts=[_part(node, project, stored.document_id) for node in structure.nodes],
    )
    try:
        layer = application.resources.page_layer(whole, page) if converted.page_count else None
    except (UnsupportedFormat, InvalidSource) as error:
        paper = paper._replace(notes=[*paper.notes, in_words(error.message)])
        layer = None
    if layer is None:
        return paper._replace(text=whole.text.text)
    return paper._replace(
        layer=layer,
        picture=picture_url(project, stored.document_id, page),
        before=_url(project, stored.document_id, page - 1) if page > 1 else None,
        after=_url(project, stored.document_id, page + 1) if page < layer.pages else None,
    )


def _part(node: Node, project: str, document: str) -> Part:
    pages = node.location.pages
    where = None
    if pages:
        where = f"PDF {pages[0]}" if len(pages) == 1 else f"PDF {pages[0]}–{pages[-1]}"
    return Part(
        title=node.title or node.id,
        where=where,
        url=_url(project, document, pages[0]) if pages else None,
        parts=[_part(one, project, document) for one in node.children],
    )


def _url(project: str, document: str, page: int) -> str:
    return "/paper?" + urlencode({"project": project, "document": document, "page": page})
