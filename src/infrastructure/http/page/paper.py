"""What the view of a paper shows: its contents, related papers, marks, and a page of it."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode

from citeloom.application.places.show import PageRequest
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.domain.annotations.annotation import mark_of
from citeloom.domain.errors import InvalidSource, UnsupportedFormat
from citeloom.domain.maps.resource_map import Node
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.resources.metadata import RelationKind
from citeloom.infrastructure.http.next_steps import in_words
from citeloom.infrastructure.http.page.source import SourcePage, document_page

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

_MOST_RELATED: Final = 20
_MOST_MARKS: Final = 200


class Part(NamedTuple):
    """A heading, figure or table; ``where`` names its pages of the file."""

    title: str
    kind: str
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
    """``page`` is the page that is shown; a document without pages has its ``text``. ``related``
    is None where it was not asked for; ``relate`` is the URL that asks. ``link`` opens the work in
    Zotero, by DOI or on the web."""

    project: str
    document: str
    title: str
    authors: str
    year: int | None
    citekey: str | None
    ask: str | None
    link: str | None
    notes: Sequence[str]
    parts: Sequence[Part]
    related: Sequence[Related] | None
    relate: str
    marks: Sequence[ReaderMark]
    page: SourcePage | None = None
    text: str = ""


def opened(
    application: "Application", project: str, document: str, page: int, *, related: bool = False
) -> PaperView:
    """Raises what ``open_page`` raises; InvalidRequest for a page that it does not have."""
    project_id = ProjectId.parse(project)
    whole = application.resources.show(PageRequest(place=document, project_id=project_id))
    stored, converted = whole.place.stored, whole.place.document
    structure = application.maps.structure.map(project_id, stored.document_id)
    work = stored.citation
    told = application.citation.retracted([work]) if work else {}
    paper = PaperView(
        project=project_id.value,
        document=stored.document_id,
        title=(work.title if work else converted.title) or PurePath(stored.path or document).name,
        authors=", ".join(work.authors if work else stored.authors),
        year=work.year if work else stored.year,
        citekey=work.citekey if work else None,
        ask="/ask?" + urlencode({"project": project, "filter": f"citekey={work.citekey}"})
        if work
        else None,
        link=application.citation.cite.place(project_id, stored.document_id).link if work else None,
        notes=list(told.values()),
        parts=[_part(node, project, stored.document_id) for node in structure.nodes],
        related=_related(application, stored) if related else None,
        relate=_url(project, stored.document_id, page) + "&related=true",
        marks=_marks(application, stored),
    )
    if not converted.page_count:
        return paper._replace(text=whole.text.text)
    try:
        shown = document_page(
            application, whole, page, lambda one: _url(project, stored.document_id, one)
        )
    except (UnsupportedFormat, InvalidSource) as error:
        notes = [*paper.notes, in_words(error.message)]
        return paper._replace(notes=notes, text=whole.text.text)
    return paper._replace(page=shown)


def _related(application: "Application", stored: StoredDocument) -> Sequence[Related]:
    graph = application.resources.relations.of_document(
        stored.project_id, stored.document_id, citing=True
    )
    named = {
        one.uri: f"{one.title or one.name}{f' ({one.year})' if one.year else ''}"
        for one in graph.nodes
    }
    groups: dict[str, list[tuple[str, str]]] = {"Cites": [], "Cited by": [], "Same work": []}
    for one in graph.relations:
        source, target = one.ends
        other = target if source == graph.start else source
        if one.kind is not RelationKind.LINK:
            name = "Same work"
        else:
            name = "Cites" if source == graph.start else "Cited by"
        document = other.rsplit("/", 1)[-1]
        groups[name].append((named[other], _url(stored.project_id.value, document, 1)))
    return [
        Related(name, papers[:_MOST_RELATED], max(0, len(papers) - _MOST_RELATED))
        for name, papers in groups.items()
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
        kind=node.type,
        where=where,
        url=_url(project, document, pages[0]) if pages else None,
        parts=[_part(one, project, document) for one in node.children],
    )


def _url(project: str, document: str, page: int) -> str:
    return "/paper?" + urlencode({"project": project, "document": document, "page": page})
