"""CiteKit's maps, row by row: model, fixtures, adapters, context. What is resolved and cut is
in ``test_resolve.py`` and ``test_cutting.py``."""

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel
from support.cases import each
from support.files.mapped_files import map_text, source_of
from support.paths import cases

from citeloom.application.maps.prompt_index import ContextFormat, create_agent_context
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.maps.address import Address, format_address
from citeloom.domain.maps.resource_map import (
    Location,
    Node,
    ResolvedEvidence,
    ResourceMap,
    ResourceType,
)
from citeloom.infrastructure.maps.mappers.text import TextMapper
from citeloom.infrastructure.maps.registry import generic_map
from citeloom_maps.infrastructure.adapters import graphrag_map, llamaindex_map

CASES: dict[str, Any] = cases("citekit_resource_map")
SCHEMA = CASES["schema"]
FIXTURES = CASES["fixtures"]
MODELS: dict[str, type[BaseModel]] = {
    "ResourceMap": ResourceMap,
    "Node": Node,
    "Location": Location,
}


def test_every_section_of_the_table_has_its_tests() -> None:
    here = {"about", "schema", "fixtures", "node_order", "ingest", "adapters", "agent_context"}
    elsewhere = {"resolve", "physical", "stale_output_bug"}
    assert set(CASES) == here | elsewhere


@each("name", MODELS)
def test_required_and_optional_fields(name: str) -> None:
    row, fields = SCHEMA[name], MODELS[name].model_fields
    required = {key for key, field in fields.items() if field.is_required()}
    assert required == set(row["required"])
    assert set(fields) - required == set(row["optional"])


def test_types_metadata_and_evidence() -> None:
    row = SCHEMA["ResourceMap"]
    assert list(get_args(ResourceType)) == row["type_enum"]
    samples = {"string": "a", "int": 1, "float": 0.5, "null": None}
    assert set(row["metadata_value_types"]) == set(samples)
    given = {"resource_id": "a", "type": "text", "title": "A", "source_path": "/a.txt"}
    assert ResourceMap(**given, metadata=samples).metadata == samples
    fields = [one.split()[0] for one in SCHEMA["ResolvedEvidence"]["fields"]]
    assert list(ResolvedEvidence.model_fields) == fields


def test_what_mapping_writes_about_the_source(tmp_path: Path) -> None:
    found = map_text(TextMapper(), tmp_path / "a.txt", "A line.\n")
    source = source_of(tmp_path / "a.txt")
    keys = [one.split()[0] for one in SCHEMA["ResourceMap"]["metadata_keys_written_by_ingest"]]
    assert [(found.metadata or {})[key] for key in keys] == [source.sha256, source.size]
    # By content, so that the same stem in two folders is two resources.
    assert found.resource_id == source.sha256[:16]


@each("row", FIXTURES, ids=lambda row: row["name"])
def test_maps_are_read_and_written_again(row: dict[str, Any]) -> None:
    found = ResourceMap.model_validate(row["map"])
    assert found.list_node_ids() == row["list_node_ids"]
    again = json.loads(found.model_dump_json(exclude_none=True))
    assert ResourceMap.model_validate(again) == found
    assert all(key == key.lower() for key in again)
    for wanted in row.get("get_node", ()):
        node = found.get_node(wanted["id"])
        assert (node and node.title) == wanted.get("title", wanted.get("result"))


def test_a_list_of_pages_is_no_range() -> None:
    """The seed's ``[45, 67]`` are two pages; maps made here list every page of a range."""
    (node,) = ResourceMap.model_validate(FIXTURES[1]["map"]).nodes
    address = Address(resource_id="test_book", location=node.location)
    assert format_address(address) == "doc://test_book#pages=45,67"


@pytest.mark.parametrize("row", CASES["adapters"]["graphrag"], ids=json.dumps)
def test_graphrag_rows_become_the_nodes_of_the_contract(
    row: dict[str, Any], tmp_path: Path
) -> None:
    text = json.dumps([row["in"]] if row["in"] else row["in"])
    if "error" in row:
        with pytest.raises(InvalidRequest) as caught:
            map_text(graphrag_map, tmp_path / "in.json", text)
        assert row["error"].rstrip(".") in str(caught.value)
        return
    (node,) = map_text(graphrag_map, tmp_path / "in.json", text).nodes
    shown = node.model_dump() | {"virtual_address": node.location.virtual_address}
    assert {key: shown[key] for key in row["node"]} == row["node"]


def test_llamaindex_and_generic(tmp_path: Path) -> None:
    node = {"id_": "n1", "text": "word " * 99, "metadata": {"file_name": "a.pdf"}}
    (made,) = map_text(llamaindex_map, tmp_path / "in.json", json.dumps([node])).nodes
    assert (made.id, made.title, len(made.summary or "") <= 200) == ("n1", "a.pdf", True)
    assert made.location.lines is None  # the original's placeholder [0, 0] is not a place
    given = FIXTURES[1]["map"]
    found = map_text(generic_map, tmp_path / "map.json", json.dumps(given))
    assert found.list_node_ids() == FIXTURES[1]["list_node_ids"]


def test_the_context_for_prompts() -> None:
    row = CASES["agent_context"]
    assert list(get_args(ContextFormat)) == row["formats"]
    maps = [ResourceMap.model_validate(one["map"]) for one in FIXTURES]
    text = create_agent_context(maps)
    for line in row["markdown_shape"].split(" / "):
        shape = line.replace("<title>", "Test Book").replace("<ID>", "test_book")
        assert shape.partition("<")[0].strip("- *") in text
    # All levels: the original lists the outermost alone.
    assert all(f"**{node}**" in text for one in maps for node in one.list_node_ids())
