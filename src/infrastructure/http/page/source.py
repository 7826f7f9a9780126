"""The page of a source beside what cites it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode

from citeloom.application.places.show import OpenedPlace, PageLayer, PageRequest
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import CiteLoomError
from citeloom.domain.projects.project_id import ProjectId
from citeloom.infrastructure.http.next_steps import in_words

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

NO_PAGES: Final = "The source has no pages; the passage stands as it is shown here."
_CHANGED: Final = "The paper no longer has these words as they were quoted: read the page."
_PIXELS: Final = 1600


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


Shown = tuple[SourcePage | None, str | None]


def source_page(
    application: "Application", passage: CitedPassage, url: Callable[[int], str]
) -> Shown:
    """The page, or what keeps it from being shown. ``url`` is that of the view at a page."""
    if passage.page is None:
        return None, NO_PAGES
    place = PageRequest(
        place=passage.document, project_id=passage.project, page=f"PDF {passage.page}"
    )
    try:
        opened = application.resources.show(place)
        return _page(application, opened, passage.page, passage.span, url), None
    except CiteLoomError as error:
        return None, in_words(error.message)


def quoted_page(
    application: "Application", passage: CitedPassage, words: str, url: Callable[[int], str]
) -> Shown:
    """The page with these ``words`` of the document marked, wherever they stand in it now, and
    what is to be told: that they are gone, or what keeps the page from being shown."""
    if passage.page is None:
        return None, NO_PAGES
    place = PageRequest(
        place=passage.document, project_id=passage.project, page=f"PDF {passage.page}"
    )
    try:
        opened = application.resources.show(place)
        start = opened.place.document.plain_text.find(words)
        span = CharSpan(start=start, end=start + len(words)) if start >= 0 else None
        return _page(application, opened, passage.page, span, url), None if span else _CHANGED
    except CiteLoomError as error:
        return None, in_words(error.message)


def document_page(
    application: "Application",
    opened: OpenedPlace,
    page: int,
    url: Callable[[int], str],
    span: CharSpan | None = None,
) -> SourcePage:
    """A page of an opened document, with ``span`` marked. Raises what ``page_layer`` raises."""
    return _page(application, opened, page, span, url)


def _page(
    application: "Application",
    opened: OpenedPlace,
    page: int,
    span: CharSpan | None,
    url: Callable[[int], str],
) -> SourcePage:
    layer = application.resources.show.layer(opened, page, span)
    stored = opened.place.stored
    return SourcePage(
        layer=layer,
        picture=_picture(stored.project_id.value, stored.document_id, page),
        before=url(page - 1) if page > 1 else None,
        after=url(page + 1) if page < layer.pages else None,
    )


def _picture(project: str, document_id: str, page: int) -> str:
    path = f"/api/v1/documents/{document_id}/pages/{page}.png"
    return f"{path}?{urlencode({'project': project, 'pixels': _PIXELS})}"
