"""Index of resource maps for a prompt, within a token budget.

Each map has as much detail as its share of the budget allows: all nodes with summaries, with
short summaries, or without; else as many nodes as fit, outer levels first. Omitted nodes are
counted.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.maps.resource_map import Node, ResourceMap
from citeloom.domain.text.phrasing import on_one_line
from citeloom.domain.text.sentences import cut_at_sentence
from citeloom.domain.text.words import count_tokens

ContextFormat = Literal["markdown", "json"]

TOKENS_A_MAP = 600
"""The budget of one map, where none is given: the outline of a paper of 50 pages."""

_TITLE = "# Available Resources Index"
_WHOLE, _SHORT = 10**6, 60
"""Characters of a summary."""


class _Detail(NamedTuple):
    """``summary``: characters of each; ``nodes``: how many, outer levels first."""

    summary: int
    nodes: int


class _IndexRow(NamedTuple):
    node: Node
    depth: int


def create_agent_context(
    maps: Sequence[ResourceMap],
    format: ContextFormat = "markdown",
    budget: int | None = None,
) -> str:
    """An index of ``maps`` with at most ``budget`` tokens.

    Raises InvalidRequest where not even the titles of the resources fit.
    """
    left = TOKENS_A_MAP * max(1, len(maps)) if budget is None else budget
    write = _markdown if format == "markdown" else _json
    entries: list[Any] = []
    left -= count_tokens(_TITLE if format == "markdown" else _whole_json([]))
    for at, resource_map in enumerate(maps):
        share = left // (len(maps) - at)
        text, cost = _fitting(resource_map, share, write)
        entries.append(text)
        left -= cost
    if left < 0:
        raise InvalidRequest(
            f"a budget of {budget} tokens is too small for {len(maps)} resources; "
            "give more, or fewer resources",
            parameter="budget",
        )
    return "\n\n".join([_TITLE, *entries]) if format == "markdown" else _whole_json(entries)


def _fitting(
    resource_map: ResourceMap,
    share: int,
    write: Callable[[ResourceMap, Sequence[_IndexRow], _Detail], Any],
) -> tuple[Any, int]:
    """The map in the most detail that fits, else by its title alone, and what that costs."""
    rows = list(_rows(resource_map))

    def written_at(detail: _Detail) -> tuple[Any, int]:
        written = write(resource_map, rows, detail)
        text = written if isinstance(written, str) else _compact(written)
        return written, count_tokens(text) + 1

    for summary in (_WHOLE, _SHORT):
        entry = written_at(_Detail(summary, len(rows)))
        if entry[1] <= share:
            return entry
    fits, too_many = 0, len(rows) + 1
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if written_at(_Detail(0, middle))[1] <= share:
            fits = middle
        else:
            too_many = middle
    return written_at(_Detail(0, fits))


def _rows(resource_map: ResourceMap) -> Iterator[_IndexRow]:
    stack = [_IndexRow(node, 1) for node in reversed(resource_map.nodes)]
    while stack:
        row = stack.pop()
        yield row
        stack.extend(_IndexRow(child, row.depth + 1) for child in reversed(row.node.children))


def _shown(rows: Sequence[_IndexRow], detail: _Detail) -> list[_IndexRow]:
    """The outermost nodes, as many as that, in the order of the map."""
    outermost = sorted(range(len(rows)), key=lambda at: rows[at].depth)[: detail.nodes]
    return [rows[at] for at in sorted(outermost)]


def _summary(node: Node, detail: _Detail) -> str:
    text = " ".join((node.summary or "").split())
    return cut_at_sentence(text, detail.summary) if text and detail.summary else ""


def _markdown(resource_map: ResourceMap, rows: Sequence[_IndexRow], detail: _Detail) -> str:
    shown = _shown(rows, detail)
    heading = on_one_line(resource_map.title)
    lines = [f"## {heading} (ID: {resource_map.resource_id}, Type: {resource_map.type})"]
    for node, depth in shown:
        summary = _summary(node, detail)
        title = on_one_line(node.title or "")
        label = " - ".join(part for part in (title, summary) if part)
        lines.append(f"{'  ' * (depth - 1)}- **{node.id}**{f': {label}' if label else ''}")
    if len(shown) < len(rows):
        lines.append(f"- … {len(rows) - len(shown)} more nodes")
    return "\n".join(lines)


def _json(resource_map: ResourceMap, rows: Sequence[_IndexRow], detail: _Detail) -> dict[str, Any]:
    shown = _shown(rows, detail)
    nodes = [
        {
            name: value
            for name, value in (
                ("id", node.id),
                ("title", node.title),
                ("summary", _summary(node, detail)),
            )
            if value
        }
        for node, _ in shown
    ]
    entry = {
        "id": resource_map.resource_id,
        "type": resource_map.type,
        "title": resource_map.title,
        "nodes": nodes,
    }
    return entry | ({"more_nodes": len(rows) - len(shown)} if len(shown) < len(rows) else {})


def _whole_json(entries: Sequence[Any]) -> str:
    return _compact({"resources": list(entries)})


def _compact(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
