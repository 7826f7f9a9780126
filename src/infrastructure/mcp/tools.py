"""Tools of the server: names, descriptions, deadlines and annotations."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from citeloom.domain.errors import ConfigurationError
from citeloom.infrastructure.serving.jobs.pending import Pending
from citeloom.infrastructure.serving.lanes import LaneName
from citeloom.infrastructure.serving.served import JOB_SECONDS, PATIENCE

from .answers.contents import Content, Reply
from .answers.jobs import IngestReply, JobsReply, ReviewReply, VerifyReply
from .answers.projects import InspectionReply, ProjectsReply, RemovalReply
from .answers.search import SearchReply
from .contract.arguments import input_schema, output_schema
from .contract.parameters import (
    CiteParameters,
    IngestParameters,
    InspectParameters,
    JobsParameters,
    ListDocumentsParameters,
    ListProjectsParameters,
    MeaningParameters,
    NodeParameters,
    OpenPageParameters,
    OutlineParameters,
    Parameters,
    QueryParameters,
    RemoveParameters,
    ResolveParameters,
    ResourcesParameters,
    ReviewParameters,
    StatusParameters,
    StructureParameters,
    VerifyParameters,
)
from .handlers import jobs, maps, projects, reading
from .handlers import jobs as drafts
from .handlers import jobs as ingest
from .handlers import jobs as reviews
from .handlers import projects as removal
from .handlers import projects as search
from .handlers.maps import NodeReply, ResolutionReply, ResourcesReply, StructureReply
from .handlers.reading import CiteReply, DocumentsReply, PageReply
from .protocol.resources import Illustrated


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool: ``handler`` runs in a thread of its ``lane``, or of the heavy one where the parameter
    ``heavy_with`` is set; ``seconds`` is its deadline, from when it has begun there. One that is
    not ``listed`` is answered all the same: clients of older versions know its name.

    ``read_only``, ``destructive``, ``idempotent`` and ``open_world`` are the annotations of the
    protocol. A cache of what can be derived from the documents is no write.
    """

    name: str
    title: str
    description: str
    parameters: type[Parameters]
    answer: type[Reply]
    handler: Callable[..., Content | Illustrated | Pending]
    seconds: float
    lane: LaneName = LaneName.READING
    heavy_with: str | None = None
    listed: bool = True
    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        return input_schema(self.parameters)

    @property
    def output(self) -> dict[str, Any]:
        return output_schema(self.answer)


DRAFT_TOOLS: Final = (
    Tool(
        name="verify",
        title="Check citations of a draft",
        description="Checks whether a draft (pandoc, LaTeX, author-year, numbered) cites and "
        "quotes correctly: claims, quotations, pages, keys.",
        parameters=VerifyParameters,
        answer=VerifyReply,
        handler=drafts.verify,
        seconds=JOB_SECONDS,
    ),
    Tool(
        name="review",
        title="Write a literature review",
        description="A cited report of what the papers say to a question; each claim checked.",
        parameters=ReviewParameters,
        answer=ReviewReply,
        handler=reviews.review,
        seconds=JOB_SECONDS,
        read_only=False,
        idempotent=False,
    ),
)


MAP_TOOLS: Final = (
    Tool(
        name="listResources",
        title="List resources",
        description="Ids of documents and mapped files; with budget an outline in so many tokens.",
        parameters=ResourcesParameters,
        answer=ResourcesReply,
        listed=False,
        handler=maps.list_resources,
        seconds=5.0,
    ),
    Tool(
        name="get_structure",
        title="Table of contents",
        description="Chapters, headings, figures and tables of a document, with pages.",
        parameters=OutlineParameters,
        answer=StructureReply,
        handler=maps.outline,
        seconds=5.0,
    ),
    Tool(
        name="getStructure",
        title="Structure of a document",
        description="The parts of a document or mapped file as a tree of nodes, with their places.",
        parameters=StructureParameters,
        answer=StructureReply,
        handler=maps.get_structure,
        listed=False,
        seconds=5.0,
    ),
    Tool(
        name="getNode",
        title="Node of a structure",
        description="One node of a structure.",
        parameters=NodeParameters,
        answer=NodeReply,
        listed=False,
        handler=maps.get_node,
        seconds=5.0,
    ),
    Tool(
        name="resolve",
        title="Cut out a file",
        description="Cuts a part out as a file: pages as a PDF, lines, picture, recording.",
        parameters=ResolveParameters,
        answer=ResolutionReply,
        handler=maps.resolve,
        seconds=15.0,
        read_only=False,
    ),
)


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


READING_TOOLS: Final = (
    Tool(
        name="open_page",
        title="Show a page",
        description="Shows a page, section or passage as it stands; as a picture, the quote "
        "marked.",
        parameters=OpenPageParameters,
        answer=PageReply,
        handler=reading.open_page,
        seconds=15.0,
        heavy_with="image",
    ),
    Tool(
        name="list_documents",
        title="List documents",
        description="What is in the library: keys, authors, years, titles.",
        parameters=ListDocumentsParameters,
        answer=DocumentsReply,
        handler=reading.list_documents,
        seconds=8.0,
    ),
    Tool(
        name="cite",
        title="Cite works",
        description="An in-text citation of works, and their bibliography.",
        parameters=CiteParameters,
        answer=CiteReply,
        handler=reading.cite,
        seconds=15.0,
    ),
)


SEARCH_TOOLS: Final = (
    Tool(
        name="query_hybrid",
        title="Search passages",
        description="Finds what the user's papers say on a question: evidence to quote and cite, "
        "by meaning and words.",
        parameters=QueryParameters,
        answer=SearchReply,
        handler=search.query_hybrid,
        seconds=15.0,
        lane=LaneName.SEARCHING,
        heavy_with="rerank",
    ),
    Tool(
        name="query",
        title="Search passages by meaning",
        description="As query_hybrid, with all its parameters, by meaning only: same idea, other "
        "words.",
        parameters=MeaningParameters,
        answer=SearchReply,
        handler=search.query,
        seconds=8.0,
        lane=LaneName.SEARCHING,
        heavy_with="rerank",
    ),
)


#: All tools by name; those that are not listed have their names from older versions.
TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool
    for tool in (*SEARCH_TOOLS, *READING_TOOLS, *DRAFT_TOOLS, *PROJECT_TOOLS, *MAP_TOOLS)
}
LISTED: Final[Mapping[str, Tool]] = {name: tool for name, tool in TOOLS.items() if tool.listed}

#: It can cancel reviews and ingests. Where there are none, it is one that only reads.
_READING_ALONE: Final = frozenset({"jobs"})


def offered_tools(*, read_only: bool, names: Collection[str] = ()) -> Mapping[str, Tool]:
    """The tools that a server has: all, or those of ``names``, which are listed then; with
    ``read_only`` without those that write or delete. Raises ConfigurationError."""
    if unknown := [name for name in names if name not in TOOLS]:
        raise ConfigurationError(
            f"mcp.tools: {', '.join(unknown)}: no such tool; the tools are {', '.join(TOOLS)}"
        )
    chosen = (
        {name: replace(TOOLS[name], listed=True) for name in TOOLS if name in names}
        if names
        else TOOLS
    )
    if not read_only:
        return chosen
    return {
        name: replace(tool, read_only=True)
        for name, tool in chosen.items()
        if tool.read_only or name in _READING_ALONE
    }
