"""JSON and YAML mapper: one node per top-level key, or windows over a long list."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

from citeloom.domain.maps.resource_map import SUMMARY, Node, UsedNames, name_id, unique_name
from citeloom.domain.text.sentences import cut_at_sentence
from citeloom.infrastructure.maps.mappers.node_building import MappedText, TextFileMapper, at_lines

JSON = frozenset({".json", ".geojson"})
YAML = frozenset({".yaml", ".yml"})
_MAX_NODES = 50
_SPACE = re.compile(r"[ \t\n\r]*")


class KeyLines(NamedTuple):
    """A key (None: an item of a list), the lines from it to the end of its value, and a summary
    of the value."""

    key: str | None
    first: int
    last: int
    value: str


class KeysMapper(TextFileMapper):
    """Maps top-level keys. A malformed file is divided into blocks, with a note in its map."""

    suffixes = JSON | YAML
    name = "keys 1"

    def _read(self, lines: Sequence[str], path: Path) -> MappedText:
        read = _json_entries if path.suffix.lower() in JSON else _yaml_entries
        try:
            return MappedText(tuple(_nodes(list(read("\n".join(lines))))))
        except (ValueError, yaml.YAMLError, RecursionError) as error:
            first = " ".join(str(error).split())[:SUMMARY]
            note = f"malformed ({first or type(error).__name__}): blocks instead"
            return MappedText((), note=note)


def _nodes(entries: Sequence[KeyLines]) -> Iterator[Node]:
    used: UsedNames = {}
    size = -(-len(entries) // _MAX_NODES) if entries else 1
    for at in range(0, len(entries), size):
        group = entries[at : at + size]
        first, last = group[0], group[-1]
        if first.key is not None and size == 1:
            name, title, kind, summary = name_id(first.key), first.key, "key", first.value
        elif first.key is not None:
            title = f"{first.key} … {last.key}"
            name, kind, summary = f"keys-{at + 1}", "keys", None
        else:
            to = at + len(group)
            title = f"Items {at + 1}–{to}" if len(group) > 1 else f"Item {to}"
            name, kind = f"items-{at + 1}", "items"
            summary = first.value if len(group) == 1 else None
        yield Node(
            id=unique_name(name, used),
            title=title,
            type=kind,
            location=at_lines(first.first, last.last),
            summary=summary,
        )


def _json_entries(text: str) -> Iterator[KeyLines]:
    """Raises ValueError where the text is not JSON."""
    at, counted = _skip(text, 0), (0, 1)
    opening = text[at : at + 1]
    if opening not in ("{", "["):
        return
    decoder = json.JSONDecoder()
    closing = "}" if opening == "{" else "]"
    at = _skip(text, at + 1)
    while text[at : at + 1] != closing:
        start, key = at, None
        if opening == "{":
            if text[at : at + 1] != '"':
                raise json.JSONDecodeError("a key was expected", text, at)
            key, at = decoder.raw_decode(text, at)
            at = _skip(text, at)
            if text[at : at + 1] != ":":
                raise json.JSONDecodeError("a colon was expected", text, at)
            at = _skip(text, at + 1)
        value, end = decoder.raw_decode(text, at)
        first, counted = _line(text, start, counted)
        last, counted = _line(text, end, counted)
        yield KeyLines(key, first, last, _value_summary(value))
        at = _skip(text, end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != closing:
            raise json.JSONDecodeError("a comma was expected", text, at)
    if _skip(text, at + 1) < len(text):
        raise json.JSONDecodeError("something follows the end", text, at + 1)


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _line(text: str, at: int, counted: tuple[int, int]) -> tuple[int, tuple[int, int]]:
    """The line of the offset ``at``; ``counted`` is an earlier offset and its line."""
    line = counted[1] + text.count("\n", counted[0], at)
    return line, (at, line)


def _yaml_entries(text: str) -> Iterator[KeyLines]:
    """The entries of all documents in the file. Raises yaml.YAMLError."""
    lines = text.split("\n")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for document in yaml.compose_all(text, Loader=loader):
        if isinstance(document, yaml.MappingNode):
            pairs: Iterable[tuple[yaml.Node | None, yaml.Node]] = document.value
        elif isinstance(document, yaml.SequenceNode):
            pairs = ((None, item) for item in document.value)
        else:
            continue
        for key, value in pairs:
            start = (key or value).start_mark.line + 1
            end = value.end_mark.line + (1 if value.end_mark.column else 0)
            name = None
            if key is not None:
                name = str(key.value) if isinstance(key, yaml.ScalarNode) else "(complex key)"
            yield KeyLines(
                name,
                start,
                max(start, _last_content_line(lines, start, end)),
                _yaml_value_summary(value),
            )


def _last_content_line(lines: Sequence[str], first: int, last: int) -> int:
    """The end of a block value, without the empty lines and comments that the parser includes."""
    while last > first and (not lines[last - 1].strip() or lines[last - 1].startswith("#")):
        last -= 1
    return last


def _value_summary(value: object) -> str:
    if isinstance(value, dict):
        return _keys_summary(list(value))
    if isinstance(value, list):
        return f"{len(value)} items"
    return cut_at_sentence(json.dumps(value, ensure_ascii=False), SUMMARY)


def _yaml_value_summary(value: yaml.Node) -> str:
    if isinstance(value, yaml.MappingNode):
        return _keys_summary([str(getattr(key, "value", "")) for key, _ in value.value])
    if isinstance(value, yaml.SequenceNode):
        return f"{len(value.value)} items"
    return cut_at_sentence(" ".join(str(value.value).split()) or '""', SUMMARY)


def _keys_summary(keys: Sequence[str]) -> str:
    return cut_at_sentence(f"{len(keys)} keys: {', '.join(map(str, keys))}", SUMMARY)
