"""Handlers of list_projects and inspect_collection."""

from citeloom.infrastructure.mcp.answers.projects import (
    InspectionReply,
    ProjectsReply,
    inspected,
    listed,
    none_in,
)
from citeloom.infrastructure.mcp.contract.parameters.projects import (
    InspectParameters,
    ListProjectsParameters,
)
from citeloom.infrastructure.serving.served import Served


def list_projects(served: Served, parameters: ListProjectsParameters) -> ProjectsReply:
    projects = served.application.projects.projects.list()
    return (
        listed(projects, parameters.offset)
        if projects
        else none_in(served.application.workspace.root)
    )


def inspect_collection(served: Served, parameters: InspectParameters) -> InspectionReply:
    project_id = served.application.projects.choice(parameters.project)
    return inspected(served.application.projects.inspect(project_id, parameters.sample))
