"""Which document an entry of a reference list means: surely, or none."""

from typing import Any

import pytest
from support.cases import each

from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.references.entries.reference_list import CitedWork
from citeloom.domain.references.works import LinkTarget, ReferenceLink, ReferenceLinker

TITLE = "Cooling of urban ponds in summer evenings"
PONDS = LinkTarget(
    uri="ponds", identifiers=("10.5555/Ponds",), title=TITLE, year=2020, authors=("Szelkúti, Ilka",)
)


def work(**facts: Any) -> CitedWork:
    return CitedWork(text="x", span=CharSpan(start=0, end=1), **facts)


def link(given: CitedWork, *targets: LinkTarget) -> ReferenceLink | None:
    return ReferenceLinker(targets or (PONDS,)).link(given)


@pytest.mark.parametrize("doi", ["10.5555/ponds", "https://doi.org/10.5555/PONDS"])
def test_a_doi_names_its_document(doi: str) -> None:
    assert link(work(doi=doi)) == ReferenceLink("ponds", "doi")


@pytest.mark.parametrize(
    "known", ["arXiv:2401.00001", "https://arxiv.org/abs/2401.00001v2", "10.48550/arXiv.2401.00001"]
)
def test_an_arxiv_id_names_its_document_in_any_dress(known: str) -> None:
    target = LinkTarget(uri="preprint", identifiers=(known,))
    assert link(work(arxiv_id="arXiv:2401.00001"), target) == ReferenceLink("preprint", "arxiv")
    assert link(work(doi="10.48550/arxiv.2401.00001"), target) == ReferenceLink("preprint", "arxiv")


@each(
    "facts",
    [
        {"year": 2020},
        {"year": 2021},
        {"author": "Szelkuti"},
        {"author": "Szelkuti", "year": 2019},
        {"author": "Szelkuti", "arxiv_id": "arXiv:2401.00001"},
    ],
)
def test_a_title_with_year_or_author_names_its_document(facts: dict[str, Any]) -> None:
    titled = work(title="The Cooling of Urban Ponds in Summer Evenings", **facts)
    assert link(titled) == ReferenceLink("ponds", "title")


@each(
    "facts",
    [
        {"title": TITLE},
        {"title": TITLE, "year": 2017},
        {"title": TITLE, "year": 2017, "author": "Szelkuti"},
        {"title": TITLE, "year": 2020, "author": "Quillenbrook"},
        {"title": TITLE, "year": 2020, "doi": "10.5555/others"},
        {"title": "Cooling of urban streets in summer evenings", "year": 2020},
        {"title": "Ponds", "year": 2020},
        {"doi": "10.5555/others"},
        {},
    ],
)
def test_what_is_not_certain_is_no_link(facts: dict[str, Any]) -> None:
    assert link(work(**facts)) is None


def test_what_could_be_either_of_two_is_no_link() -> None:
    copy = PONDS.model_copy(update={"uri": "copy"})
    assert link(work(doi="10.5555/ponds"), PONDS, copy) is None
    assert link(work(title=TITLE, year=2020), PONDS, copy) is None
