"""The table of tools and what agents pay for it."""

import re
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from support.cases import each

from citeloom.domain.errors import ConfigurationError
from citeloom.domain.research.session import Depth
from citeloom.infrastructure.mcp.contract.parameters import IngestOptions
from citeloom.infrastructure.mcp.protocol.prompts import instructions
from citeloom.infrastructure.mcp.tools import LISTED, TOOLS, offered_tools
from citeloom.infrastructure.models.embedding import bundled_embedder as bundled
from citeloom.infrastructure.models.embedding.bundled_embedder import HuggingFaceTokens

ASKING = [
    "more",
    "top_k",
    "filters",
    "rerank",
    "per_document",
    "context",
    "offset",
    "details",
]
CONTRACT: dict[str, tuple[list[str], list[str]]] = {  # name: required, optional
    "ingest_from_source": (["project", "source"], ["options"]),
    "query": (["project", "text"], ["top_k"]),
    "query_hybrid": (["project", "text"], ASKING),
    "inspect_collection": (["project"], ["sample"]),
    "list_projects": ([], ["offset"]),
    "open_page": (
        ["place"],
        ["project", "pages", "section", "around", "image", "quote", "offset"],
    ),
    "list_documents": ([], ["project", "text", "filters", "cursor"]),
    "cite": ([], ["works", "project", "form", "style", "bibliography", "cursor"]),
    "listResources": ([], ["project", "budget", "offset"]),
    "get_structure": (["resource_id"], ["node_id", "offset"]),
    "getStructure": (["resource_id"], ["project"]),
    "getNode": (["resource_id", "node_id"], ["project"]),
    "resolve": (["resource_id", "node_id"], ["virtual"]),
    "jobs": ([], ["job_id", "wait_seconds", "cancel", "offset"]),
    "remove": (["project"], ["documents", "confirm"]),
    "ingest_status": (["job_id"], ["wait_seconds"]),
    "verify": ([], ["project", "text", "path", "uncited"]),
    "ask": (["question"], ["project"]),
    "table": ([], ["project", "questions", "drop"]),
    "review": ([], ["project", "question", "depth", "job_id", "offset"]),
}
GEMINI = {
    "type",
    "description",
    "enum",
    "items",
    "properties",
    "required",
    "minimum",
    "maximum",
    "default",
}
DEADLINES = {"ingest_from_source": 15, "query": 8, "query_hybrid": 15, "inspect_collection": 5}


def test_the_tools_are_those_of_the_contract() -> None:
    assert set(TOOLS) == set(CONTRACT)
    assert len(LISTED) <= 15


@each("name", CONTRACT)
def test_a_tool_has_the_parameters_of_the_contract(name: str) -> None:
    required, optional = CONTRACT[name]
    schema = TOOLS[name].schema

    assert schema["type"] == "object"
    assert schema.get("required", []) == required
    assert set(schema["properties"]) == {*required, *optional}


def test_every_tool_has_the_deadline_of_the_contract_or_one_of_its_own() -> None:
    assert {name: TOOLS[name].seconds for name in DEADLINES} == DEADLINES
    assert all(0 < tool.seconds <= 15 for tool in TOOLS.values())


def test_all_schemas_together_cost_at_most_2710_tokens() -> None:
    tokens = HuggingFaceTokens(bundled.tokenizer_folder())
    texts = [orjson.dumps([tool.name, tool.description, tool.schema]) for tool in LISTED.values()]

    assert (
        sum(tokens.count(text.decode()) for text in [*texts, instructions(LISTED).encode()]) <= 2710
    )


def test_schemas_say_nothing_twice_and_refer_to_nothing() -> None:
    text = orjson.dumps([tool.schema for tool in TOOLS.values()]).decode()

    assert "$ref" not in text
    assert "$defs" not in text
    assert "Of" not in {name[-2:] for name in re.findall(r'"(\w+)":', text)}  # anyOf, oneOf, allOf
    assert '"type":[' not in text
    assert '"null"' not in text
    assert '"title":' not in text


