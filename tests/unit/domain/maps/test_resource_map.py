"""Resource maps: CiteKit's model, with the rules that it states but does not enforce."""

import json
from typing import Any

import pytest
from pydantic import ValidationError
from support.cases import each

from citeloom.domain.maps.resource_map import Location, Node, ResourceMap

VIDEO: dict[str, Any] = {
    "resource_id": "lecture_01",
    "type": "video",
    "title": "Introduction to Machine Learning",
    "source_path": "/home/user/lecture_01.mp4",
    "nodes": [
        {
            "id": "intro",
            "title": "Introduction",
            "type": "section",
            "summary": "Course overview and objectives",
            "location": {"modality": "video", "start": 0, "end": 60},
        }
    ],
    "metadata": {"source_hash": "abc123...", "source_size": 524288000},
    "created_at": "2024-01-15T10:30:00Z",
}
TWO_LEVELS: dict[str, Any] = {
    "resource_id": "test_book",
    "type": "document",
    "title": "Test Book",
    "source_path": "/path/to/book.pdf",
    "nodes": [
        {
            "id": "chapter_2.section_1",
            "title": "Chapter 2: Advanced Topics - Section 1",
            "type": "section",
            "summary": "Overview of neural networks",
            "location": {"modality": "document", "pages": [45, 67]},
            "children": [
                {
                    "id": "chapter_2.section_1.subsection_1",
                    "title": "Backpropagation",
                    "type": "subsection",
                    "location": {"modality": "document", "pages": [45, 52]},
                }
            ],
        }
    ],
}
FLAT: dict[str, Any] = TWO_LEVELS | {
    "nodes": [
        {
            "id": "ch1.intro",
            "title": "Chapter 1 Intro",
            "type": "section",
            "location": {"modality": "document", "pages": [1, 2]},
        },
        {
            "id": "ch1.example",
            "title": "Example 1",
            "type": "example",
            "location": {"modality": "document", "pages": [3]},
        },
    ]
}


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        (VIDEO, ["intro"]),
        (TWO_LEVELS, ["chapter_2.section_1", "chapter_2.section_1.subsection_1"]),
        (FLAT, ["ch1.intro", "ch1.example"]),
    ],
    ids=["video", "two levels", "flat"],
)
def test_citekits_maps_are_read_and_their_nodes_listed(
    given: dict[str, Any], ids: list[str]
) -> None:
    assert ResourceMap.model_validate(given).list_node_ids() == ids


def test_a_node_is_found_by_its_id_at_any_depth() -> None:
    book = ResourceMap.model_validate(TWO_LEVELS)
    found = book.get_node("chapter_2.section_1.subsection_1")
    assert found is not None
    assert found.title == "Backpropagation"
    intro = ResourceMap.model_validate(FLAT).get_node("ch1.intro")
    assert intro is not None
    assert intro.title == "Chapter 1 Intro"
    assert book.get_node("nonexistent") is None


def node(name: str, *children: Node) -> Node:
    return Node(
        id=name,
        type="section",
        location=Location(modality="document", pages=(1,)),
        children=children,
    )


def a_map(*nodes: Node) -> ResourceMap:
    return ResourceMap(resource_id="r", type="document", title="t", source_path="/p", nodes=nodes)


def test_nodes_come_depth_first_parents_before_children() -> None:
    tree = a_map(node("a", node("a.1", node("a.1.x")), node("a.2")), node("b"))
    assert tree.list_node_ids() == ["a", "a.1", "a.1.x", "a.2", "b"]


def test_the_first_of_two_nodes_with_one_id_is_found() -> None:
    first = node("same").model_copy(update={"title": "first"})
    second = node("same").model_copy(update={"title": "second"})
    assert a_map(node("a", first), second).get_node("same") is first


def test_a_tree_of_a_thousand_levels_is_walked() -> None:
    deepest = node("n0")
    for n in range(1, 1000):
        deepest = node(f"n{n}", deepest)
    tree = a_map(deepest)
    assert len(tree.list_node_ids()) == 1000
    assert tree.get_node("n0") is not None


@pytest.mark.parametrize("given", [VIDEO, TWO_LEVELS, FLAT], ids=["video", "two levels", "flat"])
def test_maps_survive_json_in_snake_case(given: dict[str, Any]) -> None:
    read = ResourceMap.model_validate(given)
    text = read.model_dump_json()
    assert ResourceMap.model_validate_json(text) == read
    assert {"resource_id", "source_path", "created_at"} <= set(json.loads(text))
    assert "virtual_address" in json.loads(text)["nodes"][0]["location"]


