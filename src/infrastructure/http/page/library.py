"""What the view *Library* shows: the papers of a project, sorted and filtered."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode

from citeloom.application.projects.papers import ListedPaper, PaperState
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.projects.sort_key import SortKey
from citeloom.domain.search.filters import Filter, parse_clause
from citeloom.infrastructure.http.page.ask import byline
from citeloom.infrastructure.http.page.chips import Chip, Chips, Filtered, chips

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

ROWS: Final = 200
RETRACTED: Final = "retracted"
_COLUMNS: Final = (
    ("Title", SortKey.TITLE),
    ("Authors", SortKey.AUTHOR),
    ("Year", SortKey.YEAR),
    ("Key", SortKey.KEY),
    ("Pages", SortKey.PAGES),
    ("State", SortKey.STATE),
)
_MEANINGS: Final[Mapping[str, str]] = {
    PaperState.UNFINISHED.value: "its ingest was broken off: add the file again",
    PaperState.MISSING.value: "the file is no longer where it was; its text can still be asked",
    PaperState.UNCERTAIN.value: "some pages may read otherwise than they are printed: compare "
    "before you quote",
    PaperState.UNCITED.value: "no entry of a reference file is of this paper: add one that has it",
    RETRACTED: "the work was retracted, or a concern was raised",
}


class LibraryAddress(NamedTuple):
    """What the URL of the view says; ``start`` counts from 0; ``state`` keeps papers about which
    there is something to do."""

    project: str
    words: str = ""
    filters: tuple[str, ...] = ()
    sort: SortKey = SortKey.AUTHOR
    descending: bool = False
    state: str = ""
    start: int = 0

    def url(self) -> str:
        named: list[tuple[str, object]] = [("project", self.project), ("words", self.words)]
        named += [("filter", one) for one in self.filters]
        named += [("sort", self.sort.value)] if self.sort is not SortKey.AUTHOR else []
        named += [("descending", "true")] if self.descending else []
        named += [("state", self.state), ("start", self.start)]
        return "/library?" + urlencode([(name, value) for name, value in named if value])

    def with_filters(self, filters: tuple[str, ...]) -> str:
        """The URL of the view with these filters."""
        return self._replace(filters=filters, start=0).url()


class SortColumn(NamedTuple):
    """``sorted`` is ``ascending``, ``descending`` or empty; the URL sorts by the column, the other
    way round where it is sorted already."""

    name: str
    sorted: str
    url: str


class PaperFlag(NamedTuple):
    """What is to be known or done about a paper, in a word and in a sentence."""

    name: str
    meaning: str


class Row(NamedTuple):
    """``title`` is that of the paper, without one the name of its file."""

    paper: ListedPaper
    title: str
    authors: str
    flags: Sequence[PaperFlag]
    url: str


class Papers(NamedTuple):
    """``states`` are filters by what is to be done, ``all`` is how many papers there are,
    ``uncited`` how many of those that are listed have no citation."""

    columns: Sequence[SortColumn]
    rows: Sequence[Row]
    chips: Chips
    states: Sequence[Chip]
    uncited: int
    all: int
    total: int
    start: int
    before: str | None
    after: str | None


def listed(application: "Application", wanted: LibraryAddress) -> Papers:
    """Raises ProjectNotFound, and InvalidRequest for a filter."""
    project = ProjectId.parse(wanted.project)
    clauses = Filter(clauses=tuple(map(parse_clause, wanted.filters)))
    papers = application.projects.papers([project], clauses, wanted.sort, wanted.words)
    documents = application.stores.catalogue.documents(project)
    works = [one.citation for one in documents if one.citation]
    retracted = application.citation.retracted(works)
    rows = [_row(one, retracted.get(one.citekey or "")) for one in _ordered(papers, wanted)]
    counts = Counter(flag.name for row in rows for flag in row.flags)
    if wanted.state:
        rows = [row for row in rows if wanted.state in {flag.name for flag in row.flags}]
    after = wanted.start + ROWS
    return Papers(
        columns=[_column(name, key, wanted) for name, key in _COLUMNS],
        rows=rows[wanted.start : after],
        chips=chips(documents, (), Filtered(wanted.filters, wanted.with_filters)),
        states=[_state(name, count, wanted) for name, count in sorted(counts.items())],
        uncited=sum(row.paper.citekey is None for row in rows),
        all=len(documents),
        total=len(rows),
        start=wanted.start,
        before=wanted._replace(start=max(0, wanted.start - ROWS)).url() if wanted.start else None,
        after=wanted._replace(start=after).url() if after < len(rows) else None,
    )


def _ordered(papers: Sequence[ListedPaper], wanted: LibraryAddress) -> Sequence[ListedPaper]:
    """The other way round where that is wanted; those without a value stay last."""
    if not wanted.descending:
        return papers
    known = [one for one in papers if _has(one, wanted.sort)]
    return [*reversed(known), *(one for one in papers if not _has(one, wanted.sort))]


def _has(paper: ListedPaper, sort: SortKey) -> bool:
    return bool(
        {
            SortKey.AUTHOR: paper.authors,
            SortKey.KEY: paper.citekey,
            SortKey.PAGES: True,
            SortKey.STATE: True,
            SortKey.TITLE: paper.title,
            SortKey.YEAR: paper.year,
        }[sort]
    )


def _column(name: str, key: SortKey, wanted: LibraryAddress) -> SortColumn:
    is_sorted = key is wanted.sort
    # The newest papers are what a reader looks for first.
    descending = not wanted.descending if is_sorted else key is SortKey.YEAR
    state = ("descending" if wanted.descending else "ascending") if is_sorted else ""
    return SortColumn(name, state, wanted._replace(sort=key, descending=descending, start=0).url())


def _state(name: str, count: int, wanted: LibraryAddress) -> Chip:
    on = wanted.state == name
    return Chip(name, count, on, wanted._replace(state="" if on else name, start=0).url())


def _row(paper: ListedPaper, retracted: str | None) -> Row:
    flags = [PaperFlag(RETRACTED, retracted)] if retracted else []
    if paper.state is not PaperState.COMPLETE:
        flags.append(PaperFlag(paper.state.value, _MEANINGS[paper.state.value]))
    return Row(
        paper=paper,
        title=paper.title or PurePath(paper.source_path or paper.resource_id).name,
        authors=byline(paper.authors),
        flags=flags,
        url="/paper?" + urlencode({"project": paper.project, "document": paper.document_id}),
    )
