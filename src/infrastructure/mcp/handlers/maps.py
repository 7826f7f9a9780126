"""Handlers of the tools for structures and their nodes, and their answers."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from mcp.types import ResourceLink

from citeloom.application.places.cut import Resolution, ResolveRequest
from citeloom.domain.maps.resource_map import Node
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.mcp.answers.contents import (
    MOST_TOKENS,
    Content,
    Entry,
    Reply,
    fitting,
    size,
    told,
)
from citeloom.infrastructure.mcp.contract.parameters import (
    NodeParameters,
    OutlineParameters,
    ResolveParameters,
    ResourcesParameters,
    StructureParameters,
)
from citeloom.infrastructure.mcp.protocol.resources import (
    Illustrated,
    evidence_uri,
    link,
    source_uri,
)
from citeloom.infrastructure.mcp.visible import visible
from citeloom.infrastructure.serving.next_steps import MissingParameter, mime_type_of
from citeloom.infrastructure.serving.served import Served

_PARTS: Final = "children"
_MOST: Final = MOST_TOKENS - 1000
# An address, a knowledge URI or a citation.
_PLACE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|@|-@|\[")


class ShownNodes(NamedTuple):
    """Nodes as an answer may hold them: as deep as fits, or as many of one level. A node whose
    parts are left out has their number."""

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
    """The fields to show for nodes. CiteKit's style has all; ``lean`` leaves out empty lists of
    parts and the modality, which follows from the location."""

    lean: bool = False
    summaries: bool = True


CITEKIT: Final = Style()
CONTENTS: Final = Style(lean=True, summaries=False)
PART: Final = Style(lean=True)


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


def list_resources(served: Served, parameters: ResourcesParameters) -> ResourcesReply:
    structure, project = served.application.maps.structure, _project(parameters)
    if parameters.budget > 0:
        return {"context": structure.agent_context(project, budget=parameters.budget)}
    ids = structure.resources(project)[parameters.offset :]
    answer: ResourcesReply = {"resources": fitting(ids)}
    if len(shown := answer["resources"]) < len(ids):
        answer["next"] = f"the same with offset {parameters.offset + len(shown)}"
    return answer


def outline(served: Served, parameters: OutlineParameters) -> StructureReply:
    """The tree of a document without its sentences; or one node with them."""
    structure, project = served.application.maps.structure, _project(parameters)
    if parameters.node_id is not None:
        node = structure.node(project, parameters.resource_id, parameters.node_id)
        entry, shown = shown_node(node, PART, parameters.offset)
        answer: StructureReply = {"node": entry}
    else:
        resource = structure.map(project, parameters.resource_id)
        shown = shown_nodes(resource.nodes, CONTENTS, parameters.offset)
        answer = {
            "resource_id": resource.resource_id,
            "type": resource.type,
            "title": resource.title,
            "nodes": shown.entries,
        }
    if onward := shown.onward("get_structure"):
        answer["next"] = onward
    return answer


def get_structure(served: Served, parameters: StructureParameters) -> Content:
    structure = served.application.maps.structure
    resource = structure.map(_project(parameters), parameters.resource_id)
    shown = shown_nodes(resource.nodes, CITEKIT, parameters.offset)
    answer = resource.model_dump(mode="json", exclude_none=True, exclude={"nodes"})
    return _with_next({**answer, "nodes": shown.entries}, shown)


def get_node(served: Served, parameters: NodeParameters) -> Content:
    structure = served.application.maps.structure
    node = structure.node(
        _project(parameters),
        parameters.resource_id,
        parameters.node_id,
    )
    return _with_next(*shown_node(node, CITEKIT, parameters.offset))


def _with_next(answer: Content, shown: ShownNodes) -> Content:
    onward = shown.onward("getNode")
    return {**answer, "next": onward} if onward else answer


def resolve(served: Served, parameters: ResolveParameters) -> Illustrated:
    """With a link to the file, for clients on other machines. Raises MissingParameter for a
    document without a node."""
    if parameters.node_id is None and not _PLACE.match(parameters.resource_id):
        raise MissingParameter("node_id", "get_structure names the nodes; empty for all of it")
    found = served.application.maps.cut.resolve(
        ResolveRequest(
            project_id=_project(parameters),
            name=parameters.resource_id,
            node_id=parameters.node_id or None,
            virtual=parameters.virtual,
        )
    )
    return Illustrated(resolved(found), tuple(_links(served, found)))


def _links(served: Served, found: Resolution) -> Iterator[ResourceLink]:
    """The file, cut out or the source itself."""
    if (output := found.evidence.output_path) is None:
        return
    path = Path(output)
    if path.parent == served.application.workspace.evidence:
        uri: str | None = evidence_uri(path.name)
    else:
        structure = served.application.maps.structure
        known = structure.known(None, found.evidence.resource_id)
        digest = known.source_hash if known else None
        stored = structure.holding(digest) if digest else None
        uri = source_uri(stored.document_id) if stored else None
    if uri is not None and path.is_file():
        yield link(uri, visible(path.name), mime_type_of(path), size=path.stat().st_size)


def _project(
    parameters: ResourcesParameters | StructureParameters | ResolveParameters,
) -> ProjectId | None:
    return ProjectId.parse(parameters.project) if parameters.project else None


def resolved(found: Resolution) -> ResolutionReply:
    """CiteKit's fields, a mark on uncertain text, and the warnings if there are any."""
    evidence = found.evidence
    answer = {
        "output_path": evidence.output_path,
        "modality": evidence.modality,
        "address": evidence.address,
        "node": shown_nodes([evidence.node], CITEKIT).entries[0],
        "resource_id": evidence.resource_id,
        **told(found, "text_uncertain", "warnings"),
    }
    return cast(ResolutionReply, answer)


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
