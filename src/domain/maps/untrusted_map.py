"""Parsing of untrusted resource maps.

A map may come from another tool, or from a damaged or hostile file. Size and depth are checked
before validation; nothing here recurses.
"""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, NoReturn

from pydantic import ValidationError

from citeloom.domain.errors import InvalidMap

from .resource_map import Node, ResourceMap

MAX_BYTES = 8 * 2**20
MAX_NODES = 50_000
MAX_DEPTH = 64
"""Maximum levels of nodes."""


def read_map(content: bytes | str) -> ResourceMap:
    """A map in JSON (UTF-8). Raises InvalidMap with the reason."""
    if len(content) > MAX_BYTES:
        raise InvalidMap(f"resource map: larger than {MAX_BYTES // 2**20} MiB")
    try:
        raw = json.loads(content, parse_constant=_no_number)
    except RecursionError:
        raise InvalidMap("resource map: nested too deep to be read") from None
    except ValueError as error:
        raise InvalidMap(f"resource map: not JSON ({error})") from None
    return parse_map(raw)


def parse_map(raw: object) -> ResourceMap:
    """The map that a dictionary describes, with unique node ids. Raises InvalidMap."""
    if not isinstance(raw, dict):
        raise InvalidMap("resource map: not a JSON object")
    _check_shape(raw)
    try:
        return with_unique_ids(ResourceMap.model_validate(raw))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        reason = str(first["msg"]).removeprefix("Value error, ")
        raise InvalidMap(f"resource map: {f'{where}: ' if where else ''}{reason}") from None


def with_unique_ids(resource_map: ResourceMap) -> ResourceMap:
    """``resource_map`` itself, if its nodes can be told apart. Raises InvalidMap."""
    ids: set[str] = set()
    for node in resource_map.walk():
        if node.id in ids:
            raise InvalidMap(
                f"resource map {resource_map.resource_id}: two nodes have the id {node.id!r}",
                resource_id=resource_map.resource_id,
                node_id=node.id,
            )
        ids.add(node.id)
    return resource_map


def _check_shape(raw: dict[str, Any]) -> None:
    """Limit the number of nodes and levels (a cycle has no last level)."""
    count = 0
    level: list[object] = list(_listed(raw, "nodes"))
    for _ in range(MAX_DEPTH):
        count += len(level)
        if count > MAX_NODES:
            raise InvalidMap(f"resource map: more than {MAX_NODES} nodes")
        children = (child for one in level for child in _listed(one, "children"))
        level = list(islice(children, MAX_NODES + 1))
        if not level:
            return
    raise InvalidMap(f"resource map: its nodes are nested more than {MAX_DEPTH} levels deep")


def _listed(raw: object, key: str) -> Iterator[object]:
    if isinstance(raw, Node):
        yield from raw.children
    elif isinstance(raw, dict):
        children = raw.get(key)
        if isinstance(children, list | tuple):
            yield from children


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")
