"""What the view *Ask* shows: hits by paper, and the page of one of them."""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode

from citeloom.application.citation.cite import DEFAULT_STYLE
from citeloom.application.places.show import (
    OpenedPlace,
    PageRequest,
    PageState,
    states_of,
)
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import CiteLoomError
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.resources.reading import pages_with
from citeloom.domain.search.filters import Filter, parse_clause
from citeloom.domain.search.request import QueryRequest, QueryResult, QueryResultItem
from citeloom.domain.search.shown_hits import key_sentence, text_below_headings
from citeloom.infrastructure.http.next_steps import in_words
from citeloom.infrastructure.http.page.copies import Copies, QuotedWords, copies_of
from citeloom.infrastructure.http.page.source import NO_PAGES, SourcePage, document_page

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

HITS: Final = 12
_MOST_AUTHORS: Final = 3
#: Characters of a passage on each side of its best sentence that are read at a glance.
_NEAR: Final = 180


class AskAddress(NamedTuple):
    """What the URL of the view says; ``hit`` counts from 1, ``page`` is one of the file, from 1;
    ``style`` is that of the reference to copy."""

    project: str
    question: str = ""
    filters: tuple[str, ...] = ()
    hit: int = 1
    page: int | None = None
    style: str = DEFAULT_STYLE

    def url(self, *, hit: int = 1, page: int | None = None) -> str:
        named: list[tuple[str, object]] = [("project", self.project), ("q", self.question)]
        named += [("filter", one) for one in self.filters]
        named += [("style", self.style)] if self.style != DEFAULT_STYLE else []
        named += [("hit", hit)] if hit != 1 else []
        named += [("page", page)] if page else []
        return "/ask?" + urlencode([(name, value) for name, value in named if value])

    def with_filters(self, filters: tuple[str, ...]) -> str:
        """The URL of the view with these filters."""
        return self._replace(filters=filters).url()


class Marked(NamedTuple):
    """A passage around the sentence of it to quote, empty where it has none. ``before_cut`` and
    ``after_cut`` are far from it, and read only by who chooses the passage."""

    before_cut: str
    before: str
    best: str
    after: str
    after_cut: str


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


class ChosenHit(NamedTuple):
    """A hit, the page that it is on, what can be copied of it, and the hits beside it by their
    URLs. ``note`` says why there is no ``page``; ``from_picture``: the words to quote were read
    from a picture of the page by OCR."""

    hit: AnsweringPassage
    page: SourcePage | None
    note: str | None
    from_picture: bool
    copies: Copies | None
    before: str | None
    after: str | None


class ShownAnswer(NamedTuple):
    result: QueryResult
    papers: Sequence[HitPaper]
    chosen: ChosenHit | None
    warnings: Sequence[str]


def answered(application: "Application", asked: AskAddress) -> ShownAnswer:
    """Raises what a query raises, and InvalidRequest for a style that there is none of."""
    project = ProjectId.parse(asked.project)
    clauses = Filter(clauses=tuple(map(parse_clause, asked.filters)))
    request = QueryRequest(
        project_id=project, query_text=asked.question, top_k=HITS, filter=clauses
    )
    result = application.search.query(request)
    hits = [_hit(item, asked) for item in result.items]
    papers = _by_paper(hits, asked)
    in_order = [hit for paper in papers for hit in paper.hits]
    chosen = next((n for n, one in enumerate(in_order) if one.chosen), None)
    return ShownAnswer(
        result=result,
        papers=papers,
        chosen=None if chosen is None else _chosen(application, asked, result, in_order, chosen),
        warnings=[in_words(one) for one in result.warnings],
    )


def byline(authors: Sequence[str]) -> str:
    """Names of authors, of many the first ones."""
    if len(authors) <= _MOST_AUTHORS:
        return ", ".join(authors)
    return f"{', '.join(authors[:2])} and {len(authors) - 2} more"


def printed_pages(labels: Sequence[str], place: str | None) -> str:
    """``p. 3``, ``pp. 3–4``, or in a file without pages the place of the passage."""
    if not labels:
        return place or ""
    return f"p. {labels[0]}" if len(labels) == 1 else f"pp. {labels[0]}–{labels[-1]}"


