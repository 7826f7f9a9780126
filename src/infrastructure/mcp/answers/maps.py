"""Answers about structures and their nodes."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from citeloom.application.places.cut import Resolution
from citeloom.domain.maps.resource_map import Node
from citeloom.infrastructure.mcp.answers.contents import MOST_TOKENS, Entry, Reply, fitting, size

_PARTS: Final = "children"
_MOST: Final = MOST_TOKENS - 1000


class ShownNodes(NamedTuple):
    """Nodes as an answer may hold them: as deep as fits, or as many of one level. A node without
    the parts that it has tells their number."""

    entries: list[Entry]
    deeper: bool
    """Whether some have parts that are not shown."""
    after: int | None
    """The offset of the first that is not shown."""

    def onward(self, tool: str) -> str | None:
        """The calls that show the rest; ``tool`` shows a node."""
        calls = [f"the same with offset {self.after}"] if self.after is not None else []
        if self.deeper:
            calls.append(f"{tool} with the node_id of a part")
        return ", or ".join(calls) or None


class Style(NamedTuple):
    """What nodes are shown with. CiteKit's have all; ``lean`` ones neither an empty list of parts
    nor a modality, which the fields of a location tell."""

    lean: bool = False
    summaries: bool = True


CITEKIT: Final = Style()
CONTENTS: Final = Style(lean=True, summaries=False)
PART: Final = Style(lean=True)


def shown_nodes(nodes: Sequence[Node], style: Style, offset: int = 0) -> ShownNodes:
    """The trees of ``nodes`` from ``offset`` on."""
    nodes = nodes[offset:]
    height = max(map(_height, nodes), default=1)
    for depth in range(height, 1, -1):
        entries = [_entry(node, depth, style) for node in nodes]
        if size(entries) <= _MOST:
            return ShownNodes(entries, depth < height, None)
    entries = [_entry(node, 1, style) for node in nodes]
    shown = fitting(entries, _MOST)
    after = offset + len(shown) if len(shown) < len(entries) else None
    return ShownNodes(shown, any("parts" in entry for entry in shown), after)


def shown_node(node: Node, style: Style, offset: int = 0) -> tuple[Entry, ShownNodes]:
    """A node, and its parts from ``offset`` on, which it has too."""
    parts = shown_nodes(node.children, style, offset)
    entry = _entry(node, 1, style)
    entry.pop("parts", None)
    return entry | ({_PARTS: parts.entries} if parts.entries or not style.lean else {}), parts


def _entry(node: Node, depth: int, style: Style) -> Entry:
    entry: Entry = node.model_dump(mode="json", exclude_none=True, exclude={_PARTS})
    if not style.summaries:
        entry.pop("summary", None)
    if style.lean:
        del entry["location"]["modality"]
    if node.children and depth == 1:
        entry["parts"] = len(node.children)
    elif node.children or not style.lean:
        entry[_PARTS] = [_entry(part, depth - 1, style) for part in node.children]
    return entry


def _height(node: Node) -> int:
    return 1 + max(map(_height, node.children), default=0)


class ResourcesReply(Reply, total=False):
    """Ids of documents and mapped files, or their outline."""

    resources: list[str]
    context: str


class StructureReply(Reply, total=False):
    """A resource map, or a node of it."""

    node: dict[str, Any]
    resource_id: str
    type: str
    title: str
    source_path: str
    nodes: list[dict[str, Any]]
    metadata: dict[str, Any]
    created_at: str


class NodeReply(Reply, total=False):
    """A node of a resource map."""

    id: str
    title: str
    type: str
    location: dict[str, Any]
    summary: str
    children: list[dict[str, Any]]
    parts: int


class ResolutionReply(Reply, total=False):
    """A node as a file."""

    output_path: Any
    modality: str
    address: str
    node: dict[str, Any]
    resource_id: str
    text_uncertain: bool


def resolved(found: Resolution) -> ResolutionReply:
    """CiteKit's fields, a mark on uncertain text, and the warnings if there are any."""
    evidence = found.evidence
    answer: ResolutionReply = {
        "output_path": evidence.output_path,
        "modality": evidence.modality,
        "address": evidence.address,
        "node": shown_nodes([evidence.node], CITEKIT).entries[0],
        "resource_id": evidence.resource_id,
    }
    if found.text_uncertain:
        answer["text_uncertain"] = True
    if found.warnings:
        answer["warnings"] = list(found.warnings)
    return answer
