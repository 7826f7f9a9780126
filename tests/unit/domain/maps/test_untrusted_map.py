"""Maps from outside: what is hostile, damaged or ambiguous is refused with a reason."""

import json
from typing import Any

import pytest
from support.cases import each

from citeloom.domain.errors import InvalidMap, InvalidRequest
from citeloom.domain.maps.resource_map import MAX_BYTES, MAX_DEPTH, MAX_NODES, parse_map, read_map
from citeloom.domain.text.words import count_tokens


def a_node(id: str = "a", **more: Any) -> dict[str, Any]:
    return {"id": id, "type": "section", "location": {"modality": "document", "pages": [1]}} | more


def a_map(*nodes: object, **more: Any) -> dict[str, Any]:
    return {
        "resource_id": "book",
        "type": "document",
        "title": "A book",
        "source_path": "/book.pdf",
        "nodes": list(nodes),
    } | more


def nested(depth: int) -> dict[str, Any]:
    innermost = a_node("n0")
    for n in range(1, depth):
        innermost = a_node(f"n{n}", children=[innermost])
    return innermost


def test_a_map_is_read_from_json_and_from_a_dictionary() -> None:
    given = a_map(a_node("a", children=[a_node("a.b")]))
    read = read_map(json.dumps(given).encode())
    assert read.list_node_ids() == ["a", "a.b"]
    assert parse_map(given).nodes == read.nodes
    assert len(read_map(json.dumps(a_map(nested(MAX_DEPTH)))).list_node_ids()) == MAX_DEPTH


HOSTILE: dict[str, tuple[object, str]] = {
    "two nodes of one id": (a_map(a_node(), a_node()), "two nodes have the id 'a'"),
    "one id at two depths": (a_map(a_node(), a_node("b", children=[a_node()])), "the id 'a'"),
    "a thousand levels": (a_map(nested(1000)), "deep"),
    "a level too many": (a_map(nested(MAX_DEPTH + 1)), "levels deep"),
    "a thousand levels in JSON": ('{"nodes":[' + '{"children":[' * 1000, "resource map"),
    "a hundred thousand levels": (
        '{"nodes":[' + '{"children":[' * 100_000,
        "nested too deep",
    ),
    "too many nodes": (
        a_map(*({"id": "x"} for _ in range(MAX_NODES + 1))),
        "more than 50000 nodes",
    ),
    "two modality fields": (
        a_map(a_node(location={"modality": "document", "pages": [1], "lines": [1, 2]})),
        "a document location has no 'lines'",
    ),
    "no number": ('{"nodes":[],"metadata":{"a":NaN}}', "NaN is not a number"),
    "an infinite number": (
        json.dumps(a_map()).replace('"nodes"', '"metadata": {"a": 1e999}, "nodes"'),
        "metadata",
    ),
    "an infinite time": (
        a_map(a_node(location={"modality": "video", "start": 0, "end": float("inf")})),
        "not a time or coordinate",
    ),
    "an id that leaves the folder": (a_map(resource_id="../x"), "'.' or '..'"),
    "an absolute path as id": (a_map(resource_id="/etc/passwd"), "absolute path"),
    "NUL in an id": (a_map(resource_id="a\x00"), "control character"),
    "an empty id": (a_map(resource_id=""), "not empty"),
    "NUL in a source path": (a_map(source_path="/a\x00"), "NUL"),
    "a node id that leaves the folder": (a_map(a_node("../x")), "slash"),
    "a backslash in a node id": (a_map(a_node("a\\b")), "slash"),
    "NUL in a node id": (a_map(a_node("a\x00b")), "control character"),
    "dots alone in a node id": (a_map(a_node("..")), "empty part"),
    "unknown fields": (a_map(resourceId="x"), "resourceId"),
    "a list": ([], "not a JSON object"),
    "nodes that are none": (a_map("x"), "nodes.0"),
    "no JSON": ("{", "not JSON"),
    "no text": (b"\xff\xfe\x00", "not JSON"),
    "nothing": (b"", "not JSON"),
}


@each(("given", "reason"), HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_map_is_refused(given: object, reason: str) -> None:
    read = read_map if isinstance(given, bytes | str) else parse_map
    with pytest.raises(InvalidMap, match="resource map") as refused:
        read(given)
    assert reason in str(refused.value)
    assert isinstance(refused.value, InvalidRequest)
    assert len(str(refused.value)) < 300


def test_ten_megabytes_are_refused_before_they_are_read() -> None:
    with pytest.raises(InvalidMap, match="larger than 8 MiB"):
        read_map(b" " * (10 * 2**20))
    assert MAX_BYTES < 10 * 2**20


def test_a_cycle_is_refused() -> None:
    cycle = a_node()
    cycle["children"] = [cycle]
    with pytest.raises(InvalidMap, match="levels deep"):
        parse_map(a_map(cycle))


def test_a_few_nodes_that_are_many_when_unfolded_are_refused() -> None:
    level = [a_node(f"x{n}") for n in range(100)]
    for _ in range(10):
        level = [a_node(f"x{n}", children=level) for n in range(100)]
    with pytest.raises(InvalidMap, match="more than 50000 nodes"):
        parse_map(a_map(*level))


@each(
    ("text", "tokens"),
    [
        ("", 0),
        ("The pond cools the street.", 6),
        ("internationalization", 3),
        ("1234567", 3),
        ("a_b", 3),
        ("池塘", 2),
        ("пруды", 2),
        ("(p < .05)", 6),
    ],
)
def test_tokens_are_counted_by_rules(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_counts_of_paragraphs_add_up() -> None:
    one, other = "Ponds cool the street.", "It is 3.5 °C."
    assert count_tokens(f"{one}\n\n{other}") == count_tokens(one) + count_tokens(other)
