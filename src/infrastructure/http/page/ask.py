"""What the view *Ask* shows: filters with counts, hits by paper, the page of one of them."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode

from citeloom.application.citation.cite import DEFAULT_STYLE
from citeloom.application.places.show import OpenedPlace, PageRequest, PageState, states_of
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.domain.citation.own import OwnMetadata, status_of
from citeloom.domain.documents.fidelity import disputed_note
from citeloom.domain.documents.spans import CharSpan, ChunkKind
from citeloom.domain.errors import CiteLoomError
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.resources.reading import pages_with
from citeloom.domain.search.answerable import is_doubtful
from citeloom.domain.search.hits import key_sentence, text_below_headings
from citeloom.domain.search.request import QueryRequest, QueryResult, QueryResultItem
from citeloom.infrastructure.http.problems import in_words
from citeloom.infrastructure.http.routes.projects import filter_of

from .source import (
    NO_PAGES,
    Copies,
    QuotedWords,
    SourcePage,
    copies_of,
    document_page,
    paper_url,
)

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

#: Chips of a group that are shown at once, and with "more".
_FEW: Final = 12
#: Chips of the first group that are shown without opening the menu, where there is room.
_OPEN_CHIPS: Final = 3
_MOST: Final = 200


class Chip(NamedTuple):
    """A filter, how many papers or passages pass it, and the view with it (without it where it is
    ``on``)."""

    text: str
    number: int | None
    on: bool
    url: str


class ChipGroup(NamedTuple):
    """Filters by one field; ``counted`` names what their counts are of. ``more`` are those beyond
    a few; ``open`` are seen without opening the menu of all."""

    name: str
    counted: str
    chips: Sequence[Chip]
    more: Sequence[Chip]
    open: Sequence[Chip] = ()


class Chips(NamedTuple):
    """``on`` are the filters in force, each named with its field; ``groups`` are the filters to
    choose from."""

    on: Sequence[Chip]
    groups: Sequence[ChipGroup]


class Filtered(NamedTuple):
    """The filters in force, and the URL of the view with others."""

    filters: tuple[str, ...]
    url: Callable[[tuple[str, ...]], str]

    def chip(self, clause: str, text: str, count: int | None) -> Chip:
        on = clause in self.filters
        others = tuple(one for one in self.filters if one != clause)
        return Chip(text, count, on, self.url(others if on else (*others, clause)))


def chips(
    documents: Sequence[StoredDocument],
    hits: Sequence[QueryResultItem],
    view: Filtered,
    own: Mapping[str, OwnMetadata],
) -> Chips:
    """Filters with more than one value, the most frequent first; years newest first. Sections and
    kinds are those of the passages found, the others those of all papers. If passages were found,
    sections come first, because they narrow the reading. ``own`` are persons' own data about
    documents, by id."""
    works = [one.citation for one in documents if one.citation]
    years = Counter(
        year for one in documents if (year := one.citation.year if one.citation else one.year)
    )
    of_papers = {
        "year": [(str(year), count) for year, count in sorted(years.items(), reverse=True)],
        "author": _counted(_surnames(one) for one in documents),
        "type": _counted([one.type] for one in works if one.type),
        "collection": _counted(one.collections for one in works),
        "tag": _counted(one.tags for one in works),
        "status": _counted([status_of(own.get(one.document_id)).value] for one in documents),
    }
    of_hits = {
        "section": _counted(one.section_path for one in hits),
        "kind": _counted([one.kind.value] for one in hits),
    }
    groups = [
        *(_group(name, "passages found", values, view) for name, values in of_hits.items()),
        *(_group(name, "papers", values, view) for name, values in of_papers.items()),
    ]
    chosen = [one for one in groups if len(one.chips) > 1]
    shown = [one._replace(open=_open(one.chips)) for one in chosen[:1]]
    on = [view.chip(one, one.replace("=", " ", 1).replace('"', ""), None) for one in view.filters]
    return Chips(on, [*shown, *chosen[1:]])


def _open(chips: Sequence[Chip]) -> Sequence[Chip]:
    """The first of a group that are not in force, which are shown before all groups."""
    return [one for one in chips if not one.on][:_OPEN_CHIPS]


def _surnames(document: StoredDocument) -> Iterable[str]:
    authors = document.citation.authors if document.citation else document.authors
    return (author.split()[-1] for author in authors if author.strip())


def _counted(values: Iterable[Iterable[str]]) -> list[tuple[str, int]]:
    """The number of items with each value, counted once; values that no filter can express are left
    out."""
    counts = Counter(
        value for each in values for value in set(each) if value.strip() and '"' not in value
    )
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))


def _group(name: str, counted: str, values: Sequence[tuple[str, int]], view: Filtered) -> ChipGroup:
    made = [view.chip(_clause(name, text), text, count) for text, count in values[:_MOST]]
    return ChipGroup(name, counted, made[:_FEW], made[_FEW:])


def _clause(name: str, text: str) -> str:
    """Values with commas in quotes, as a comma parts values."""
    return f'{name}="{text}"' if "," in text else f"{name}={text}"


HITS: Final = 12
_MOST_AUTHORS: Final = 3
#: Characters of a passage on each side of its best sentence that are read at a glance.
_NEAR: Final = 180


class AskAddress(NamedTuple):
    """The parameters of the view's URL; ``hit`` counts from 1, ``page`` is one of the file, from 1;
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
    """A passage around the sentence to quote, empty without one. ``before_cut`` and ``after_cut``
    are far from it, for readers who choose the passage."""

    before_cut: str
    before: str
    best: str
    after: str
    after_cut: str


