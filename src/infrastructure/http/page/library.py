"""What the view *Library* shows: the papers of a project, sorted and filtered."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode

from citeloom.application.projects.papers import ListedPaper, PaperState
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.projects.sort_key import SortKey
from citeloom.domain.search.filters import Filter, parse_clause

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

ROWS: Final = 200
_COLUMNS: Final = (
    ("Key", SortKey.KEY),
    ("Authors", SortKey.AUTHOR),
    ("Year", SortKey.YEAR),
    ("Title", SortKey.TITLE),
    ("Pages", SortKey.PAGES),
    ("State", SortKey.STATE),
)


class LibraryAddress(NamedTuple):
    """What the URL of the view says; ``start`` counts from 0."""

    project: str
    words: str = ""
    filters: tuple[str, ...] = ()
    sort: SortKey = SortKey.AUTHOR
    start: int = 0

    def url(self) -> str:
        named: list[tuple[str, object]] = [("project", self.project), ("words", self.words)]
        named += [("filter", one) for one in self.filters]
        named += [("sort", self.sort.value)] if self.sort is not SortKey.AUTHOR else []
        named += [("start", self.start)] if self.start else []
        return "/library?" + urlencode([(name, value) for name, value in named if value])


class SortColumn(NamedTuple):
    name: str
    sorted: bool
    url: str


class Row(NamedTuple):
    """A paper; ``flag`` says what is to be done about it, and ``retracted`` what is known."""

    paper: ListedPaper
    authors: str
    flag: str | None
    retracted: str | None
    url: str


class Papers(NamedTuple):
    columns: Sequence[SortColumn]
    rows: Sequence[Row]
    total: int
    start: int
    before: str | None
    after: str | None


def listed(application: "Application", wanted: LibraryAddress) -> Papers:
    """Raises ProjectNotFound, and InvalidRequest for a filter."""
    project = ProjectId.parse(wanted.project)
    clauses = Filter(clauses=tuple(map(parse_clause, wanted.filters)))
    papers = application.projects.papers([project], clauses, wanted.sort, wanted.words)
    shown = papers[wanted.start : wanted.start + ROWS]
    retracted = _retracted(application, project)
    columns = [
        SortColumn(name, key is wanted.sort, wanted._replace(sort=key, start=0).url())
        for name, key in _COLUMNS
    ]
    after = wanted.start + ROWS
    return Papers(
        columns=columns,
        rows=[_row(one, retracted.get(one.citekey or "")) for one in shown],
        total=len(papers),
        start=wanted.start,
        before=wanted._replace(start=max(0, wanted.start - ROWS)).url() if wanted.start else None,
        after=wanted._replace(start=after).url() if after < len(papers) else None,
    )


def _retracted(application: "Application", project: ProjectId) -> Mapping[str, str]:
    documents = application.stores.catalogue.documents(project)
    return application.citation.retracted([one.citation for one in documents if one.citation])


def _row(paper: ListedPaper, retracted: str | None) -> Row:
    first, *others = paper.authors or ("",)
    return Row(
        paper=paper,
        authors=f"{first} and {len(others)} more" if len(others) > 2 else ", ".join(paper.authors),
        flag=None if paper.state is PaperState.COMPLETE else paper.state.value,
        retracted=retracted,
        url="/paper?" + urlencode({"project": paper.project, "document": paper.document_id}),
    )
