"""Table of the tools."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from citeloom.infrastructure.mcp.answers.search import Content
from citeloom.infrastructure.mcp.contract.parameters import (
    IngestParameters,
    InspectParameters,
    MeaningParameters,
    NodeParameters,
    NoParameters,
    Parameters,
    QueryParameters,
    ResolveParameters,
    ResourcesParameters,
    ReviewParameters,
    StatusParameters,
    StructureParameters,
    VerifyParameters,
)
from citeloom.infrastructure.mcp.contract.schemas import input_schema
from citeloom.infrastructure.mcp.handlers import Handlers

JOB_SECONDS: Final = 15.0
#: A second before the deadline, so that the answer with the job id is within it.
PATIENCE: Final = JOB_SECONDS - 1.0

INSTRUCTIONS: Final = (
    "CiteLoom finds quotable passages in the user's own papers. list_projects says where to "
    "ask, query_hybrid asks. Quote render_text verbatim and cite it with `citation`, which "
    "names the printed page. verify checks what cites them."
)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: ``seconds`` is its deadline, ``handler`` runs in a worker thread. One that
    ``waits`` for a job is also given ``tell``, which hears how far the job is."""

    name: str
    description: str
    parameters: type[Parameters]
    seconds: float
    handler: Callable[..., Content]
    writes: bool = False
    waits: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        return input_schema(self.parameters)


_TABLE: Final = (
    Tool(
        "query_hybrid",
        "Passages of a project that answer a question, by meaning and by words, best first, each "
        "ready to cite.",
        QueryParameters,
        15.0,
        Handlers.query_hybrid,
    ),
    Tool(
        "query",
        "As query_hybrid, by meaning only.",
        MeaningParameters,
        8.0,
        Handlers.query,
    ),
    Tool(
        "verify",
        "Checks a draft against the papers that it cites: claims, pages, quotations, keys.",
        VerifyParameters,
        JOB_SECONDS,
        Handlers.verify,
        waits=True,
    ),
    Tool(
        "review",
        "A cited report of what the papers say to a question; each claim checked.",
        ReviewParameters,
        JOB_SECONDS,
        Handlers.review,
        writes=True,
        waits=True,
    ),
    Tool(
        "ingest_from_source",
        "Read papers into a project (made if need be); unchanged files cost nothing. After "
        f"{PATIENCE:g} s it returns a job_id and goes on.",
        IngestParameters,
        JOB_SECONDS,
        Handlers.ingest_from_source,
        writes=True,
        waits=True,
    ),
    Tool(
        "ingest_status",
        "Progress or result of an ingest.",
        StatusParameters,
        15.0,
        Handlers.ingest_status,
        waits=True,
    ),
    Tool(
        "list_projects",
        "The projects and their models.",
        NoParameters,
        5.0,
        Handlers.list_projects,
    ),
    Tool(
        "inspect_collection",
        "What a project holds, with sample passages.",
        InspectParameters,
        5.0,
        Handlers.inspect_collection,
    ),
    Tool(
        "listResources",
        "Ids of documents and mapped files; with budget an outline in so many tokens.",
        ResourcesParameters,
        5.0,
        Handlers.list_resources,
    ),
    Tool(
        "getStructure",
        "The parts of a document or mapped file as a tree of nodes, with their places.",
        StructureParameters,
        5.0,
        Handlers.get_structure,
    ),
    Tool(
        "getNode",
        "One node of a structure.",
        NodeParameters,
        5.0,
        Handlers.get_node,
    ),
    Tool(
        "resolve",
        "A node as a file: its pages as a PDF, its lines, picture or recording.",
        ResolveParameters,
        15.0,
        Handlers.resolve,
        writes=True,
    ),
)

TOOLS: Final[Mapping[str, Tool]] = {tool.name: tool for tool in _TABLE}
