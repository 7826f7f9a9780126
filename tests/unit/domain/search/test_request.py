"""Bounds and defaults of a search request, and the texts of its results."""

import pytest
from pydantic import ValidationError
from support.cases import each

from citeloom.domain.projects.project import ProjectId
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


@each("text", ["", "   ", "\n\t", "x" * (MAX_QUERY_CHARACTERS + 1)])
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
    assert request.mode is None
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
        "char_span": (0, 1800),
        "source_path": "/d.pdf",
    }
    assert len(QueryResultItem(text="x" * 1800, **values).text) == 1800
    with pytest.raises(ValidationError):
        QueryResultItem(text="x" * 1801, **values)