class AnsweringPassage(NamedTuple):
    """``uncertain``: the words are to be compared with the page before they are quoted.
    ``notes`` name the sentences for which alone that is so."""

    number: int
    item: QueryResultItem
    text: Marked
    where: str
    url: str
    chosen: bool

    @property
    def uncertain(self) -> bool:
        return bool(self.item.text_uncertain)

    @property
    def notes(self) -> list[str]:
        return [disputed_note(sentence) for sentence in self.item.disputed]


class HitPaper(NamedTuple):
    """A paper and its hits; ``url`` leads to its contents."""

    url: str
    title: str
    authors: str
    year: int | None
    citekey: str | None
    provisional: bool
    hits: list[AnsweringPassage]


class ChosenHit(NamedTuple):
    """A hit, its page, its texts to copy, and the URLs of neighbouring hits. ``note`` says why
    there is no ``page``; ``from_picture``: OCR read the words to quote from a picture of the page.
    """

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

    @property
    def is_doubtful(self) -> bool:
        """Whether the passages probably do not answer the question."""
        return is_doubtful(self.result.probability)


def answered(application: "Application", asked: AskAddress) -> ShownAnswer:
    """Raises what a query raises, and InvalidRequest for an unknown style."""
    project = ProjectId.parse(asked.project)
    request = QueryRequest(
        project_id=project,
        query_text=asked.question,
        top_k=HITS,
        filter=filter_of(asked.filters),
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
        text=_text(item),
        where=printed_pages(item.page_labels, item.place),
        url=asked.url(hit=item.rank),
        chosen=item.rank == asked.hit,
    )


def _text(item: QueryResultItem) -> Marked:
    """The passage around its best sentence; of the text in a figure the caption and the labels."""
    if item.kind is ChunkKind.FIGURE:
        labels = " · ".join(item.text.split("\n"))
        return marked(f"{item.header or ''}\n{labels}".strip(), item.header or "")
    return marked(text_below_headings(item), key_sentence(item))


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
        paper = HitPaper(
            url=paper_url(item.project or asked.project, item.document_id), title=title,
            authors=authors, year=item.year, citekey=item.citekey,
            provisional=item.is_provisional, hits=[],
        )  # fmt: skip
        papers.setdefault(item.document_id, paper).hits.append(hit)
    return list(papers.values())


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
    """The page of a hit, or another requested page; what keeps it from being shown; the pages of
    the sentence to quote; and whether OCR read one of them."""

    page: SourcePage | None = None
    note: str | None = None
    quoted: Sequence[PageState] = ()
    from_picture: bool = False


def _opened(application: "Application", asked: AskAddress, hit: AnsweringPassage) -> _OpenedHit:
    item, found = hit.item, _OpenedHit()
    if item.page_span is None:
        return _OpenedHit(note=NO_PAGES)
    place = PageRequest(
        place=item.document_id,
        project_id=ProjectId.parse(item.project or asked.project),
        page=f"PDF {item.page_span[0]}",
    )
    try:
        opened = application.resources.show(place)
        document, best = opened.place.document, _best(opened, hit)
        quoted = states_of(document, pages_with(document, best)) if best else ()
        pages = quoted or states_of(document, range(item.page_span[0], item.page_span[1] + 1))
        found = _OpenedHit(quoted=quoted, from_picture=any(one.ocr for one in pages))
        number = asked.page or (quoted[0].page if quoted else item.page_span[0])
        span = CharSpan(start=item.char_span[0], end=item.char_span[1])
        page = document_page(
            application, opened, number, lambda one: asked.url(hit=hit.number, page=one), span
        )
        boxes = application.resources.show.boxes(opened, number, best) if best else ()
        return found._replace(page=page._replace(best=boxes))
    except CiteLoomError as error:
        return found._replace(note=in_words(error.message))


def _best(opened: OpenedPlace, hit: AnsweringPassage) -> CharSpan | None:
    """The place of the sentence to quote in the document's text."""
    text, best = opened.place.document.plain_text, hit.text.best
    at = text.find(best, *hit.item.char_span) if best else -1
    return CharSpan(start=at, end=at + len(best)) if at >= 0 else None
