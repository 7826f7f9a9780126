"""What the domain refuses, and what it takes although others refuse it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support.builders import a_citation

from citeloom.domain.citation.metadata import CiteKey
from citeloom.domain.documents.conversion import (
    Block,
    BlockLabel,
    ConversionResult,
    PageEntry,
    Structure,
)
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.projects.embedding_model import EmbeddingModel
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.search.filters import Filter
from citeloom.domain.search.fusion import Mode
from citeloom.domain.search.request import (
    DEFAULT_TOP_K,
    MAX_QUERY_CHARACTERS,
    MAX_TEXT,
    MAX_TOP_K,
    QueryRequest,
    QueryResult,
    QueryResultItem,
)

HERE = ProjectId.parse("thesis")


@pytest.mark.parametrize(
    "key",
    [
        "smith_2020-a",
        "smith:2020",
        "doe.roe/2019+2021",
        "müller2019größe",
        "Иванов2020",
        "王2021",
        "smith2020|b",
    ],
)
def test_keys_as_better_bibtex_makes_them_are_valid(key: str) -> None:
    assert CiteKey.is_valid(key)
    assert str(CiteKey(value=key)) == key
    assert a_citation(key).citekey == key


@pytest.mark.parametrize(
    "key", ["", "smith 2020", "smith,2020", "a{b}", "a\nb", "a@b", "a]b", "k" * 201, "a;b"]
)
def test_keys_that_would_break_a_citation_are_refused(key: str) -> None:
    assert not CiteKey.is_valid(key)
    with pytest.raises(ValidationError):
        CiteKey(value=key)
    with pytest.raises(ValidationError):
        a_citation(key)


@pytest.mark.parametrize("changes", [{"authors": ()}, {"year": 0}, {"year": -44}], ids=str)
def test_a_citation_needs_an_author_and_a_year_of_our_era(changes: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        a_citation(**changes)


def test_a_citation_may_lack_year_doi_and_url() -> None:
    citation = a_citation(year=None, doi=None, url=None)
    assert citation.year is None
    assert not citation.has_identifier
    assert a_citation(doi=None, url="https://example.org").has_identifier


@pytest.mark.parametrize("text", ["citeloom/clean-arch", "a/b", "local/Übung_2", "дом/книги"])
def test_a_project_id_is_namespace_and_name(text: str) -> None:
    assert ProjectId.parse(text).value == text


def test_a_bare_project_name_belongs_to_the_namespace_local() -> None:
    assert ProjectId.parse(" noslash ").value == "local/noslash"
    assert (ProjectId.parse("x").namespace, ProjectId.parse("x").name) == ("local", "x")


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "/",
        "a/",
        "/b",
        "a/b/c",
        "a b",
        "../x",
        "a/..",
        "a/.hidden",
        "-a",
        "a~b",
        "a/b.",
        "x" * 101,
        "a\x00b",
    ],
)
def test_what_is_no_project_id_is_refused_with_the_form_that_is_expected(text: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        ProjectId.parse(text)
    assert caught.value.details["parameter"] == "project"
    assert "project id" in caught.value.message


def test_a_project_id_that_cannot_name_a_folder_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="shorten it"):
        ProjectId.parse("長" * 60)


def test_the_two_ways_to_write_an_accent_name_one_project() -> None:
    assert ProjectId.parse("e\u0301tude") == ProjectId.parse("étude")


def test_collection_names_are_readable() -> None:
    assert ProjectId.parse("citeloom/clean-arch").collection == "proj-citeloom-clean-arch"
    assert ProjectId.parse("a/b-c").collection != ProjectId.parse("a-b/c").collection


SEGMENT = st.from_regex(r"[^\W_](?:[\w.-]{0,4}[\w-])?", fullmatch=True)
ASCII_SEGMENT = st.from_regex(r"[a-b](?:[ab._-]{0,3}[ab_-])?", fullmatch=True)
PROJECT_ID = st.one_of(
    st.builds("{}/{}".format, SEGMENT, SEGMENT),
    st.builds("{}/{}".format, ASCII_SEGMENT, ASCII_SEGMENT),
)


@given(PROJECT_ID, PROJECT_ID)
def test_no_two_projects_share_a_collection(a: str, b: str) -> None:
    one, other = ProjectId(value=a), ProjectId(value=b)
    assert (one.collection == other.collection) is (a == b)


@given(PROJECT_ID)
def test_a_collection_name_can_name_a_folder(text: str) -> None:
    name = ProjectId(value=text).collection
    assert name.isascii()
    assert len(name) <= 220
    assert not set(name) & set('/\\:*?"<>| ')
    assert not name.endswith(".")


@pytest.mark.parametrize("missing", ["page_map", "heading_tree"])
def test_a_structure_states_both_headings_and_pages_even_if_there_are_none(missing: str) -> None:
    given_ = {"page_map": (), "heading_tree": ()}
    del given_[missing]
    with pytest.raises(ValidationError, match=missing):
        Structure.model_validate(given_)


def test_a_conversion_refuses_places_outside_its_text() -> None:
    beyond = CharSpan(start=0, end=9)
    nothing = Structure(heading_tree=(), page_map=())
    with pytest.raises(ValidationError, match="after the text's end"):
        ConversionResult(
            doc_id="d",
            structure=nothing,
            plain_text="short",
            blocks=(Block(label=BlockLabel.TEXT, span=beyond),),
        )
    with pytest.raises(ValidationError, match="page 1"):
        ConversionResult(
            doc_id="d",
            structure=Structure(heading_tree=(), page_map=(PageEntry(page=1, spans=(beyond,)),)),
            plain_text="short",
        )


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "x" * (MAX_QUERY_CHARACTERS + 1)])
def test_an_empty_or_endless_question_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        QueryRequest(project_id=HERE, query_text=text)


@pytest.mark.parametrize("top_k", [0, -1, MAX_TOP_K + 1])
def test_a_question_asks_for_1_to_50_passages(top_k: int) -> None:
    with pytest.raises(ValidationError):
        QueryRequest(project_id=HERE, query_text="ponds", top_k=top_k)


def test_a_question_has_the_documented_defaults_and_is_trimmed() -> None:
    request = QueryRequest(project_id=HERE, query_text="  ponds \n")
    assert request.query_text == "ponds"
    assert (request.top_k, DEFAULT_TOP_K, MAX_TEXT) == (6, 6, 1800)
    assert request.mode is Mode.HYBRID
    assert request.filter == Filter()


def test_a_result_counts_its_items() -> None:
    with pytest.raises(ValidationError, match="count"):
        QueryResult(project="p", query="q", mode=Mode.DENSE, model="m", count=1, items=())


def test_an_item_never_shows_more_than_1800_characters() -> None:
    values = {
        "rank": 1,
        "score": 0.5,
        "document_id": "d",
        "chunk_id": "c",
        "address": "doc://d#pages=1",
        "knowledge_uri": "ndk://file/p/d/$chunk/00",
        "source_path": "/d.pdf",
    }
    assert len(QueryResultItem(text="x" * 1800, **values).text) == 1800
    with pytest.raises(ValidationError):
        QueryResultItem(text="x" * 1801, **values)


def test_models_with_other_weights_have_other_fingerprints() -> None:
    one = EmbeddingModel(name="m", dimension=3, digest="a" * 64, max_tokens=256)
    other = one.model_copy(update={"digest": "b" * 64})
    assert one.fingerprint == "m@3:" + "a" * 16
    assert one.fingerprint != other.fingerprint
