"""Handlers of the tools for structures and their nodes."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mcp.types import ResourceLink

from citeloom.application.places.cut import Resolution, ResolveRequest
from citeloom.domain.projects.project_id import ProjectId
from citeloom.infrastructure.mcp.answers.contents import Content, fitting
from citeloom.infrastructure.mcp.answers.maps import (
    CITEKIT,
    CONTENTS,
    PART,
    ResourcesReply,
    ShownNodes,
    StructureReply,
    resolved,
    shown_node,
    shown_nodes,
)
from citeloom.infrastructure.mcp.contract.parameters.maps import (
    NodeParameters,
    OutlineParameters,
    ResolveParameters,
    ResourcesParameters,
    StructureParameters,
)
from citeloom.infrastructure.mcp.protocol.blocks import Illustrated, link
from citeloom.infrastructure.mcp.protocol.files import evidence_uri, source_uri
from citeloom.infrastructure.mcp.visible import visible
from citeloom.infrastructure.serving.errors import MissingParameter
from citeloom.infrastructure.serving.mime_types import mime_type_of
from citeloom.infrastructure.serving.served import Served

# An address, a knowledge URI or a citation.
_PLACE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|@|-@|\[")


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
    node = structure.node(_project(parameters), parameters.resource_id, parameters.node_id)
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
        digest = served.application.maps.structure.known(None, found.evidence.resource_id)
        source = (digest.metadata or {}).get("source_hash") if digest else None
        stored = isinstance(source, str) and served.application.maps.structure.holding(source)
        uri = source_uri(stored.document_id) if stored else None
    if uri is not None and path.is_file():
        yield link(uri, visible(path.name), mime_type_of(path), size=path.stat().st_size)


def _project(
    parameters: ResourcesParameters | StructureParameters | ResolveParameters,
) -> ProjectId | None:
    return ProjectId.parse(parameters.project) if parameters.project else None
