"""Tools for projects and what is in them."""

from typing import Final

from citeloom.infrastructure.mcp.answers.ingest import IngestReply
from citeloom.infrastructure.mcp.answers.jobs import JobsReply
from citeloom.infrastructure.mcp.answers.projects import InspectionReply, ProjectsReply
from citeloom.infrastructure.mcp.answers.removal import RemovalReply
from citeloom.infrastructure.mcp.contract.parameters.ingest import (
    IngestParameters,
    StatusParameters,
)
from citeloom.infrastructure.mcp.contract.parameters.jobs import JobsParameters
from citeloom.infrastructure.mcp.contract.parameters.projects import (
    InspectParameters,
    ListProjectsParameters,
)
from citeloom.infrastructure.mcp.contract.parameters.removal import RemoveParameters
from citeloom.infrastructure.mcp.handlers import ingest, jobs, projects, removal
from citeloom.infrastructure.mcp.tools.tool import Tool
from citeloom.infrastructure.serving.served import JOB_SECONDS, PATIENCE

PROJECT_TOOLS: Final = (
    Tool(
        name="ingest_from_source",
        title="Add documents",
        description="Adds PDFs, a folder or Zotero to a project; unchanged files cost nothing. "
        f"After {PATIENCE:g} s it goes on as a job.",
        parameters=IngestParameters,
        answer=IngestReply,
        handler=ingest.ingest_from_source,
        seconds=JOB_SECONDS,
        read_only=False,
    ),
    Tool(
        name="jobs",
        title="Jobs: list, watch, cancel",
        description="How far an import, verify or review is; its result; stops it.",
        parameters=JobsParameters,
        answer=JobsReply,
        handler=jobs.jobs,
        seconds=JOB_SECONDS,
        read_only=False,
    ),
    Tool(
        name="ingest_status",
        title="Progress of an ingest",
        description="Progress or result of an ingest.",
        parameters=StatusParameters,
        answer=IngestReply,
        handler=ingest.ingest_status,
        seconds=JOB_SECONDS,
        listed=False,
    ),
    Tool(
        name="remove",
        title="Remove documents or a project",
        description="Deletes documents, or without any the project; the user's files stay. A "
        "first call gives `confirm`.",
        parameters=RemoveParameters,
        answer=RemovalReply,
        handler=removal.remove,
        seconds=JOB_SECONDS,
        read_only=False,
        destructive=True,
    ),
    Tool(
        name="list_projects",
        title="List projects",
        description="The projects and their models.",
        parameters=ListProjectsParameters,
        answer=ProjectsReply,
        handler=projects.list_projects,
        seconds=5.0,
    ),
    Tool(
        name="inspect_collection",
        title="Inspect a project",
        description="What an index holds: passages, models, samples.",
        parameters=InspectParameters,
        answer=InspectionReply,
        handler=projects.inspect_collection,
        seconds=5.0,
    ),
)
