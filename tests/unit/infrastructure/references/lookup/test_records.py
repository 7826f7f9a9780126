"""Records of services become items of CSL, whatever is in them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.infrastructure.references.formats.csl import meta_from_csl
from citeloom.infrastructure.references.lookup.records import (
    NoTitle,
    csl_record,
    openalex_record,
    openlibrary_record,
)

_NAMES = st.sampled_from(
    "type title subtitle author editor issued DOI URL ISBN page volume updated-by relation family "
    "given name date-parts publication_year authorships biblio primary_location publishers "
    "publish_date".split()
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(_NAMES, _JSON, max_size=8))
def test_any_answer_gives_an_item_that_can_be_cited_or_a_reason(answer: dict[str, Any]) -> None:
    for read in (
        lambda: csl_record(answer, "Crossref"),
        lambda: openalex_record(answer),
        lambda: openlibrary_record(answer, "9780262035613"),
    ):
        try:
            item = read()
        except NoTitle:
            continue
        assert meta_from_csl(item, "key").title
        assert item["custom"]["source"]


def test_markup_and_entities_of_publishers() -> None:
    title = (
        'The <i>E. coli</i> &amp; H<sub>2</sub>O\n <mml:math a="1"><mml:mi>x</mml:mi></mml:math>'
    )
    item = csl_record({"title": [title], "type": "posted-content"}, "Crossref")
    assert item["title"] == "The <i>E. coli</i> & H<sub>2</sub>O x"
    assert item["type"] == "article"


def test_a_subtitle_belongs_to_the_title_once() -> None:
    assert (
        csl_record({"title": "Ponds", "subtitle": ["A review"]}, "x")["title"] == "Ponds: A review"
    )
    whole = {"title": "Ponds: a review", "subtitle": ["A review"]}
    assert csl_record(whole, "x")["title"] == "Ponds: a review"


def test_groups_and_names_in_one_piece() -> None:
    authors = [
        {"name": "Pond Group"},
        {"literal": "Weir Team"},
        {"family": "Weir"},
        {"given": "Bo"},
    ]
    item = csl_record({"title": "Ponds", "author": [*authors, {}, "x"]}, "x")
    assert item["author"] == [
        {"literal": "Pond Group"}, {"literal": "Weir Team"}, {"family": "Weir"}, {"literal": "Bo"}
    ]  # fmt: skip


def test_retractions_and_versions_are_kept() -> None:
    notice = {
        "type": "retraction", "DOI": "10.5555/NOTICE",
        "updated": {"date-time": "2022-03-01T00:00:00Z"},
    }  # fmt: skip
    relation = {
        "is-preprint-of": [{"id-type": "doi", "id": "10.5555/PONDS"}],
        "cites": [{"id": "x"}],
    }
    item = csl_record({"title": "Ponds", "updated-by": [notice], "relation": relation}, "Crossref")
    assert item["custom"] == {
        "source": "Crossref",
        "updates": [{"type": "retraction", "DOI": "10.5555/notice", "date": "2022-03-01"}],
        "versions": [{"relation": "is-preprint-of", "id": "10.5555/ponds"}],
    }


def test_an_arxiv_doi_is_a_preprint_with_its_number() -> None:
    item = csl_record({"title": "Ponds", "DOI": "10.48550/ARXIV.2302.07302"}, "DataCite")
    assert (item["type"], item["number"]) == ("article", "arXiv:2302.07302")


@pytest.mark.parametrize(
    ("name", "person"),
    [
        ("Oriana M. Szélkuti", {"family": "Szélkuti", "given": "Oriana M."}),
        ("Szélkuti, Oriana", {"family": "Szélkuti", "given": "Oriana"}),
        ("UNESCO", {"literal": "UNESCO"}),
    ],
)
def test_names_of_openlibrary(name: str, person: dict[str, str]) -> None:
    book = {"title": "Ponds", "authors": [{"name": name}], "publish_date": "March 2, 1999"}
    item = openlibrary_record(book, "9780262035613")
    assert item["author"] == [person]
    assert item["issued"] == {"date-parts": [[1999]]}
