"""The command ``query``."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.search.options import (
    FormatOption,
    ModeOption,
    OutputOptions,
    SearchOptions,
)
from citeloom.infrastructure.cli.shared.option_groups import with_option_groups
from citeloom.infrastructure.cli.shared.options import JsonOption, WorkspaceOption
from citeloom.infrastructure.cli.shared.run import application, end_at_once, note, warn
from citeloom.infrastructure.cli.shared.terminal import print_line
from citeloom.infrastructure.cli.shell.question_words import joined

if TYPE_CHECKING:
    from citeloom.domain.search.request import QueryResult
    from citeloom.infrastructure.composition.application import Application


@with_option_groups
def query(
    text: Annotated[
        list[str],
        typer.Argument(
            metavar="QUESTION…",
            help='The question; its words are joined. A "phrase" in quotation marks must occur '
            'verbatim in each passage, -term and -"a phrase" must not; single quotation marks '
            "around it all keep them from the shell.",
        ),
    ],
    search: SearchOptions,
    shown: OutputOptions,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Search a project: passages with citation, printed page and section."""
    if as_json:
        shown = replace(shown, output=FormatOption.JSON)
    in_json = shown.output is FormatOption.JSON
    with application(workspace, as_json=in_json, owner="citeloom query") as opened:
        shown.check()
        projects = search.projects(opened)
        if search.mode is not ModeOption.SPARSE:
            opened.search.load_ahead(projects[0])
        request = search.request(joined(text), projects, opened.settings.query.top_k)
        result = opened.search.ask(request)
        _print(opened, result, shown)
        _remember(opened, result)
    end_at_once()


def _remember(opened: "Application", result: "QueryResult") -> None:
    """Keep the hits for ``open``. A workspace that cannot be written can still be asked."""
    from citeloom.domain.errors import StorageFailed

    try:
        opened.search.remember(result)
    except StorageFailed as error:
        note(f"the hits have no numbers for `citeloom open`: {error.message}")


def _print(opened: "Application", result: "QueryResult", options: OutputOptions) -> None:
    from citeloom.infrastructure.cli.search import result_view
    from citeloom.infrastructure.cli.shared.output import print_json, print_json_lines, print_text

    output, style = options.output, options.style
    warn(result.warnings)
    if output is FormatOption.JSON:
        print_json(result)
    elif output is FormatOption.JSONL:
        print_json_lines(result.items)
    elif output in (FormatOption.CSL_JSON, FormatOption.BIBTEX):
        from citeloom.application.ports.citation import ReferenceFormat

        exported = opened.citation.export.found(result)
        text = opened.citation.export.write(exported, ReferenceFormat(output.value))
        print_text(text.removesuffix("\n"))
    elif not result.items:
        print_line(f"No results found for query: {result.query}")
    elif output is FormatOption.MARKDOWN:
        print_text(result_view.as_markdown(result))
    elif output in (FormatOption.LATEX, FormatOption.TYPST, FormatOption.TEXT):
        print_text(result_view.as_quotes(opened.citation.cite, result, output.value, style))
    else:
        from citeloom.infrastructure.cli.search import hits_view

        if options.brief:
            hits_view.print_brief(result)
        else:
            hits_view.print_papers(opened.search.readable(result))
    if options.bibliography and result.items:
        result_view.print_bibliography(opened.citation.cite, result, output.value, style)
