"""Files made for a test, mapped by one mapper."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.builders import A_DAY

from citeloom.application.ports.maps import MapAdapter, Mapper, SourceFile
from citeloom.domain.maps.resource_map import Node, ResourceMap


def source_of(path: Path) -> SourceFile:
    raw = path.read_bytes()
    return SourceFile(path=path, sha256=hashlib.sha256(raw).hexdigest(), size=len(raw))


def map_text(mapper: Mapper | MapAdapter, path: Path, text: str | bytes) -> ResourceMap:
    """``text`` written to ``path`` and mapped."""
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    make = mapper if callable(mapper) else mapper.map
    return make(source_of(path), A_DAY)


def outline(found: ResourceMap) -> list[tuple[str, str, tuple[int, int] | None]]:
    """Id, type and lines of each node."""
    return [(node.id, node.type, node.location.lines) for node in found.walk()]


def node(found: ResourceMap, node_id: str) -> Node:
    one = found.get_node(node_id)
    assert one is not None, found.list_node_ids()
    return one


def parents(found: ResourceMap) -> Iterator[tuple[Node, Node]]:
    for parent in found.walk():
        for child in parent.children:
            yield parent, child


def extent(one: Node) -> tuple[Any, Any] | None:
    """First and last of what a place covers; None of what has no order."""
    place = one.location
    if place.lines:
        return place.lines
    if place.pages:
        return place.pages[0], place.pages[-1]
    return (place.start, place.end) if place.start is not None else None
