"""The page of a source beside what cites it, and texts to copy of a passage."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode

from citeloom.application.citation.cite import DEFAULT_STYLE
from citeloom.application.places.show import OpenedPlace, PageLayer, PageRequest
from citeloom.domain.citation.in_text import InText
from citeloom.domain.documents.spans import BBox, CharSpan
from citeloom.domain.errors import CiteLoomError
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.request import QueryResult
from citeloom.infrastructure.http.problems import in_words

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

NO_PAGES: Final = "The source has no pages; the passage stands as it is shown here."
_CHANGED: Final = "The paper no longer has these words as they were quoted: read the page."
_PIXELS: Final = 1600
_PART_PIXELS: Final = 800


class CitedPassage(NamedTuple):
    """``page`` counts those of the file, from 1; ``span`` is the passage in the document's text."""

    project: ProjectId
    document: str
    page: int | None
    span: CharSpan | None


class SourcePage(NamedTuple):
    """A page with the passage marked, and the URLs of the view at the pages beside it; ``best``
    are the boxes of the sentence to quote."""

    layer: PageLayer
    picture: str
    before: str | None
    after: str | None
    best: tuple[BBox, ...] = ()


Shown = tuple[SourcePage | None, str | None]


def source_page(
    application: "Application",
    passage: CitedPassage,
    url: Callable[[int], str],
    words: str | None = None,
) -> Shown:
    """The page, or what keeps it from being shown. ``url`` is that of the view at a page. With
    ``words`` of the document these are marked, wherever they are now, and a notice says that they
    are gone."""
    if passage.page is None:
        return None, NO_PAGES
    place = PageRequest(
        place=passage.document, project_id=passage.project, page=f"PDF {passage.page}"
    )
    try:
        opened = application.resources.show(place)
        span, note = passage.span, None
        if words is not None:
            start = opened.place.document.plain_text.find(words)
            span = CharSpan(start=start, end=start + len(words)) if start >= 0 else None
            note = None if span else _CHANGED
        return document_page(application, opened, passage.page, url, span), note
    except CiteLoomError as error:
        return None, in_words(error.message)


def document_page(
    application: "Application",
    opened: OpenedPlace,
    page: int,
    url: Callable[[int], str],
    span: CharSpan | None = None,
) -> SourcePage:
    """A page of an opened document, with ``span`` marked. Raises what ``Show.layer`` raises."""
    layer = application.resources.show.layer(opened, page, span)
    stored = opened.place.stored
    return SourcePage(
        layer=layer,
        picture=picture_url(stored.project_id.value, stored.document_id, page),
        before=url(page - 1) if page > 1 else None,
        after=url(page + 1) if page < layer.pages else None,
    )


def picture_url(project: str, document_id: str, page: int, box: BBox | None = None) -> str:
    """The picture of a page of the file, from 1, or of a box of it, in points."""
    path = f"/api/v1/documents/{document_id}/pages/{page}.png"
    named = {"project": project, "pixels": _PART_PIXELS if box else _PIXELS, "box": box or ()}
    return f"{path}?{urlencode(named, doseq=True)}"


def paper_url(project: str, document: str, page: int | None = None) -> str:
    """The view of a paper, at a page of the file, from 1."""
    named = {"project": project, "document": document} | ({"page": page} if page else {})
    return f"/paper?{urlencode(named)}"


#: Citation styles by name, and how people call them.
STYLES: Final = (
    ("apa", "APA"),
    ("chicago", "Chicago"),
    ("ieee", "IEEE"),
    ("nature", "Nature"),
    ("vancouver", "Vancouver"),
)
_FORMS: Final = (
    ("Pandoc, Quarto", InText.PANDOC),
    ("LaTeX", InText.LATEX),
    ("Typst", InText.TYPST),
)


class CopiedText(NamedTuple):
    name: str
    text: str


class Copies(NamedTuple):
    """``texts`` are citations by form and the formatted reference; ``quotation`` is ``words`` with
    ``citation``."""

    texts: Sequence[CopiedText]
    style: str
    words: str
    citation: str
    quotation: str


class QuotedWords(NamedTuple):
    """The sentence of a passage to quote, empty without one, and its printed pages; none if they
    are those of the passage."""

    words: str
    labels: tuple[str, ...]


def copies_of(
    application: "Application",
    result: QueryResult,
    rank: int,
    quoted: QuotedWords,
    style: str = DEFAULT_STYLE,
) -> Copies | None:
    """Of the hit of this rank; None without a citation. Raises InvalidRequest for an unknown
    style."""
    place = application.citation.cite.places(result)[rank - 1]
    if place is None:
        return None
    if quoted.labels:
        mention = place.mention.model_copy(update={"labels": quoted.labels})
        place = place.model_copy(update={"mention": mention})
    cite = application.citation.cite
    name = dict(STYLES).get(style, style)
    texts = [CopiedText(form, cite.together([place], kind)) for form, kind in _FORMS]
    texts.append(CopiedText(f"In text, {name}", cite.together([place], InText.TEXT, style)))
    texts += [
        CopiedText(f"Reference, {name}", entry.text) for entry in cite.bibliography([place], style)
    ]
    words = " ".join((quoted.words or result.items[rank - 1].text).split())
    citation = texts[0].text
    return Copies(texts, style, words, citation, f"“{words}” {citation}")