@each("name", TOOLS)
def test_an_input_schema_is_of_the_subset_that_gemini_takes(name: str) -> None:
    """https://ai.google.dev/api/caching#Schema: one part that is not refuses the whole request."""
    for part in _parts(TOOLS[name].schema):
        assert set(part) <= GEMINI
        assert isinstance(part["type"], str)
        assert part["type"] != "object" or part["properties"]
        assert (part["type"] == "array") == ("items" in part)
        assert set(part.get("required", [])) <= set(part.get("properties", {}))
        assert (part["type"] == "object") == bool(part.get("properties"))
        if "enum" in part:
            assert part["type"] == "string"
            assert all(part["enum"])


def _parts(schema: Any) -> Iterator[Any]:
    """The schema and all schemas in it."""
    yield schema
    for part in [*schema.get("properties", {}).values(), *filter(None, [schema.get("items")])]:
        yield from _parts(part)


@each("name", TOOLS)
def test_schemas_are_json_schema_2020_12(name: str) -> None:
    Draft202012Validator.check_schema(TOOLS[name].schema)
    Draft202012Validator.check_schema(TOOLS[name].output)
    for part in _parts(TOOLS[name].output):
        assert not {"$ref", "anyOf", "oneOf", "allOf"} & set(part)


def test_limits_and_options_of_the_contract_are_in_the_schemas() -> None:
    top_k = TOOLS["query"].schema["properties"]["top_k"]
    sample = TOOLS["inspect_collection"].schema["properties"]["sample"]
    options = TOOLS["ingest_from_source"].schema["properties"]["options"]["properties"]

    assert top_k == {"type": "integer", "maximum": 20, "default": 6}
    assert sample["maximum"] == 5
    # The others of the contract are accepted, but have no effect.
    assert {"ocr_languages", "zotero_config"} <= set(IngestOptions.model_fields)
    assert set(options) == {
        "collection_key",
        "include_tags",
        "exclude_tags",
        "force_rebuild",
        "identify",
        "references",
    }


def test_what_is_described_in_one_schema_is_not_described_again_in_those_like_it() -> None:
    asked, like_it = (TOOLS[name].schema["properties"] for name in ("query_hybrid", "query"))

    assert asked["project"] == {"type": "string", "description": "several: a, b"}
    assert like_it["project"] == {"type": "string"}


def test_parameters_that_agents_are_not_told_of_are_taken() -> None:
    for name, parameters in {"query": ASKING, "list_documents": ["sort", "limit"]}.items():
        assert set(parameters) <= set(TOOLS[name].parameters.model_fields)


def test_depths_are_those_of_reviews() -> None:
    depths = set(TOOLS["review"].schema["properties"]["depth"]["enum"])
    assert depths == {depth.value for depth in Depth} - {Depth.AUTO.value}


def test_what_writes_is_declared_to() -> None:
    writing = [tool.name for tool in TOOLS.values() if not tool.read_only]
    assert writing == ["review", "table", "ingest_from_source", "jobs", "remove", "resolve"]
    assert [tool.name for tool in TOOLS.values() if tool.destructive] == ["remove"]


def test_a_client_lists_the_tools(idle_server: Any) -> None:
    import anyio

    async def listed() -> list[str]:
        async with Client(idle_server) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    assert anyio.run(listed) == list(LISTED)


def test_the_tools_of_a_server_can_be_chosen_older_names_included() -> None:
    chosen = offered_tools(read_only=False, names=("query", "getNode"))
    assert {name: tool.listed for name, tool in chosen.items()} == {"query": True, "getNode": True}

    with pytest.raises(ConfigurationError, match=r"mcp\.tools: fetch: no such tool; the tools are"):
        offered_tools(read_only=False, names=("fetch",))
