"""What the view *Ask* shows: hits by paper, filters with counts, the page of a hit."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode

from citeloom.application.resources.open_page import (
    OpenedPlace,
    PageRequest,
    PageState,
    states_of,
)
from citeloom.application.resources.page_layer import PageLayer
from citeloom.domain.citation.in_text import InText
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import InvalidSource, UnsupportedFormat
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.resources.page_reading import pages_with
from citeloom.domain.search.filters import Filter, parse_clause
from citeloom.domain.search.request import QueryRequest, QueryResult, QueryResultItem
from citeloom.domain.search.shown_hits import key_sentence
from citeloom.infrastructure.http.next_steps import in_words
from citeloom.infrastructure.http.page.pictures import picture_url

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

HITS: Final = 12
_FORMS: Final = (
    ("Pandoc", InText.PANDOC),
    ("LaTeX", InText.LATEX),
    ("Typst", InText.TYPST),
    ("Text", InText.TEXT),
)


class AskAddress(NamedTuple):
    """What the URL of the view says; ``hit`` counts from 1, ``page`` is one of the file, from 1."""

    project: str
    question: str = ""
    filters: tuple[str, ...] = ()
    hit: int = 1
    page: int | None = None

    def url(self, *, hit: int = 1, page: int | None = None) -> str:
        named: list[tuple[str, object]] = [("project", self.project), ("q", self.question)]
        named += [("filter", one) for one in self.filters]
        named += [("hit", hit)] if hit != 1 else []
        named += [("page", page)] if page else []
        return "/ask?" + urlencode([(name, value) for name, value in named if value])


class Marked(NamedTuple):
    """A passage around the sentence of it to quote, which is empty where it has none."""

    before: str
    best: str
    after: str


class AnsweringPassage(NamedTuple):
    """``uncertain``: the words are to be compared with the page before they are quoted."""

    number: int
    item: QueryResultItem
    text: Marked
    where: str
    url: str
    chosen: bool

    @property
    def uncertain(self) -> bool:
        return bool(self.item.text_uncertain)


class HitPaper(NamedTuple):
    """A paper and its hits; ``url`` leads to its contents."""

    url: str
    title: str
    authors: str
    year: int | None
    citekey: str | None
    hits: list[AnsweringPassage]


class Sheet(NamedTuple):
    """A page of a hit's paper: its picture, the text over it and where to go from here."""

    hit: AnsweringPassage
    layer: PageLayer
    picture: str
    before: str | None
    after: str | None


class Copies(NamedTuple):
    """Texts to copy of a hit: the citation by form, and the quotation with its citation."""

    hit: AnsweringPassage
    citations: Sequence[tuple[str, str]]
    words: str
    quotation: str


class ShownAnswer(NamedTuple):
    result: QueryResult
    papers: Sequence[HitPaper]
    sheet: Sheet | None
    copies: Copies | None
    note: str | None
    warnings: Sequence[str]


def answered(application: "Application", asked: AskAddress) -> ShownAnswer:
    """Raises what a query raises; a page that cannot be shown is told in ``note``."""
    project = ProjectId.parse(asked.project)
    clauses = Filter(clauses=tuple(map(parse_clause, asked.filters)))
    request = QueryRequest(
        project_id=project, query_text=asked.question, top_k=HITS, filter=clauses
    )
    result = application.search.query(request)
    hits = [_hit(item, asked) for item in result.items]
    chosen = next((one for one in hits if one.chosen), None)
    sheet, copies, note = None, None, None
    if chosen is not None:
        opened = _opened(application, asked, chosen.item)
        quoted = _pages_of(opened, chosen) if opened else ()
        sheet, note = _sheet(application, asked, chosen, opened, quoted)
        copies = _copies(application, result, chosen, quoted)
    warnings = [in_words(one) for one in result.warnings]
    return ShownAnswer(result, _by_paper(hits, asked), sheet, copies, note, warnings)


