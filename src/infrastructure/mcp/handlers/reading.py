"""Handlers of open_page, list_documents and cite."""

from mcp.types import ImageContent

from citeloom.application.citation.cite import CitedPlace
from citeloom.application.places.show import OpenedPlace, PageRequest
from citeloom.domain.citation.in_text import InText
from citeloom.domain.errors import CiteLoomError, DocumentNotFound, InvalidRequest
from citeloom.domain.messages import prefixed
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.projects.sort_key import SortKey
from citeloom.infrastructure.mcp.answers import reading
from citeloom.infrastructure.mcp.contract.filters import to_filter
from citeloom.infrastructure.mcp.contract.parameters.reading import (
    CiteParameters,
    ListDocumentsParameters,
    OpenPageParameters,
)
from citeloom.infrastructure.mcp.protocol.blocks import PICTURE, Illustrated, picture
from citeloom.infrastructure.serving.next_steps import in_words
from citeloom.infrastructure.serving.served import Served


def open_page(served: Served, parameters: OpenPageParameters) -> Illustrated:
    found = served.application.resources.show(
        PageRequest(
            place=parameters.place,
            project_id=ProjectId.parse(parameters.project) if parameters.project else None,
            page=parameters.pages,
            section=parameters.section,
            around=parameters.around,
        )
    )
    answer, figures = reading.opened(found, parameters.offset)
    if not parameters.image:
        return Illustrated(answer, tuple(figures))
    try:
        pictures = _pictures(served, found, parameters.quote, answer)
    except CiteLoomError as error:
        warning = in_words(prefixed("no image: ", error.message))
        answer.setdefault("warnings", []).append(warning)
        return Illustrated(answer, tuple(figures))
    return Illustrated(answer, (*pictures, *figures))


def _pictures(
    served: Served, found: OpenedPlace, quote: str | None, answer: reading.PageReply
) -> list[ImageContent]:
    """The pictures of a place; what is on them is entered in ``answer``."""
    draw = served.application.resources.show.pictures
    try:
        pages = draw(found, PICTURE, quote)
    except InvalidRequest as error:
        if error.details.get("parameter") != "quote":
            raise
        answer.setdefault("warnings", []).append(in_words(error.message))
        pages = draw(found, PICTURE)
    answer["images"] = [
        {"pdf": one.page, "marked": True} if one.marked else {"pdf": one.page} for one in pages
    ]
    return [picture(one.png) for one in pages]


def list_documents(served: Served, parameters: ListDocumentsParameters) -> reading.DocumentsReply:
    application = served.application
    asked = ProjectId.parse(parameters.project) if parameters.project else None
    asked = asked or application.projects.choice.default()
    ids = [asked] if asked else [one.id for one in application.stores.catalogue.projects()]
    papers = application.projects.papers(
        ids, to_filter(parameters.filters), SortKey(parameters.sort), parameters.text or ""
    )
    return reading.documents(papers, parameters.limit, parameters.cursor, several=len(ids) > 1)


def cite(served: Served, parameters: CiteParameters) -> reading.CiteReply:
    """Works that are not found are told beside those that are."""
    citation = served.application.citation
    project_id = served.application.projects.choice(parameters.project)
    form = InText(parameters.form)
    if not parameters.works:
        works = citation.export.named(project_id).works
        entries = citation.cite.works_bibliography(works, parameters.style)
        pairs = [(entry.citekey, entry.text) for entry in entries]
        return reading.cited(None, pairs, citation.retracted(works), parameters.cursor)
    places, failed = list[CitedPlace](), list[CiteLoomError]()
    for name in parameters.works:
        try:
            places.append(_place(served, project_id, name))
        except CiteLoomError as error:
            failed.append(error)
    if not places:
        raise failed[0]
    entries = citation.cite.bibliography(places, parameters.style)
    answer = reading.cited(
        citation.cite.together(places, form, parameters.style),
        [(entry.citekey, entry.text) for entry in entries] if parameters.bibliography else None,
        citation.retracted([place.work for place in places]),
        parameters.cursor,
    )
    warnings = [one for place in places for one in place.warnings]
    warnings += [in_words(error.message) for error in failed]
    if warnings:
        answer["warnings"] = warnings
    return answer


def _place(served: Served, project_id: ProjectId, name: str) -> CitedPlace:
    """The work that ``name`` means, at the pages that it names."""
    places = served.application.citation.cite
    if "://" not in name:
        try:
            return places.place(project_id, name)
        except DocumentNotFound as unknown:
            try:
                return places.place(project_id, _citation(served, project_id, name))
            except CiteLoomError:
                raise unknown from None
    return places.place(project_id, _citation(served, project_id, name))


def _citation(served: Served, project_id: ProjectId, name: str) -> str:
    """The citation of a place, with its pages; the name itself where nothing is known of it."""
    request = PageRequest(place=name, project_id=project_id)
    return served.application.resources.show(request).citation or name
