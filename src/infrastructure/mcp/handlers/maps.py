"""Handlers of the tools for structures and their nodes."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mcp.types import ResourceLink

from citeloom.application.maps.resolve import Resolution, ResolveRequest
from citeloom.domain.projects.project_id import ProjectId
from citeloom.infrastructure.mcp.answers.contents import Content
from citeloom.infrastructure.mcp.answers.maps import ResourcesReply, resolved
from citeloom.infrastructure.mcp.answers.visible import visible
from citeloom.infrastructure.mcp.contract.errors import MissingParameter
from citeloom.infrastructure.mcp.contract.parameters.maps import (
    NodeParameters,
    ResolveParameters,
    ResourcesParameters,
    StructureParameters,
)
from citeloom.infrastructure.mcp.handlers.served import Served
from citeloom.infrastructure.mcp.protocol.blocks import Illustrated, link
from citeloom.infrastructure.mcp.protocol.files import evidence_uri, mime_type_of, source_uri

# An address, a knowledge URI or a citation.
_PLACE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|@|-@|\[")


def list_resources(served: Served, parameters: ResourcesParameters) -> ResourcesReply:
    structure, project = served.application.maps.structure, _project(parameters)
    if parameters.budget > 0:
        return {"context": structure.agent_context(project, budget=parameters.budget)}
    return {"resources": list(structure.resources(project))}


def get_structure(served: Served, parameters: StructureParameters) -> Content:
    structure = served.application.maps.structure
    resource = structure.map(_project(parameters), parameters.resource_id)
    return resource.model_dump(mode="json", exclude_none=True)


def get_node(served: Served, parameters: NodeParameters) -> Content:
    structure = served.application.maps.structure
    node = structure.node(_project(parameters), parameters.resource_id, parameters.node_id)
    return node.model_dump(mode="json", exclude_none=True)


def resolve(served: Served, parameters: ResolveParameters) -> Illustrated:
    """With a link to the file, for clients on other machines. Raises MissingParameter for a
    document without a node."""
    if parameters.node_id is None and not _PLACE.match(parameters.resource_id):
        raise MissingParameter("node_id", "getStructure names the nodes; empty for all of it")
    found = served.application.maps.resolve(
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
