"""Arguments that are missing, of another type or unknown: errors that name the parameter."""

from typing import Any

import pytest
from support.cases import each

from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.mcp.contract.arguments import read
from citeloom.infrastructure.mcp.contract.parameters import (
    IngestParameters,
    InspectParameters,
    ListProjectsParameters,
    MeaningParameters,
    NodeParameters,
    Parameters,
    QueryParameters,
)

ASK: dict[str, Any] = {"project": "p", "text": "t"}

WRONG: list[tuple[type[Parameters], dict[str, Any], str, str]] = [
    (QueryParameters, {"project": "p"}, "MISSING_PARAMETER", "text"),
    (QueryParameters, {"project": "p", "query": "t"}, "INVALID_PARAMETER", "query"),
    (IngestParameters, {"source": "/a"}, "MISSING_PARAMETER", "project"),
    (QueryParameters, {"project": "p", "text": None}, "MISSING_PARAMETER", "text"),
    (QueryParameters, {"project": "p", "text": " \n"}, "INVALID_PARAMETER", "text"),
    (QueryParameters, {"project": "p", "text": "x" * 32_001}, "INVALID_PARAMETER", "text"),
    (QueryParameters, ASK | {"project": []}, "INVALID_PARAMETER", "project"),
    (QueryParameters, ASK | {"context": 6}, "INVALID_PARAMETER", "context"),
    (QueryParameters, ASK | {"per_document": 0}, "INVALID_PARAMETER", "per_document"),
    (MeaningParameters, ASK | {"filters": {"tag": "x"}}, "INVALID_PARAMETER", "filters.tag"),
    (QueryParameters, ASK | {"top_k": 0}, "INVALID_PARAMETER", "top_k"),
    (QueryParameters, ASK | {"top_k": 21}, "INVALID_PARAMETER", "top_k"),
    (QueryParameters, ASK | {"top_k": "six"}, "INVALID_PARAMETER", "top_k"),
    (QueryParameters, ASK | {"top_k": 2.5}, "INVALID_PARAMETER", "top_k"),
    (QueryParameters, ASK | {"rerank": "perhaps"}, "INVALID_PARAMETER", "rerank"),
    (QueryParameters, {"project": {"a": 1}, "text": "t"}, "INVALID_PARAMETER", "project"),
    (QueryParameters, {"project": ["a", 7, {}], "text": "t"}, "INVALID_PARAMETER", "project.2"),
    (QueryParameters, ASK | {"more": ["q"] * 6}, "INVALID_PARAMETER", "more"),
    (QueryParameters, ASK | {"filters": '{"tag": "x"}'}, "INVALID_PARAMETER", "filters.tag"),
    (QueryParameters, ASK | {"filters": {"author": {}}}, "INVALID_PARAMETER", "filters.author"),
    (QueryParameters, {"project": "p\0", "text": "t"}, "INVALID_PARAMETER", "project"),
    (QueryParameters, ASK | {"text": "half \ud83d"}, "INVALID_PARAMETER", "text"),
    (
        QueryParameters,
        ASK | {"filters": {"doc": ["a", "\0"]}},
        "INVALID_PARAMETER",
        "filters.doc.1",
    ),
    (QueryParameters, ASK | {"a\0": 1}, "INVALID_PARAMETER", "a parameter's name"),
    (IngestParameters, {"project": "p", "source": "pdf\0x"}, "INVALID_PARAMETER", "source"),
    (IngestParameters, {"project": "p", "source": ["a", "b"]}, "INVALID_PARAMETER", "source"),
    (QueryParameters, ASK | {"k": 3}, "INVALID_PARAMETER", "k"),
    (QueryParameters, ASK | {"filters": "x"}, "INVALID_PARAMETER", "filters"),
    (QueryParameters, ASK | {"filters": {"tag": "x"}}, "INVALID_PARAMETER", "filters.tag"),
    (QueryParameters, ASK | {"filters": {"kind": "x"}}, "INVALID_PARAMETER", "filters.kind"),
    (InspectParameters, {"project": "p", "sample": 6}, "INVALID_PARAMETER", "sample"),
    (IngestParameters, {"project": "p"}, "MISSING_PARAMETER", "source"),
    (
        IngestParameters,
        {"project": "p", "source": "s", "options": {"force": True}},
        "INVALID_PARAMETER",
        "options.force",
    ),
    (NodeParameters, {"resource_id": "r"}, "MISSING_PARAMETER", "node_id"),
    (ListProjectsParameters, {"x": 1}, "INVALID_PARAMETER", "x"),
]


@each(("kind", "given", "code", "parameter"), WRONG)
def test_the_error_names_the_parameter(
    kind: type[Parameters], given: dict[str, Any], code: str, parameter: str
) -> None:
    with pytest.raises(CiteLoomError) as raised:
        read(kind, given)

    assert raised.value.code == code
    assert raised.value.details["parameter"] == parameter
    assert raised.value.message.startswith(f"{parameter}: ")


def test_an_unknown_parameter_is_told_which_there_are() -> None:
    with pytest.raises(CiteLoomError, match="there are tags, year, author") as raised:
        read(QueryParameters, ASK | {"filters": {"colour": "red"}})

    assert "zotero_attachment_key" not in raised.value.message


SLIPS: list[tuple[dict[str, Any], dict[str, Any]]] = [  # as models write it, as it is meant
    ({"top_k": "6"}, {"top_k": 6}),
    ({"top_k": 2.0}, {"top_k": 2}),
    ({"rerank": "true", "diverse": "False"}, {"rerank": True, "diverse": False}),
    ({"project": ["a", "b/c"]}, {"project": "a, b/c"}),
    ({"text": ["t"]}, {"text": "t"}),
    ({"more": "why?"}, {"more": ["why?"]}),
    ({"more": '["why?", "how?"]'}, {"more": ["why?", "how?"]}),
    ({"filters": '{"tags": "x"}'}, {"filters": {"tags": ["x"]}}),
    ({"filters": {"citekey": "@smith2020"}}, {"filters": {"citekey": ["smith2020"]}}),
    ({"filters": {"year": 2019}}, {"filters": {"year": "2019"}}),
    ({"filters": {"year": [2018, "2020..2022"]}}, {"filters": {"year": "2018,2020..2022"}}),
    ({"filters": {"author": "Smith"}}, {"filters": {"author": ["Smith"]}}),
]


@each(("given", "meant"), SLIPS)
def test_what_is_plainly_meant_is_taken(given: dict[str, Any], meant: dict[str, Any]) -> None:
    assert read(QueryParameters, ASK | given) == read(QueryParameters, ASK | meant)


def test_a_title_in_brackets_is_no_list() -> None:
    wanted = read(QueryParameters, ASK | {"filters": {"doc": "[Untitled] notes"}})
    assert wanted.filters.doc == ["[Untitled] notes"]


def test_null_counts_as_an_omitted_parameter() -> None:
    wanted = read(QueryParameters, ASK | {"top_k": None, "filters": {"year": None}})

    assert wanted == read(QueryParameters, ASK)
    assert wanted.top_k == 6


def test_nothing_of_the_inside_is_told() -> None:
    with pytest.raises(CiteLoomError, match=r"filters: input should be an object$"):
        read(QueryParameters, ASK | {"filters": "x"})
