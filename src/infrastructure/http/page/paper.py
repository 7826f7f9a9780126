"""What the view of a paper shows: its contents, related papers, marks, and a page of it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.resources.open_page import PageRequest
from citeloom.application.resources.page_layer import PageLayer
from citeloom.domain.annotations.annotation import mark_of
from citeloom.domain.errors import InvalidSource, UnsupportedFormat
from citeloom.domain.maps.resource_map import Node
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.resources.relations import RelationKind
from citeloom.infrastructure.http.next_steps import in_words
from citeloom.infrastructure.http.page.pictures import picture_url

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

_MOST_RELATED: Final = 20
# Of larger projects not all reference lists are read for one view.
_MOST_READ: Final = 60
_MOST_MARKS: Final = 200


class Part(NamedTuple):
    """A heading, figure or table; ``where`` names its pages of the file."""

    title: str
    where: str | None
    url: str | None
    parts: Sequence["Part"]


class Related(NamedTuple):
    """Papers of the project by how they are related; ``beyond`` are how many more there are."""

    name: str
    papers: Sequence[tuple[str, str]]
    beyond: int


class ReaderMark(NamedTuple):
    """An annotation of the reader; ``where`` names its page of the file."""

    quote: str
    comment: str
    color: str | None
    where: str | None
    url: str | None


class PaperView(NamedTuple):
    """``layer`` is the page that is shown; a document without pages has its ``text``."""

    title: str
    authors: str
    year: int | None
    citekey: str | None
    notes: Sequence[str]
    parts: Sequence[Part]
    related: Sequence[Related]
    relate: str | None
    marks: Sequence[ReaderMark]
    layer: PageLayer | None = None
    picture: str | None = None
    before: str | None = None
    after: str | None = None
    text: str = ""


def opened(
    application: "Application", project: str, document: str, page: int, *, related: bool = False
) -> PaperView:
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
        related=_related(application, stored) if related else (),
        relate=None if related else _url(project, stored.document_id, page) + "&related=true",
        marks=_marks(application, stored),
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


def _related(application: "Application", stored: StoredDocument) -> Sequence[Related]:
    count = len(application.stores.catalogue.documents(stored.project_id))
    citing = count <= _MOST_READ
    graph = application.resources.relations.of_document(
        stored.project_id, stored.document_id, citing=citing
    )
    named = {
        one.uri: f"{one.title or one.name}{f' ({one.year})' if one.year else ''}"
        for one in graph.nodes
    }
    groups: dict[str, list[tuple[str, str]]] = {"Cites": [], "Same work": [], "Cited by": []}
    for one in graph.relations:
        source, target = one.ends
        other = target if source == graph.start else source
        if one.kind is not RelationKind.LINK:
            name = "Same work"
        else:
            name = "Cites" if source == graph.start else "Cited by"
        document = other.rsplit("/", 1)[-1]
        groups[name].append((named[other], _url(stored.project_id.value, document, 1)))
    shown = [name for name in groups if citing or name != "Cited by"]
    return [
        Related(name, groups[name][:_MOST_RELATED], max(0, len(groups[name]) - _MOST_RELATED))
        for name in shown
    ]


def _marks(application: "Application", stored: StoredDocument) -> Sequence[ReaderMark]:
    project_id, document = stored.project_id, stored.document_id
    noted = application.stores.annotations.annotations(project_id, document)
    marks = [mark_of(one, one.page) for one in noted]
    return [
        ReaderMark(
            quote=one.quote,
            comment=one.comment,
            color=one.color_name,
            where=f"PDF {one.page}" if one.page else None,
            url=_url(project_id.value, document, one.page) if one.page else None,
        )
        for one in marks[:_MOST_MARKS]
    ]


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
