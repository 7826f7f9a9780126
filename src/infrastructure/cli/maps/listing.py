"""The command ``list``: the papers of a project, or the nodes of one document."""

import csv
import io
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.domain.projects import SortKey
from citeloom.infrastructure.cli.maps.maps import node_place
from citeloom.infrastructure.cli.shared.options import DOCUMENT, JsonOption, WorkspaceOption
from citeloom.infrastructure.cli.shared.run import application
from citeloom.infrastructure.cli.shared.terminal import print_line
from citeloom.infrastructure.cli.shell import offer_keys, offer_projects

if TYPE_CHECKING:
    from citeloom.application.maps.file_maps import ListedResource
    from citeloom.application.maps.prompt_index import ContextFormat
    from citeloom.application.projects.inspection import ListedPaper
    from citeloom.domain.maps.resource_map import ResourceMap
    from citeloom.domain.projects import ProjectId
    from citeloom.infrastructure.composition.application import Application

_COLUMNS = ("Key", "Authors", "Year", "Title", "Pages", "State")
_MOST_AUTHORS = 2


class ListFormat(StrEnum):
    TABLE = "table"
    CSV = "csv"
    JSON = "json"


WorkFilterOption = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        help="KEY=VALUE or KEY!=VALUE, repeatable: year=2015..2020, author=, citekey=, tag=, "
        "collection=, type=, doc=, item=, lang=.",
    ),
]


def list_papers(
    document: Annotated[
        str | None,
        typer.Argument(
            autocompletion=offer_keys, help=f"List the parts of this document instead. {DOCUMENT}."
        ),
    ] = None,
    project: Annotated[
        str | None,
        typer.Option(
            "--project",
            "-p",
            autocompletion=offer_projects,
            help="Project: NAME or NAMESPACE/NAME. [default: that of `citeloom project use`, else "
            "all, and the files that are mapped outside of projects]",
        ),
    ] = None,
    filters: WorkFilterOption = None,
    sort: Annotated[SortKey, typer.Option(help="What the list is sorted by.")] = SortKey.AUTHOR,
    reverse: Annotated[bool, typer.Option("--reverse", help="The last comes first.")] = False,
    output: Annotated[ListFormat, typer.Option("--format", help="Output format.")] = (
        ListFormat.TABLE
    ),
    context: Annotated[
        bool,
        typer.Option(
            "--context", help="Print an index of all maps, for the prompt of a language model."
        ),
    ] = False,
    budget: Annotated[
        int | None,
        typer.Option(help="With --context: maximum number of tokens. [default: 600 a map]", min=1),
    ] = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """List papers: key, authors, year, title, pages and state; or the parts of one document."""
    as_json = as_json or output is ListFormat.JSON
    with application(workspace, as_json=as_json, owner="citeloom list") as opened:
        from citeloom.domain.projects import ProjectId
        from citeloom.infrastructure.cli.shared.output import print_text

        project_id = ProjectId.parse(project) if project else None
        if context:
            format: ContextFormat = "json" if as_json else "markdown"
            print_text(opened.maps.structure.agent_context(project_id, format, budget))
        elif document is not None:
            _print_nodes(opened.maps.structure.map(project_id, document), as_json=as_json)
        else:
            asked = project_id or opened.projects.choice.default()
            papers = _papers(opened, asked, filters or (), sort, reverse=reverse)
            files = () if project_id or filters else opened.maps.files.list_files()
            if as_json:
                _print_json(opened, papers, files)
            elif output is ListFormat.CSV:
                _print_csv(papers)
            else:
                _print_papers(papers, files, filtered=bool(filters))


def _papers(
    opened: "Application",
    project_id: "ProjectId | None",
    filters: Sequence[str],
    sort: SortKey,
    *,
    reverse: bool,
) -> "Sequence[ListedPaper]":
    """Those of one project, or of all."""
    from citeloom.domain.search.filters import Filter, parse_clause

    projects = opened.stores.catalogue.projects()
    ids = [project_id] if project_id else [one.id for one in projects]
    filter = Filter(clauses=tuple(map(parse_clause, filters)))
    papers = opened.projects.papers(ids, filter, sort)
    return papers[::-1] if reverse else papers


def _print_papers(
    papers: "Sequence[ListedPaper]", files: "Sequence[ListedResource]", *, filtered: bool
) -> None:
    from citeloom.infrastructure.cli.shared.output import in_words, print_table

    if papers:
        several = len({one.project for one in papers}) > 1
        columns = ("Project", *_COLUMNS) if several else _COLUMNS
        rows = [_row(one) for one in papers]
        if several:
            rows = [(one.project, *row) for one, row in zip(papers, rows, strict=True)]
        print_table(None, columns, rows)
    elif filtered:
        print_line("no document passes the filter")
    elif not files:
        print_line("no documents yet: `citeloom ingest FOLDER`, or `citeloom map FILE`")
    if files:
        if papers:
            print_line("")
        found = [
            (
                one.resource_id,
                one.type or "-",
                one.title or "-",
                in_words(one.problem or one.source_path or "-"),
            )
            for one in files
        ]
        print_table(None, ("Mapped file", "Type", "Title", "Source"), found)


def _row(paper: "ListedPaper") -> tuple[str, ...]:
    authors = "; ".join(paper.authors[:_MOST_AUTHORS])
    if len(paper.authors) > _MOST_AUTHORS:
        authors += " et al."
    return (
        paper.citekey or "-",
        authors or "-",
        str(paper.year or "-"),
        paper.title or paper.source_path or paper.document_id,
        str(paper.pages or "-"),
        paper.state.value,
    )


def _print_csv(papers: "Sequence[ListedPaper]") -> None:
    """One line a document, its values whole; several authors are parted by semicolons."""
    from citeloom.infrastructure.cli.shared.output import print_text

    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(("project", "key", "authors", "year", "title", "pages", "state", "id", "source"))
    for one in papers:
        authors = "; ".join(one.authors)
        table.writerow(
            (one.project, one.citekey or "", authors, one.year or "", one.title or "", one.pages,
             one.state.value, one.document_id, one.source_path or "")
        )  # fmt: skip
    print_text(written.getvalue().removesuffix("\n"))


def _print_json(
    opened: "Application", papers: "Sequence[ListedPaper]", files: "Sequence[ListedResource]"
) -> None:
    from citeloom.domain.projects import ProjectId
    from citeloom.infrastructure.cli.shared.output import print_json

    listed = opened.maps.files.listed
    resources: list[dict[str, Any]] = []
    for one in papers:
        mapped = listed(one.resource_id, ProjectId(value=one.project)).model_dump(mode="json")
        resources.append({**mapped, **one.model_dump(mode="json")})
    resources += [one.model_dump(mode="json") for one in files]
    print_json({"resources": resources, "count": len(resources)})


def _print_nodes(resource_map: "ResourceMap", *, as_json: bool) -> None:
    from citeloom.infrastructure.cli.shared.output import print_json, print_table

    nodes = list(resource_map.walk())
    if as_json:
        entries = [
            node.model_dump(mode="json", exclude={"children"}, exclude_none=True) for node in nodes
        ]
        print_json({"resource_id": resource_map.resource_id, "nodes": entries, "count": len(nodes)})
        return
    rows = [(n.id, n.type, node_place(n.location), n.title or "") for n in nodes]
    print_table(None, ("Node", "Type", "Place", "Title"), rows)
