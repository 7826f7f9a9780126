"""The page of a source beside what cites it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from citeloom.application.resources.open_page import PageRequest
from citeloom.application.resources.page_layer import PageLayer
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import CiteLoomError
from citeloom.domain.projects.project_id import ProjectId
from citeloom.infrastructure.http.next_steps import in_words
from citeloom.infrastructure.http.page.pictures import picture_url

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

_NO_PAGES = "The source has no pages; the passage stands as it is shown here."


class CitedPassage(NamedTuple):
    """``page`` counts those of the file, from 1; ``span`` is the passage in the document's text."""

    project: ProjectId
    document: str
    page: int | None
    span: CharSpan | None


class SourcePage(NamedTuple):
    """A page with the passage marked, and the URLs of the view at the pages beside it."""

    layer: PageLayer
    picture: str
    before: str | None
    after: str | None


def source_page(
    application: "Application", passage: CitedPassage, url: Callable[[int], str]
) -> tuple[SourcePage | None, str | None]:
    """The page, or what keeps it from being shown. ``url`` is that of the view at a page."""
    number = passage.page
    if number is None:
        return None, _NO_PAGES
    resources = application.resources
    request = PageRequest(place=passage.document, project_id=passage.project, page=f"PDF {number}")
    try:
        layer = resources.page_layer(resources.open_page(request), number, passage.span)
    except CiteLoomError as error:
        return None, in_words(error.message)
    return (
        SourcePage(
            layer=layer,
            picture=picture_url(passage.project.value, passage.document, number),
            before=url(number - 1) if number > 1 else None,
            after=url(number + 1) if number < layer.pages else None,
        ),
        None,
    )
