"""Tools of the server: names, descriptions, deadlines and annotations."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, get_type_hints

from citeloom.domain.errors import ConfigurationError
from citeloom.infrastructure.serving.jobs.pending import Pending
from citeloom.infrastructure.serving.lanes import LaneName
from citeloom.infrastructure.serving.served import JOB_SECONDS, PATIENCE

from .answers.contents import Content, Reply, SearchReply
from .answers.jobs import AskReply, IngestReply, JobsReply, ReviewReply, TableReply, VerifyReply
from .contract.arguments import input_schema, output_schema
from .contract.parameters import MeaningParameters, Parameters
from .handlers import jobs, maps, projects, reading
from .handlers.maps import NodeReply, ResolutionReply, StructureReply
from .handlers.reading import PageReply
from .protocol.resources import Illustrated


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool: ``handler`` runs in a thread of its ``lane``, or of the heavy one where the parameter
    ``heavy_with`` is set; ``seconds`` is its deadline, from when it has started there. One that is
    not ``listed`` is answered all the same: clients of older versions know its name.

    ``read_only``, ``destructive``, ``idempotent`` and ``open_world`` are the annotations of the
    protocol. A cache of what can be derived from the documents is not a write.
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


def tool(
    handler: Callable[..., Any], title: str, description: str, seconds: float, **more: Any
) -> Tool:
    """The tool of a handler, which is called as its handler, takes the parameters that the handler
    takes and answers what the handler returns, where ``more`` says nothing else."""
    hints = get_type_hints(handler)
    derived = {
        "name": handler.__name__,
        "parameters": hints["parameters"],
        "answer": hints["return"],
    }
    return Tool(
        title=title,
        description=description,
        handler=handler,
        seconds=seconds,
        **derived | more,
    )


#: All tools by name; those that are not listed have their names from older versions.
TOOLS: Final[Mapping[str, Tool]] = {
    one.name: one
    for one in (
        tool(
            projects.query_hybrid,
            "Search passages",
            "Finds what the user's papers say on a question: evidence to quote and cite, by "
            "meaning and words.",
            15.0,
            answer=SearchReply,
            lane=LaneName.SEARCHING,
            heavy_with="rerank",
        ),
        tool(
            projects.query,
            "Search passages by meaning",
            "As query_hybrid, with all its parameters, by meaning only: same idea, other words.",
            8.0,
            parameters=MeaningParameters,
            answer=SearchReply,
            lane=LaneName.SEARCHING,
            heavy_with="rerank",
        ),
        tool(
            jobs.ask,
            "Answer in checked sentences",
            "The user's own language model answers from the papers; each sentence with verdict "
            "and quotation.",
            JOB_SECONDS,
            answer=AskReply,
            listed=False,
        ),
        tool(
            reading.open_page,
            "Show a page",
            "Shows a page, section or passage as it stands; as a picture, the quote marked.",
            15.0,
            answer=PageReply,
            heavy_with="image",
        ),
        tool(
            reading.list_documents,
            "List documents",
            "What is in the library: keys, authors, years, titles.",
            8.0,
        ),
        tool(
            reading.cite,
            "Cite works",
            "An in-text citation of works, and their bibliography.",
            15.0,
        ),
        tool(
            jobs.verify,
            "Check citations of a draft",
            "Checks whether a draft (pandoc, LaTeX, author-year, numbered) cites and quotes "
            "correctly: claims, quotations, pages, keys.",
            JOB_SECONDS,
            answer=VerifyReply,
        ),
        tool(
            jobs.review,
            "Write a literature review",
            "A cited report of what the papers say on a question; each claim checked.",
            JOB_SECONDS,
            answer=ReviewReply,
            read_only=False,
            idempotent=False,
        ),
        tool(
            jobs.table,
            "Table of papers and questions",
            "Asks every paper the same questions; answers with pages. Columns are kept.",
            JOB_SECONDS,
            answer=TableReply,
            read_only=False,
        ),
        tool(
            jobs.ingest_from_source,
            "Add documents",
            "Adds PDFs, a folder or Zotero to a project; unchanged files cost nothing. "
            f"After {PATIENCE:g} s it continues as a job.",
            JOB_SECONDS,
            answer=IngestReply,
            read_only=False,
            open_world=True,
        ),
        tool(
            jobs.jobs,
            "Jobs: list, watch, cancel",
            "How far a job is; its result; stops it.",
            JOB_SECONDS,
            answer=JobsReply,
            read_only=False,
        ),
        tool(
            jobs.ingest_status,
            "Progress of an ingest",
            "Progress or result of an ingest.",
            JOB_SECONDS,
            answer=IngestReply,
            listed=False,
        ),
        tool(
            projects.remove,
            "Remove documents or a project",
            "Deletes documents, or without any the project; the user's files stay. A first call "
            "gives `confirm`.",
            JOB_SECONDS,
            read_only=False,
            destructive=True,
        ),
        tool(projects.list_projects, "List projects", "The projects and their models.", 5.0),
        tool(
            projects.inspect_collection,
            "Inspect a project",
            "What an index holds: passages, models, samples.",
            5.0,
        ),
        tool(
            maps.list_resources,
            "List resources",
            "Ids of documents and mapped files; with budget an outline in so many tokens.",
            5.0,
            name="listResources",
            listed=False,
        ),
        tool(
            maps.outline,
            "Table of contents",
            "Chapters, headings, figures and tables of a document, with pages.",
            5.0,
            name="get_structure",
        ),
        tool(
            maps.get_structure,
            "Structure of a document",
            "The parts of a document or mapped file as a tree of nodes, with their places.",
            5.0,
            name="getStructure",
            answer=StructureReply,
            listed=False,
        ),
        tool(
            maps.get_node,
            "Node of a structure",
            "One node of a structure.",
            5.0,
            name="getNode",
            answer=NodeReply,
            listed=False,
        ),
        tool(
            maps.resolve,
            "Cut out a file",
            "Cuts a part out as a file: pages as a PDF, lines, picture, recording.",
            15.0,
            answer=ResolutionReply,
            read_only=False,
        ),
    )
}
LISTED: Final[Mapping[str, Tool]] = {name: tool for name, tool in TOOLS.items() if tool.listed}

#: Listed where a language model is configured.
_WITH_A_MODEL: Final = "ask"
#: It can cancel reviews and ingests. Where there are none, it is one that only reads.
_READING_ALONE: Final = frozenset({"jobs"})


def offered_tools(
    *, read_only: bool, names: Collection[str] = (), has_model: bool = False
) -> Mapping[str, Tool]:
    """The tools of a server: all, or those of ``names``, which are then listed; with ``read_only``
    without those that write or delete. ``has_model``: a language model is configured. Raises
    ConfigurationError."""
    if unknown := [name for name in names if name not in TOOLS]:
        raise ConfigurationError(
            f"mcp.tools: {', '.join(unknown)}: no such tool; the tools are {', '.join(TOOLS)}"
        )
    chosen = (
        {name: replace(TOOLS[name], listed=True) for name in TOOLS if name in names}
        if names
        else {**TOOLS, _WITH_A_MODEL: replace(TOOLS[_WITH_A_MODEL], listed=has_model)}
    )
    if not read_only:
        return chosen
    return {
        name: replace(tool, read_only=True)
        for name, tool in chosen.items()
        if tool.read_only or name in _READING_ALONE
    }
