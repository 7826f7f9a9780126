"""Handlers of the tools for structures and their nodes."""

from citeloom.application.maps.resolve import ResolveRequest
from citeloom.domain.projects.project_id import ProjectId
from citeloom.infrastructure.mcp.answers.contents import Content
from citeloom.infrastructure.mcp.answers.maps import ResolutionReply, ResourcesReply, resolved
from citeloom.infrastructure.mcp.contract.parameters.maps import (
    NodeParameters,
    ResolveParameters,
    ResourcesParameters,
    StructureParameters,
)
from citeloom.infrastructure.mcp.handlers.served import Served


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


def resolve(served: Served, parameters: ResolveParameters) -> ResolutionReply:
    request = ResolveRequest(
        project_id=_project(parameters),
        name=parameters.resource_id,
        node_id=parameters.node_id,
        virtual=parameters.virtual,
    )
    return resolved(served.application.maps.resolve(request))


def _project(parameters: ResourcesParameters | StructureParameters) -> ProjectId | None:
    return ProjectId.parse(parameters.project) if parameters.project else None
