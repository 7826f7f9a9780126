"""Arguments that are missing, of another type or unknown: errors that name the parameter."""

from typing import Any

import pytest

from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.mcp.contract.arguments import read
from citeloom.infrastructure.mcp.contract.parameters.base import Parameters
from citeloom.infrastructure.mcp.contract.parameters.ingest import IngestParameters
from citeloom.infrastructure.mcp.contract.parameters.maps import NodeParameters
from citeloom.infrastructure.mcp.contract.parameters.projects import InspectParameters, NoParameters
from citeloom.infrastructure.mcp.contract.parameters.search import (
    MeaningParameters,
    QueryParameters,
)

ASK: dict[str, Any] = {"project": "p", "text": "t"}

WRONG: list[tuple[type[Parameters], dict[str, Any], str, str]] = [
    (QueryParameters, {"project": "p"}, "MISSING_PARAMETER", "text"),
    (QueryParameters, {"text": "t"}, "MISSING_PARAMETER", "project"),
    (QueryParameters, {"project": "p", "text": None}, "MISSING_PARAMETER", "text"),
    (QueryParameters, {"project": "p", "text": " \n"}, "INVALID_PARAMETER", "text"),
    (QueryParameters, {"project": "p", "text": "x" * 32_001}, "INVALID_PARAMETER", "text"),
    (QueryParameters, {"project": 7, "text": "t"}, "INVALID_PARAMETER", "project"),
    (QueryParameters, ASK | {"project": []}, "INVALID_PARAMETER", "project"),
    (QueryParameters, ASK | {"rerank": 1}, "INVALID_PARAMETER", "rerank"),
    (QueryParameters, ASK | {"context": 6}, "INVALID_PARAMETER", "context"),
    (QueryParameters, ASK | {"per_document": 0}, "INVALID_PARAMETER", "per_document"),
    (MeaningParameters, ASK | {"filters": {"tag": "x"}}, "INVALID_PARAMETER", "filters.tag"),
    (QueryParameters, ASK | {"top_k": 0}, "INVALID_PARAMETER", "top_k"),
    (QueryParameters, ASK | {"top_k": 21}, "INVALID_PARAMETER", "top_k"),
    (QueryParameters, ASK | {"top_k": "6"}, "INVALID_PARAMETER", "top_k"),
    (QueryParameters, ASK | {"k": 3}, "INVALID_PARAMETER", "k"),
    (QueryParameters, ASK | {"filters": "x"}, "INVALID_PARAMETER", "filters"),
    (QueryParameters, ASK | {"filters": {"tag": "x"}}, "INVALID_PARAMETER", "filters.tag"),
    (QueryParameters, ASK | {"filters": {"tags": "x"}}, "INVALID_PARAMETER", "filters.tags"),
    (QueryParameters, ASK | {"filters": {"tags": [1]}}, "INVALID_PARAMETER", "filters.tags.0"),
    (QueryParameters, ASK | {"filters": {"year": [1]}}, "INVALID_PARAMETER", "filters.year"),
    (QueryParameters, ASK | {"filters": {"author": 1}}, "INVALID_PARAMETER", "filters.author"),
    (QueryParameters, ASK | {"filters": {"kind": "x"}}, "INVALID_PARAMETER", "filters.kind"),
    (InspectParameters, {"project": "p", "sample": 6}, "INVALID_PARAMETER", "sample"),
    (IngestParameters, {"project": "p"}, "MISSING_PARAMETER", "source"),
    (IngestParameters, {"project": "p", "source": ["a"]}, "INVALID_PARAMETER", "source"),
    (
        IngestParameters,
        {"project": "p", "source": "s", "options": {"force": True}},
        "INVALID_PARAMETER",
        "options.force",
    ),
    (NodeParameters, {"resource_id": "r"}, "MISSING_PARAMETER", "node_id"),
    (NoParameters, {"x": 1}, "INVALID_PARAMETER", "x"),
]


@pytest.mark.parametrize(("kind", "given", "code", "parameter"), WRONG)
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


def test_each_type_that_would_do_is_named() -> None:
    with pytest.raises(CiteLoomError, match=r"year: input should be a valid integer or a valid s"):
        read(QueryParameters, ASK | {"filters": {"year": [2019]}})


def test_null_counts_as_an_omitted_parameter() -> None:
    wanted = read(QueryParameters, ASK | {"top_k": None, "filters": {"year": None}})

    assert wanted == read(QueryParameters, ASK)
    assert wanted.top_k == 6


def test_nothing_of_the_inside_is_told() -> None:
    with pytest.raises(CiteLoomError, match=r"filters: input should be an object$"):
        read(QueryParameters, ASK | {"filters": "x"})
