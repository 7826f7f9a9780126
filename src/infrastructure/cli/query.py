"""``citeloom query``."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.infrastructure.cli.options import JsonOption, ProjectOption, WorkspaceOption
from citeloom.infrastructure.cli.session import application, note

if TYPE_CHECKING:
    from citeloom.domain.retrieval import QueryResult
    from citeloom.infrastructure.bootstrap import Application


class ModeOption(StrEnum):
    HYBRID = "hybrid"
    DENSE = "dense"
    SPARSE = "sparse"


class FormatOption(StrEnum):
    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    MARKDOWN = "markdown"
    BIBTEX = "bibtex"
    CSL_JSON = "csl-json"


def query(
    text: Annotated[str, typer.Argument(help="The question.")],
    project: ProjectOption,
    top_k: Annotated[
        int | None, typer.Option("-k", "--top-k", help="How many passages, 1 to 50.")
    ] = None,
    mode: Annotated[
        ModeOption | None,
        typer.Option(help="By meaning and words, by meaning, or by words. [default: hybrid]"),
    ] = None,
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            help="KEY=VALUE or KEY!=VALUE, repeatable: year=2015..2020, author=, citekey=, tag=, "
            "collection=, section=, type=, kind=, doc=, page=.",
        ),
    ] = None,
    output: Annotated[FormatOption, typer.Option("--format", help="How to print.")] = (
        FormatOption.TABLE
    ),
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Ask a project; get passages with citation, printed page and section."""
    chosen = FormatOption.JSON if as_json else output
    with application(
        workspace, as_json=chosen is FormatOption.JSON, owner="citeloom query"
    ) as opened:
        from citeloom.domain.filters import Filter, parse_clause
        from citeloom.domain.project import ProjectId
        from citeloom.domain.retrieval import Mode, QueryRequest
        from citeloom.infrastructure.requests import build

        project_id = ProjectId.parse(project)
        request = build(
            QueryRequest,
            project_id=project_id,
            query_text=text,
            top_k=top_k if top_k is not None else opened.settings.query.top_k,
            mode=Mode(mode.value) if mode else _usual_mode(opened, project),
            filter=Filter(clauses=tuple(parse_clause(f) for f in filters or ())),
        )
        _print(opened, opened.query(request), chosen)


def _usual_mode(opened: "Application", project: str) -> Any:
    """Hybrid, unless the project was made without."""
    from citeloom.domain.project import ProjectId
    from citeloom.domain.retrieval import Mode

    stored = opened.catalogue.project(ProjectId.parse(project))
    return Mode.HYBRID if stored.hybrid_enabled else Mode.DENSE


def _print(opened: "Application", result: "QueryResult", output: FormatOption) -> None:
    from citeloom.infrastructure.cli import hits
    from citeloom.infrastructure.cli.output import print_json, print_json_lines, print_text

    for warning in result.warnings:
        note(f"warning: {warning}")
    if output is FormatOption.JSON:
        print_json(result)
    elif output is FormatOption.JSONL:
        print_json_lines(result.items)
    elif output is FormatOption.CSL_JSON:
        print_json(hits.csl_items(opened.catalogue, result))
    elif output is FormatOption.BIBTEX:
        from citeloom.infrastructure.cli.bibtex import to_bibtex

        print_text("\n\n".join(map(to_bibtex, hits.csl_items(opened.catalogue, result))))
    elif not result.items:
        typer.echo(f"No results found for query: {result.query}")
    elif output is FormatOption.MARKDOWN:
        print_text(hits.as_markdown(result))
    else:
        hits.print_hits(result)