def _hit(item: QueryResultItem, asked: AskAddress) -> AnsweringPassage:
    return AnsweringPassage(
        number=item.rank,
        item=item,
        text=_marked(item.text, key_sentence(item)),
        where=_where(item),
        url=asked.url(hit=item.rank),
        chosen=item.rank == asked.hit,
    )


def _marked(text: str, best: str) -> Marked:
    before, found, after = text.partition(best) if best else (text, "", "")
    return Marked(before, found, after)


def _where(item: QueryResultItem) -> str:
    labels = item.page_labels
    if not labels:
        return item.place or ""
    return f"p. {labels[0]}" if len(labels) == 1 else f"pp. {labels[0]}–{labels[-1]}"


def _by_paper(hits: Iterable[AnsweringPassage], asked: AskAddress) -> Sequence[HitPaper]:
    """In the order of the best hit of each."""
    papers: dict[str, HitPaper] = {}
    for hit in hits:
        item = hit.item
        title, authors = item.title or item.source_path, ", ".join(item.authors)
        paper = HitPaper(_paper_url(item, asked), title, authors, item.year, item.citekey, [])
        papers.setdefault(item.document_id, paper).hits.append(hit)
    return list(papers.values())


def _paper_url(item: QueryResultItem, asked: AskAddress) -> str:
    named = {"project": item.project or asked.project, "document": item.document_id}
    return f"/paper?{urlencode(named)}"


def _opened(
    application: "Application", asked: AskAddress, item: QueryResultItem
) -> OpenedPlace | None:
    """The document of a hit; None where it has no pages."""
    if item.page_span is None:
        return None
    project = ProjectId.parse(item.project or asked.project)
    page = f"PDF {item.page_span[0]}"
    request = PageRequest(place=item.document_id, project_id=project, page=page)
    return application.resources.open_page(request)


def _pages_of(opened: OpenedPlace, hit: AnsweringPassage) -> Sequence[PageState]:
    """The pages of the sentence to quote, where the passage has more."""
    document, (start, end) = opened.place.document, hit.item.char_span
    at = document.plain_text.find(hit.text.best, start, end) if hit.text.best else -1
    if at < 0:
        return ()
    span = CharSpan(start=at, end=at + len(hit.text.best))
    return states_of(document, pages_with(document, span))


def _sheet(
    application: "Application",
    asked: AskAddress,
    hit: AnsweringPassage,
    opened: OpenedPlace | None,
    quoted: Sequence[PageState],
) -> tuple[Sheet | None, str | None]:
    item = hit.item
    if item.page_span is None or opened is None:
        return None, "This document has no pages; the passage stands as it is shown here."
    number = asked.page or (quoted[0].page if quoted else item.page_span[0])
    span = CharSpan(start=item.char_span[0], end=item.char_span[1])
    try:
        layer = application.resources.page_layer(opened, number, span)
    except (UnsupportedFormat, InvalidSource) as error:
        return None, in_words(error.message)
    return (
        Sheet(
            hit=hit,
            layer=layer,
            picture=picture_url(item.project or asked.project, item.document_id, number),
            before=asked.url(hit=hit.number, page=number - 1) if number > 1 else None,
            after=asked.url(hit=hit.number, page=number + 1) if number < layer.pages else None,
        ),
        None,
    )


def _copies(
    application: "Application",
    result: QueryResult,
    hit: AnsweringPassage,
    quoted: Sequence[PageState],
) -> Copies | None:
    place = application.citation.cite.places(result)[hit.number - 1]
    if place is None:
        return None
    labels = tuple(one.label for one in quoted if one.label)
    if labels and len(labels) == len(quoted):
        mention = place.mention.model_copy(update={"labels": labels})
        place = place.model_copy(update={"mention": mention})
    together = application.citation.cite.together
    citations = [(name, together([place], form)) for name, form in _FORMS]
    words = " ".join((hit.text.best or hit.item.text).split())
    return Copies(hit, citations, words, f"“{words}” {citations[0][1]}")
