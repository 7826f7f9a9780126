"""The output of other tools as maps, by the rows of the contract and by what goes wrong."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.files.mapped_files import map_text, source_of

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.maps.resource_map import ResourceMap
from citeloom.infrastructure.maps.registry import generic_map
from citeloom_maps.infrastructure.adapters import (
    ADAPTERS,
    adapter_of,
    graphrag_map,
    llamaindex_map,
)


def adapted(adapter: Any, folder: Path, document: object, name: str = "out.json") -> ResourceMap:
    return map_text(adapter, folder / name, json.dumps(document))


def shown(found: ResourceMap) -> list[tuple[str, str, str | None, str | None]]:
    return [(n.id, n.type, n.summary, n.location.virtual_address) for n in found.walk()]


@pytest.mark.parametrize(
    ("document", "nodes"),
    [
        (
            [{"name": "Big Corp", "description": "d", "id": "7"}],
            [("big_corp", "entity", "d", "graph://7")],
        ),
        (
            [{"title": "T", "summary": "S", "id": 3}],
            [("community_3", "community", "S", "graph://community/3")],
        ),
        (
            {
                "entities": [{"title": "BIG CORP", "description": "d", "id": "u-1"}],
                "community_reports": [{"title": "T", "summary": "S", "community": 0, "id": "x"}],
            },
            [
                ("big_corp", "entity", "d", "graph://u-1"),
                ("community_0", "community", "S", "graph://community/0"),
            ],
        ),
        (
            {"name": "Big Corp", "description": None},
            [("big_corp", "entity", None, "graph://big_corp")],
        ),
        (
            [{"name": "A b"}, {"name": "a B"}, {"noise": 1}, 7],
            [("a_b", "entity", None, "graph://a_b"), ("a_b-2", "entity", None, "graph://a_b")],
        ),
        (
            {"communities": [{"title": "T", "summary": "S", "id": 3}]},
            [("community_3", "community", "S", "graph://community/3")],
        ),
    ],
)
def test_graphrag_output_becomes_nodes_with_addresses(
    tmp_path: Path, document: object, nodes: list[tuple[str, str, str | None, str | None]]
) -> None:
    found = adapted(graphrag_map, tmp_path, document)
    assert shown(found) == nodes
    assert (found.type, found.title) == ("virtual", "out")
    assert found.source_path == str(tmp_path / "out.json")
    source = source_of(tmp_path / "out.json")
    assert found.resource_id != source.resource_id
    assert (found.metadata or {})["source_hash"] == source.sha256


@pytest.mark.parametrize("document", [[], {}, {"entities": []}, [{"noise": 1}], 7, "text", None])
def test_graphrag_without_entities_is_refused(tmp_path: Path, document: object) -> None:
    with pytest.raises(
        InvalidRequest, match="Could not parse valid GraphRAG entities or communities from input"
    ):
        adapted(graphrag_map, tmp_path, document)


NODE = {"id_": "n 1", "text": "word " * 100, "metadata": {"file_name": "a.pdf", "page_label": "5"}}


@pytest.mark.parametrize(
    "document",
    [
        [NODE],
        {"nodes": [NODE]},
        [{"node": NODE, "score": 0.5}],
        {"docstore/data": {"n 1": {"__data__": NODE, "__type__": "1"}}},
        {"docstore/data": {"n 1": {"__data__": json.dumps(NODE), "__type__": "1"}}},
        [
            {
                "node_id": "n 1",
                "text_resource": {"text": "word " * 100},
                "metadata": {"title": "a.pdf"},
            }
        ],
    ],
)
def test_a_llamaindex_node_keeps_its_id_and_a_short_summary(
    tmp_path: Path, document: object
) -> None:
    found = adapted(llamaindex_map, tmp_path, document)
    (node,) = found.nodes
    assert (node.id, node.title) == ("n_1", "a.pdf")
    assert node.location.virtual_address == "llamaindex://n_1"
    assert node.location.lines is None
    assert node.summary
    assert len(node.summary) <= 200


def test_llamaindex_without_nodes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="LlamaIndex nodes"):
        adapted(llamaindex_map, tmp_path, [{"text": "no id"}])


LECTURE = {
    "resource_id": "lecture_01",
    "type": "video",
    "title": "Introduction",
    "source_path": "/home/user/lecture_01.mp4",
    "nodes": [
        {
            "id": "intro",
            "title": "Introduction",
            "type": "section",
            "location": {"modality": "video", "start": 0, "end": 60},
        }
    ],
    "metadata": {"source_hash": "abc123...", "source_size": 524288000},
    "created_at": "2024-01-15T10:30:00Z",
}


def test_a_map_is_taken_as_it_is(tmp_path: Path) -> None:
    found = adapted(generic_map, tmp_path, LECTURE)
    assert found == ResourceMap.model_validate_json(json.dumps(LECTURE))
    assert found.list_node_ids() == ["intro"]


def test_what_a_map_need_not_say_is_filled_in(tmp_path: Path) -> None:
    least = {"resource_id": "r", "type": "text", "nodes": []}
    found = adapted(generic_map, tmp_path, least)
    assert (found.title, found.source_path) == ("r", str(tmp_path / "out.json"))
    beside = adapted(generic_map, tmp_path, {**least, "source_path": "sub/a.txt"})
    assert beside.source_path == str(tmp_path / "sub" / "a.txt")


def changed(**fields: object) -> dict[str, object]:
    return {**LECTURE, **fields}


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ([LECTURE], "not a JSON object"),
        ({k: v for k, v in LECTURE.items() if k != "type"}, "type: Field required"),
        (changed(type="film"), "type: "),
        (changed(resourceId="x"), "resourceId"),
        (changed(nodes=[{"id": "a b", "type": "s", "location": {"modality": "text"}}]), "white"),
        (changed(nodes=[{"id": "a", "type": "s", "location": {"modality": "film"}}]), "modality"),
        (changed(metadata={"source_hash": [1]}), "metadata"),
    ],
)
def test_what_is_no_map_is_refused_with_the_field(
    tmp_path: Path, document: object, reason: str
) -> None:
    with pytest.raises(InvalidRequest, match=reason):
        adapted(generic_map, tmp_path, document)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "\xff"])
@pytest.mark.parametrize("name", ADAPTERS)
def test_what_is_no_json_is_refused(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(InvalidRequest, match=r"out\.json: not readable as JSON"):
        map_text(adapter_of(name), tmp_path / "out.json", text.encode("latin-1"))


def test_json_lines_are_read_as_a_list(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps({"name": name}) for name in "ab")
    found = map_text(graphrag_map, tmp_path / "out.jsonl", lines)
    assert found.list_node_ids() == ["a", "b"]


def plugin(folder: Path, body: str) -> Any:
    path = folder / "mine.py"
    path.write_text(body, encoding="utf-8")
    return adapter_of(str(path))


def test_a_plugin_is_a_file_with_a_function(tmp_path: Path) -> None:
    adapter = plugin(
        tmp_path,
        "from dataclasses import dataclass\n"
        "@dataclass\nclass A:\n    x: int = 1\n"
        "def adapt(path):\n"
        "    return {'resource_id': path.stem, 'type': 'text', 'title': path.read_text(),\n"
        "            'nodes': [{'id': 'a', 'type': 's', 'location':\n"
        "                      {'modality': 'text', 'lines': (1, 2)}}]}\n",
    )
    found = map_text(adapter, tmp_path / "in.dat", "hello")
    assert (found.resource_id, found.title) == ("in", "hello")
    assert found.source_path == str(tmp_path / "in.dat")
    assert found.nodes[0].location.lines == (1, 2)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("x = 1\n", "has no function adapt"),
        ("def adapt(path):\n    return 1\n", "returned int, not a dict"),
        ("def adapt(path):\n    return {}\n", "resource_id: "),
        ("def adapt(path):\n\n    1 / 0\n", "mine.py: line 3: ZeroDivisionError"),
        ("def adapt(:\n", "SyntaxError"),
        ("import nothing_like_this\n", "line 1: ModuleNotFoundError"),
    ],
)
def test_a_plugin_that_fails_is_named_with_its_line(tmp_path: Path, body: str, reason: str) -> None:
    with pytest.raises(InvalidRequest, match=reason):
        map_text(plugin(tmp_path, body), tmp_path / "in.dat", "hello")


def test_an_unknown_adapter_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="graphrag, llamaindex, generic"):
        adapter_of("nope")
    with pytest.raises(InvalidRequest, match="no such file"):
        adapter_of(str(tmp_path / "nope.py"))
