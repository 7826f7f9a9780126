"""``citeloom query``."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.infrastructure.cli.citation.cite import StyleOption
from citeloom.infrastructure.cli.shared.options import JsonOption, WorkspaceOption
from citeloom.infrastructure.cli.shared.run import application, end_at_once, note

if TYPE_CHECKING:
    from citeloom.domain.projects.project_id import ProjectId
    from citeloom.domain.search.request import QueryResult
    from citeloom.infrastructure.composition.application import Application


class ModeOption(StrEnum):
    HYBRID = "hybrid"
    DENSE = "dense"
    SPARSE = "sparse"


class FormatOption(StrEnum):
    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    MARKDOWN = "markdown"
    LATEX = "latex"
    TYPST = "typst"
    TEXT = "text"
    BIBTEX = "bibtex"
    CSL_JSON = "csl-json"


class KindOption(StrEnum):
    TEXT = "text"
    TABLE = "table"
    CAPTION = "caption"
    REFERENCE = "reference"
    ANNOTATION = "annotation"


def query(
    text: Annotated[
        str,
        typer.Argument(
            help='The question. "A phrase" in quotation marks must stand in the passages word '
            'for word, -term and -"a phrase" must not.'
        ),
    ],
    project: Annotated[
        list[str] | None,
        typer.Option(
            "--project", "-p", help="Project: NAME or NAMESPACE/NAME; repeatable, to ask several."
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all-projects", help="Ask all projects.")] = False,
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
            "collection=, section=, type=, kind=, doc=, page=, lang=, marked=yes or a colour. "
            'Commas part alternatives: author=Smith,"Jones, A", year=2019,2021..',
        ),
    ] = None,
    kinds: Annotated[
        list[KindOption] | None,
        typer.Option(
            "--kind", help="Only passages of this kind, repeatable. annotation: readers' marks."
        ),
    ] = None,
    favour_marked: Annotated[
        bool, typer.Option("--favour-marked", help="Move up passages that a reader marked.")
    ] = False,
    per_document: Annotated[
        int | None, typer.Option(help="At most so many passages of one document.")
    ] = None,
    diverse: Annotated[
        bool, typer.Option("--diverse", help="Prefer passages that differ from those above.")
    ] = False,
    context: Annotated[
        int, typer.Option(help="Show so many neighbouring passages on either side, 0 to 5.")
    ] = 0,
    rerank: Annotated[
        bool | None,
        typer.Option(
            "--rerank/--no-rerank",
            help="Read question and passage together, for the best hits. "
            "[default: query.rerank of the configuration]",
        ),
    ] = None,
    output: Annotated[FormatOption, typer.Option("--format", help="How to print.")] = (
        FormatOption.TABLE
    ),
    style: StyleOption = None,
    bibliography: Annotated[
        bool,
        typer.Option(
            "--bibliography",
            help="After the passages the works cited, in --style; with table, markdown and text.",
        ),
    ] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Ask a project; get passages with citation, printed page and section."""
    chosen = FormatOption.JSON if as_json else output
    with application(
        workspace, as_json=chosen is FormatOption.JSON, owner="citeloom query"
    ) as opened:
        from citeloom.domain.search.filters import Clause, Field, Filter, parse_clause
        from citeloom.domain.search.fusion import Mode
        from citeloom.domain.search.request import QueryRequest
        from citeloom.infrastructure.system.validated_request import build

        clauses = [parse_clause(f) for f in filters or ()]
        if kinds:
            clauses.append(Clause(field=Field.KIND, values=tuple(kind.value for kind in kinds)))
        _check_style(chosen, style, bibliography=bibliography)
        first, *others = _projects(opened, project or [], every=every)
        asked = opened.stores.catalogue.project(first)
        if mode is not ModeOption.SPARSE:
            opened.models.load_ahead(asked.embedding_model.name)
        request = build(
            QueryRequest,
            project_id=first,
            also=tuple(others),
            query_text=text,
            top_k=top_k if top_k is not None else opened.settings.query.top_k,
            mode=Mode(mode.value) if mode else _usual_mode(opened, [first, *others]),
            filter=Filter(clauses=tuple(clauses)),
            per_document=per_document,
            diverse=diverse,
            context=context,
            rerank=rerank,
            favour_marked=favour_marked,
        )
        ask = opened.search.query
        opened.search.open_ahead(asked)
        result = ask(request)
        _print(opened, result, chosen, style)
        if bibliography and result.items:
            from citeloom.infrastructure.cli.search import result_view

            result_view.print_bibliography(opened.citation.cite, result, chosen.value, style)
    end_at_once()


def _projects(opened: "Application", names: list[str], *, every: bool) -> "list[ProjectId]":
    """Those named, or all there are."""
    from citeloom.domain.errors import InvalidRequest
    from citeloom.domain.projects.project_id import ProjectId

    if every and names:
        raise InvalidRequest("name projects or ask for all of them, not both", parameter="project")
    if every:
        found = [project.id for project in opened.stores.catalogue.projects()]
        if not found:
            raise InvalidRequest(
                "there are no projects yet; add documents with `citeloom ingest PATH --project P`",
                parameter="project",
            )
        return found
    if not names:
        raise InvalidRequest(
            "which project? name it with --project, or ask all with --all-projects",
            parameter="project",
        )
    return list(dict.fromkeys(map(ProjectId.parse, names)))


def _check_style(output: FormatOption, style: str | None, *, bibliography: bool) -> None:
    """Raise InvalidRequest where a style or bibliography has no place in the output."""
    from citeloom.domain.errors import InvalidRequest

    listed = (FormatOption.TABLE, FormatOption.MARKDOWN, FormatOption.TEXT)
    if bibliography and output not in listed:
        raise InvalidRequest(
            f"--bibliography does not go with {output.value}; "
            "write the works with `citeloom export --query`",
            parameter="bibliography",
        )
    if style and not bibliography and output is not FormatOption.TEXT:
        raise InvalidRequest("--style is for --format text and --bibliography", parameter="style")


def _usual_mode(opened: "Application", projects: "list[ProjectId]") -> Any:
    """Hybrid, unless a project was made without."""
    from citeloom.domain.search.fusion import Mode

    stored = [opened.stores.catalogue.project(project) for project in projects]
    return Mode.HYBRID if all(p.hybrid_enabled for p in stored) else Mode.DENSE


def _print(
    opened: "Application", result: "QueryResult", output: FormatOption, style: str | None
) -> None:
    from citeloom.infrastructure.cli.search import result_view
    from citeloom.infrastructure.cli.shared.output import print_json, print_json_lines, print_text

    for warning in result.warnings:
        note(f"warning: {warning}")
    if output is FormatOption.JSON:
        print_json(result)
    elif output is FormatOption.JSONL:
        print_json_lines(result.items)
    elif output in (FormatOption.CSL_JSON, FormatOption.BIBTEX):
        from citeloom.application.ports.citation import ReferenceFormat

        found = opened.citation.export.found(result)
        text = opened.citation.export.write(found, ReferenceFormat(output.value))
        print_text(text.removesuffix("\n"))
    elif not result.items:
        typer.echo(f"No results found for query: {result.query}")
    elif output is FormatOption.MARKDOWN:
        print_text(result_view.as_markdown(result))
    elif output in (FormatOption.LATEX, FormatOption.TYPST, FormatOption.TEXT):
        print_text(result_view.as_quotes(opened.citation.cite, result, output.value, style))
    else:
        result_view.print_hits(result)