def _hit(item: QueryResultItem, asked: AskAddress) -> AnsweringPassage:
    return AnsweringPassage(
        number=item.rank,
        item=item,
        text=marked(text_below_headings(item), key_sentence(item)),
        where=printed_pages(item.page_labels, item.place),
        url=asked.url(hit=item.rank),
        chosen=item.rank == asked.hit,
    )


def marked(text: str, best: str = "") -> Marked:
    """``text`` with the sentence to quote, or as much of its beginning as is read at a glance."""
    before, found, after = text.partition(best) if best else ("", "", text)
    near = _NEAR if found else 2 * _NEAR
    begin = before.find(" ", len(before) - near) + 1 if len(before) > near else 0
    end = after.rfind(" ", 0, near) if len(after) > near else len(after)
    end = end if end > 0 else len(after)
    return Marked(before[:begin], before[begin:], found, after[:end], after[end:])


def _by_paper(hits: Iterable[AnsweringPassage], asked: AskAddress) -> Sequence[HitPaper]:
    """In the order of the best hit of each."""
    papers: dict[str, HitPaper] = {}
    for hit in hits:
        item = hit.item
        title, authors = item.title or PurePath(item.source_path).name, byline(item.authors)
        paper = HitPaper(_paper_url(item, asked), title, authors, item.year, item.citekey, [])
        papers.setdefault(item.document_id, paper).hits.append(hit)
    return list(papers.values())


def _paper_url(item: QueryResultItem, asked: AskAddress) -> str:
    named = {"project": item.project or asked.project, "document": item.document_id}
    return f"/paper?{urlencode(named)}"


def _chosen(
    application: "Application",
    asked: AskAddress,
    result: QueryResult,
    hits: Sequence[AnsweringPassage],
    at: int,
) -> ChosenHit:
    """The hit ``at`` this place of the list, which is in the order of the papers."""
    hit = hits[at]
    opened = _opened(application, asked, hit)
    labels = tuple(one.label for one in opened.quoted if one.label)
    return ChosenHit(
        hit=hit,
        page=opened.page,
        note=opened.note,
        from_picture=opened.from_picture,
        copies=copies_of(
            application,
            result,
            hit.number,
            QuotedWords(hit.text.best, labels if len(labels) == len(opened.quoted) else ()),
            asked.style,
        ),
        before=hits[at - 1].url if at else None,
        after=hits[at + 1].url if at + 1 < len(hits) else None,
    )


class _OpenedHit(NamedTuple):
    """The page of a hit, unless another is asked for that of the sentence to quote; what keeps it
    from being shown; the pages of that sentence; and whether one of them was read by OCR."""

    page: SourcePage | None = None
    note: str | None = None
    quoted: Sequence[PageState] = ()
    from_picture: bool = False


def _opened(application: "Application", asked: AskAddress, hit: AnsweringPassage) -> _OpenedHit:
    item, found = hit.item, _OpenedHit()
    if item.page_span is None:
        return _OpenedHit(note=NO_PAGES)
    project = ProjectId.parse(item.project or asked.project)
    page = f"PDF {item.page_span[0]}"
    try:
        opened = application.resources.show(
            PageRequest(place=item.document_id, project_id=project, page=page)
        )
        document, quoted = opened.place.document, _quoted(opened, hit)
        pages = quoted or states_of(document, range(item.page_span[0], item.page_span[1] + 1))
        found = _OpenedHit(quoted=quoted, from_picture=any(one.ocr for one in pages))
        number = asked.page or (quoted[0].page if quoted else item.page_span[0])
        span = CharSpan(start=item.char_span[0], end=item.char_span[1])
        url = partial(_at_page, asked, hit.number)
        return found._replace(page=document_page(application, opened, number, url, span))
    except CiteLoomError as error:
        return found._replace(note=in_words(error.message))


def _at_page(asked: AskAddress, hit: int, page: int) -> str:
    return asked.url(hit=hit, page=page)


def _quoted(opened: OpenedPlace, hit: AnsweringPassage) -> tuple[PageState, ...]:
    """The pages of the sentence to quote, where the passage has more."""
    document, (start, end) = opened.place.document, hit.item.char_span
    at = document.plain_text.find(hit.text.best, start, end) if hit.text.best else -1
    if at < 0:
        return ()
    span = CharSpan(start=at, end=at + len(hit.text.best))
    return states_of(document, pages_with(document, span))