@each("field", ["resource_id", "type", "title", "source_path"])
def test_a_map_needs_id_type_title_and_source(field: str) -> None:
    with pytest.raises(ValidationError, match=field):
        ResourceMap.model_validate({k: v for k, v in VIDEO.items() if k != field})


@pytest.mark.parametrize("field", ["id", "type", "location"])
def test_a_node_needs_id_type_and_location(field: str) -> None:
    given = {k: v for k, v in VIDEO["nodes"][0].items() if k != field}
    with pytest.raises(ValidationError, match=field):
        Node.model_validate(given)


def test_nodes_metadata_and_summaries_are_optional() -> None:
    bare = ResourceMap(resource_id="r", type="virtual", title="", source_path="")
    assert (bare.nodes, bare.metadata) == ((), None)
    assert bare.created_at.utcoffset() is not None
    assert (node("a").title, node("a").summary, node("a").children) == (None, None, ())


@each("kind", ["Document", "pdf", "", None])
def test_a_resource_is_of_one_of_six_types(kind: object) -> None:
    with pytest.raises(ValidationError):
        ResourceMap.model_validate(VIDEO | {"type": kind})


def test_metadata_holds_strings_numbers_and_null() -> None:
    metadata = {"a": "x", "b": 1, "c": 0.5, "d": None}
    assert ResourceMap.model_validate(VIDEO | {"metadata": metadata}).metadata == metadata
    with pytest.raises(ValidationError):
        ResourceMap.model_validate(VIDEO | {"metadata": {"a": [1]}})


def test_camel_case_is_refused() -> None:
    with pytest.raises(ValidationError):
        ResourceMap.model_validate(
            {("resourceId" if k == "resource_id" else k): v for k, v in VIDEO.items()}
        )


@each("name", ["", "chapter 2", "a\tb", "a\u00a0b"])
def test_a_node_id_has_no_white_space(name: str) -> None:
    with pytest.raises(ValidationError):
        node(name)


OWN_FIELDS: dict[str, dict[str, Any]] = {
    "document": {"pages": [1, 2]},
    "text": {"lines": [1, 5]},
    "video": {"start": 0.0, "end": 60.0},
    "audio": {"start": 0.0, "end": 60.0},
    "image": {"bbox": [0.1, 0.2, 0.9, 0.8]},
    "virtual": {"virtual_address": "graph://7"},
}


@each("modality", OWN_FIELDS)
@each("other", OWN_FIELDS)
def test_a_location_has_the_fields_of_its_own_modality_only(modality: str, other: str) -> None:
    given = {"modality": modality, **OWN_FIELDS[other]}
    if set(OWN_FIELDS[other]) == set(OWN_FIELDS[modality]):
        assert Location.model_validate(given).modality == modality
    else:
        with pytest.raises(ValidationError, match=f"a {modality} location has no"):
            Location.model_validate(given)


@each("modality", OWN_FIELDS)
def test_a_location_may_be_the_whole_resource(modality: str) -> None:
    assert Location.model_validate({"modality": modality}).pages is None


@each(
    "given",
    [
        {"modality": "video", "start": 100, "end": 50},
        {"modality": "video", "start": 50, "end": 50},
        {"modality": "video", "start": -1, "end": 50},
        {"modality": "audio", "start": float("nan"), "end": 50},
        {"modality": "audio", "start": 0, "end": float("inf")},
        {"modality": "text", "lines": [3, 2]},
        {"modality": "text", "lines": [0, 1]},
        {"modality": "text", "lines": [1]},
        {"modality": "document", "pages": [0]},
        {"modality": "document", "pages": []},
        {"modality": "document", "pages": [-3, 2]},
        {"modality": "image", "bbox": [0.8, 0.2, 0.2, 0.8]},
        {"modality": "image", "bbox": [0.2, 0.8, 0.8, 0.2]},
        {"modality": "image", "bbox": [0, 0, 1.5, 1]},
        {"modality": "image", "bbox": [0, 0, float("nan"), 1]},
        {"modality": "image", "bbox": [-0.1, 0, 1, 1]},
        {"modality": "smell"},
        {},
    ],
    ids=str,
)
def test_nonsense_is_no_location(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Location.model_validate(given)
