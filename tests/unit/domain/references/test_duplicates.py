"""Copies of one work, versions, and what only seems to be a copy."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.citation.metadata import NOBODY, CitationMeta, CitationSource
from citeloom.domain.references.duplicates import (
    CopyGroup,
    CopyKind,
    TextSample,
    WorkCopy,
    find_copies,
    preprint_version,
    work_identifiers,
)

PONDS = "The evening cooling of small ponds"
GRIDS = "A grid has the smallest error of all"


def text(name: str, words: int = 3000) -> str:
    """Words that no other text has in this order."""
    return " ".join(f"{name}{number * number % 997}x{number % 41}" for number in range(words))


def copy(id: str, *, words: str = "", title: str = PONDS, **more: Any) -> WorkCopy:
    of_copy = {name: more.pop(name) for name in list(more) if name in WorkCopy.model_fields}
    stated = {"authors": ("Ann Weir",), "year": 2020, "type": "article-journal"} | more
    citation = CitationMeta(citekey=id, title=title, **stated)
    values: dict[str, Any] = {
        "identifiers": tuple(work_identifiers(citation)),
        "sample": TextSample.of(words),
        "stored_at": datetime(2026, 1, 1, tzinfo=UTC),
    }
    return WorkCopy(document_id=id, citation=citation, **(values | of_copy))


def only(*copies: WorkCopy) -> CopyGroup:
    (group,) = find_copies(copies)
    return group


def test_a_doi_a_title_or_a_text_in_common_makes_copies() -> None:
    doi = "10.5555/ponds"
    by_doi = only(copy("a", doi=doi), copy("b", doi=doi))
    assert (by_doi.kind, by_doi.why) == (CopyKind.DUPLICATE, f"the same DOI {doi}")
    by_title = only(copy("a"), copy("b", year=None, title="The Evening Cooling of Small-Ponds"))
    assert by_title.why == "the same title and authors"
    by_text = only(copy("a", words=text("p"), title="x"), copy("b", words=text("p"), title="y"))
    assert (by_text.kind, by_text.why) == (CopyKind.DUPLICATE, "100 % of the text in common")


@pytest.mark.parametrize("field", ["PMID", "ISBN"])
def test_numbers_of_other_registers_make_copies(field: str) -> None:
    csl = {field: "9780262035613"} if field == "ISBN" else {field: "123456"}
    group = only(*(copy(id, type="book", csl=csl, authors=(NOBODY,)) for id in "ab"))
    assert group.why == f"the same {field} {csl[field]}"


def test_chapters_have_the_isbn_of_their_book() -> None:
    csl = {"ISBN": "9780262035613"}
    chapters = [copy("a", type="chapter", csl=csl), copy("b", type="chapter", csl=csl, title=GRIDS)]
    assert find_copies(chapters) == []


def test_a_few_words_more_or_less_are_no_other_text() -> None:
    cover = "downloaded by a library on some day for one reader alone " * 5
    group = only(copy("a", words=text("p"), title="x"), copy("b", words=cover + text("p")))
    assert (group.kind, group.why) == (CopyKind.DUPLICATE, "100 % of the text in common")


def test_a_preprint_and_its_publication_are_versions() -> None:
    preprint = copy("pre", type="article", url="https://arxiv.org/abs/2301.00001", year=2018)
    group = only(copy("paper", doi="10.5555/ponds"), preprint)
    assert group.kind is CopyKind.VERSION
    assert group.why == "pre is a preprint of paper; the same title and authors"


def test_two_versions_of_a_preprint_are_told_by_their_stamps() -> None:
    own = ("arXiv:1706.03762",)
    stamped = "see arXiv:1601.00001v2; arXiv:1706.03762v5 [cs.CL] 6 Dec 2017"
    assert preprint_version(stamped, own) == 5
    assert preprint_version("see arXiv:1706.03762, arXiv:1601.00001v2", own) is None
    url = "https://arxiv.org/abs/1706.03762"
    one, other = (copy(f"a{n}", url=url, preprint_version=n) for n in (1, 5))
    group = only(one, other)
    assert group.kind is CopyKind.VERSION
    assert group.why == "versions 1 and 5; the same arXiv id 1706.03762"


def test_two_versions_of_a_preprint_are_told_by_their_dois() -> None:
    group = only(*(copy(f"a{n}", doi=f"10.1101/2020.01.01.1234v{n}") for n in (1, 2)))
    assert group.kind is CopyKind.VERSION
    assert group.why.startswith("versions 10.1101/2020.01.01.1234v1 and 10.1101/")


def test_versions_that_a_record_names_are_versions() -> None:
    custom = {"versions": [{"relation": "is-preprint-of", "id": "10.5555/ponds"}]}
    preprint = copy("pre", title=GRIDS, doi="10.1101/2020.01.01", csl={"custom": custom})
    group = only(preprint, copy("paper", doi="10.5555/ponds"))
    assert (group.kind, group.why) == (
        CopyKind.VERSION, "pre is preprint of paper, as its record says",
    )  # fmt: skip


def test_an_arxiv_doi_that_a_record_names_is_that_preprint() -> None:
    custom = {"versions": [{"relation": "has-preprint", "id": "10.48550/arxiv.2301.00001"}]}
    preprint = copy("pre", title=GRIDS, url="https://arxiv.org/abs/2301.00001", authors=("Bo",))
    group = only(copy("paper", doi="10.5555/ponds", csl={"custom": custom}), preprint)
    assert group.kind is CopyKind.VERSION
    assert group.why == "paper has preprint pre, as its record says"


def test_the_same_doi_on_another_text_is_not_clear() -> None:
    doi = "10.5555/ponds"
    group = only(copy("a", doi=doi, words=text("p")), copy("b", doi=doi, words=text("s")))
    assert group.kind is CopyKind.UNCLEAR
    assert "other text (0 % in common): a supplement" in group.why


def test_one_text_under_two_dois_is_not_clear() -> None:
    words = text("p")
    group = only(copy("a", doi="10.5555/a", words=words), copy("b", doi="10.5555/b", words=words))
    assert group.kind is CopyKind.UNCLEAR
    assert "two DOIs (10.5555/a, 10.5555/b)" in group.why


def test_a_book_contains_its_chapter() -> None:
    book = copy("book", title=GRIDS, words=f"{text('p')} {text('q', 9000)}")
    group = only(book, copy("chapter", words=text("p")))
    assert group.kind is CopyKind.UNCLEAR
    assert group.why.endswith("one is longer: it may contain the other")


def test_other_works_are_no_copies() -> None:
    other_author = copy("b", authors=("Bo Lock",))
    other_year = copy("c", year=1999)
    short = [copy("d", title="Editorial"), copy("e", title="Editorial")]
    texts = [copy("f", title="f", words=text("f")), copy("g", title="g", words=text("g"))]
    assert find_copies([copy("a"), other_author, other_year, *short, *texts]) == []


def test_a_notice_that_many_papers_have_makes_no_copies() -> None:
    notice = text("permission", 2000)
    copies = [
        copy(f"k{n}", title=f"t{n}", words=f"{notice} {text(f'w{n}', 1500)}") for n in range(14)
    ]
    assert find_copies(copies) == []


@each(
    ("better", "worse", "why"),
    [
        ({}, {"has_file": False}, "its file is there"),
        ({"words": text("p")}, {}, "it has text"),
        ({}, {"source": CitationSource.DOCUMENT}, "its citation is not provisional"),
        ({}, {"surety": 0.8}, "its text is more reliable"),
        (
            {"words": text("p")},
            {"words": text("p", 2000)},
            "it has more text",
        ),
        ({"is_noted": True}, {}, "you have tags, a note or a status on it"),
        ({}, {"stored_at": datetime(2026, 2, 2, tzinfo=UTC)}, "it was added first"),
    ],
)
def test_the_better_copy_is_first_with_the_reason(
    better: dict[str, Any], worse: dict[str, Any], why: str
) -> None:
    doi = "10.5555/ponds"
    group = only(copy("worse", doi=doi, **worse), copy("better", doi=doi, **better))
    assert (group.documents, group.better) == (("better", "worse"), why)


def test_copies_of_copies_are_one_group_and_versions_name_the_best() -> None:
    url = "https://arxiv.org/abs/1706.03762"
    copies = [
        copy("a", doi="10.5555/p", has_file=False),
        copy("b", doi="10.5555/p"),
        copy("c", doi="10.5555/p", has_file=False),
        copy("pre", type="article", url=url),
    ]
    groups = find_copies(copies)
    assert [(one.kind, one.documents) for one in groups] == [
        (CopyKind.DUPLICATE, ("b", "a", "c")),
        (CopyKind.VERSION, ("b", "pre")),
    ]


some = st.builds(
    copy,
    st.uuids().map(str),
    words=st.sampled_from(["", text("p", 400), text("q", 400), text("p", 350)]),
    title=st.sampled_from([PONDS, GRIDS, "x"]),
    doi=st.sampled_from([None, "10.5555/p", "10.5555/q", "10.1101/2020.1v1"]),
    type=st.sampled_from(["article", "article-journal"]),
)


@given(st.lists(some, max_size=7, unique_by=lambda one: one.document_id), st.randoms())
def test_groups_are_apart_and_do_not_depend_on_the_order(
    copies: list[WorkCopy], random: Any
) -> None:
    groups = find_copies(copies)
    copied = [id for one in groups if one.kind is CopyKind.DUPLICATE for id in one.documents]
    assert len(set(copied)) == len(copied)
    assert all(len(one.documents) >= 2 and one.why for one in groups)
    shuffled = list(copies)
    random.shuffle(shuffled)
    assert find_copies(shuffled) == groups
