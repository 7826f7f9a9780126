"""Tools for projects and what is in them."""

from typing import Final

from citeloom.infrastructure.mcp.contract.parameters.ingest import (
    IngestParameters,
    StatusParameters,
)
from citeloom.infrastructure.mcp.contract.parameters.projects import InspectParameters, NoParameters
from citeloom.infrastructure.mcp.handlers import ingest, projects
from citeloom.infrastructure.mcp.tools.tool import JOB_SECONDS, PATIENCE, Tool

PROJECT_TOOLS: Final = (
    Tool(
        name="ingest_from_source",
        title="Add documents",
        description="Read papers into a project (made if need be); unchanged files cost nothing. "
        f"After {PATIENCE:g} s it returns a job_id and goes on.",
        parameters=IngestParameters,
        handler=ingest.ingest_from_source,
        seconds=JOB_SECONDS,
        waits=True,
        read_only=False,
    ),
    Tool(
        name="ingest_status",
        title="Progress of an ingest",
        description="Progress or result of an ingest.",
        parameters=StatusParameters,
        handler=ingest.ingest_status,
        seconds=JOB_SECONDS,
        waits=True,
    ),
    Tool(
        name="list_projects",
        title="List projects",
        description="The projects and their models.",
        parameters=NoParameters,
        handler=projects.list_projects,
        seconds=5.0,
    ),
    Tool(
        name="inspect_collection",
        title="Inspect a project",
        description="What a project holds, with sample passages.",
        parameters=InspectParameters,
        handler=projects.inspect_collection,
        seconds=5.0,
    ),
)
