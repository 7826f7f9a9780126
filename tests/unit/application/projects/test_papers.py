"""The list of papers: what it says of each, its order, its filters."""

from pathlib import Path

import pytest
from support.world import HERE, World

from citeloom.application.projects.inspection import ListedPaper, PaperState
from citeloom.domain.choices import SortKey
from citeloom.domain.errors import DocumentNotFound, InvalidRequest, ProjectNotFound
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.filters import Filter, parse_clause


def listed(world: World, *clauses: str, sort: SortKey = SortKey.AUTHOR) -> list[ListedPaper]:
    filter = Filter(clauses=tuple(map(parse_clause, clauses)))
    return list(world.projects.papers([HERE], filter, sort))


def keys(world: World, *clauses: str, sort: SortKey = SortKey.AUTHOR) -> list[str | None]:
    return [paper.citekey for paper in listed(world, *clauses, sort=sort)]


def test_a_paper_is_told_with_what_its_reference_says(library: World) -> None:
    document = library.document("ponds.md")
    assert document.citation is not None
    (paper,) = listed(library, "doc=ponds.md")
    assert paper.citekey == document.citation.citekey
    assert paper.authors == document.citation.authors
    assert (paper.year, paper.title) == (document.citation.year, document.citation.title)
    assert (paper.document_id, paper.pages) == (document.document_id, document.pages)
    assert document.document_id.startswith(paper.resource_id)


def test_the_order_is_that_of_the_key(library: World) -> None:
    every = listed(library)
    assert len(every) == 2
    for sort, value in (
        (SortKey.YEAR, lambda one: one.year),
        (SortKey.KEY, lambda one: one.citekey),
        (SortKey.TITLE, lambda one: one.title.casefold()),
        (SortKey.AUTHOR, lambda one: one.authors[0].split()[-1]),
    ):
        assert listed(library, sort=sort) == sorted(every, key=value), sort


def test_clauses_leave_out_what_they_do_not_hold_for(library: World) -> None:
    first, second = listed(library)
    assert first.year is not None
    assert keys(library, f"citekey={first.citekey}") == [first.citekey]
    assert keys(library, f"citekey!={first.citekey}") == [second.citekey]
    assert keys(library, f"year=..{first.year}") == [first.citekey, second.citekey]
    assert keys(library, f"year={first.year + 1}..") == []
    assert keys(library, f"year!={first.year}") == []
    assert keys(library, f"author={second.authors[0]}", f"doc={second.document_id}") == [
        second.citekey
    ]


def test_clauses_on_passages_and_unknown_documents_are_refused(library: World) -> None:
    with pytest.raises(InvalidRequest, match="passages have a section, documents have none"):
        listed(library, "section=methods")
    with pytest.raises(DocumentNotFound):
        listed(library, "doc=nothing.pdf")
    with pytest.raises(ProjectNotFound):
        library.projects.papers([ProjectId.parse("other")], Filter())


def test_a_file_that_is_gone_is_told(library: World) -> None:
    assert {paper.state for paper in listed(library)} <= {PaperState.COMPLETE, PaperState.UNCERTAIN}
    path = library.document("ponds.md").path
    assert path is not None
    Path(path).unlink()
    (paper,) = listed(library, "doc=ponds.md")
    assert paper.state is PaperState.MISSING
