"""JSON and YAML by their keys."""

from pathlib import Path

import pytest
from support.files.mapped_files import map_text, outline

from citeloom_maps.infrastructure.mappers.json_yaml import KeysMapper

JSON = """{
  "a": 1, "b": {
    "x": [1, 2],
    "y": "}"
  },
  "two words": ["p",
    "q"], "a": null
}
"""
YAML = """# head
name: x
list:
  - a
  - b

# about map
map: {a: 1, b: 2}
text: |
  line

  more
---
second: 1
"""


def test_json_keys_with_the_lines_of_their_values(tmp_path: Path) -> None:
    found = map_text(KeysMapper(), tmp_path / "a.json", JSON)
    assert outline(found) == [
        ("a", "key", (2, 2)),
        ("b", "key", (2, 5)),
        ("two-words", "key", (6, 7)),
        ("a-2", "key", (7, 7)),
    ]
    assert [node.summary for node in found.nodes] == ["1", "2 keys: x, y", "2 items", "null"]


def test_yaml_keys_of_all_documents(tmp_path: Path) -> None:
    found = map_text(KeysMapper(), tmp_path / "a.yaml", YAML)
    assert outline(found) == [
        ("name", "key", (2, 2)),
        ("list", "key", (3, 5)),
        ("map", "key", (8, 8)),
        ("text", "key", (9, 12)),
        ("second", "key", (14, 14)),
    ]


def test_a_long_list_has_windows_of_items(tmp_path: Path) -> None:
    text = "[\n" + ",\n".join(str(n) for n in range(120)) + "\n]\n"
    found = map_text(KeysMapper(), tmp_path / "a.json", text)
    assert len(found.nodes) == 40
    assert outline(found)[:2] == [("items-1", "items", (2, 4)), ("items-4", "items", (5, 7))]
    assert found.nodes[0].title == "Items 1–3"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"a": }'),
        ("a.json", '{"a": 1} x'),
        ("a.json", '{"a": 1 "b": 2}'),
        ("a.json", "{a: 1}"),
        ("a.json", '{"a": 1'),
        ("a.json", '{"a": ' + "[" * 200_000),
        ("a.yaml", "a: [1\nb: 2\n"),
        ("a.yml", "\tx: 1\n"),
    ],
)
def test_what_is_malformed_has_blocks_and_says_so(tmp_path: Path, name: str, text: str) -> None:
    found = map_text(KeysMapper(), tmp_path / name, text)
    assert {one.type for one in found.walk()} == {"block"}
    assert "malformed" in str((found.metadata or {})["note"])


@pytest.mark.parametrize(
    ("name", "text"), [("a.json", "7"), ("a.yaml", "just text"), ("a.json", "{}")]
)
def test_what_has_no_keys_has_blocks(tmp_path: Path, name: str, text: str) -> None:
    assert outline(map_text(KeysMapper(), tmp_path / name, text)) == [("block-1", "block", (1, 1))]
