"""The command ``export``."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.citation.cite import StyleOption
from citeloom.infrastructure.cli.shared.options import ProjectOption, WorkspaceOption
from citeloom.infrastructure.cli.shared.run import application, note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citeloom.application.ports.catalogue import StoredDocument
    from citeloom.domain.projects.project_id import ProjectId
    from citeloom.domain.search.request import QueryResult
    from citeloom.infrastructure.composition.application import Application


class ExportFormat(StrEnum):
    BIBTEX = "bibtex"
    BIBLATEX = "biblatex"
    CSL_JSON = "csl-json"
    RIS = "ris"
    JSONL = "jsonl"
    MARKDOWN = "markdown"


def export(
    documents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DOCUMENT]…", help="Citation keys, document ids, DOIs or paths. [default: all]"
        ),
    ] = None,
    *,
    project: ProjectOption = None,
    output: Annotated[
        ExportFormat,
        typer.Option(
            "--format",
            help="bibtex, biblatex, csl-json, ris: a file for reference managers. markdown: a "
            "bibliography in --style. jsonl: one document (with --query one passage) a line.",
        ),
    ] = ExportFormat.BIBTEX,
    query: Annotated[
        str | None,
        typer.Option("--query", help="Only works with passages that answer this question."),
    ] = None,
    top_k: Annotated[
        int | None, typer.Option("-k", "--top-k", help="With --query: number of passages, 1 to 50.")
    ] = None,
    style: StyleOption = None,
    file: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write (atomically).")
    ] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Export the works of a project for reference managers and other programs."""
    with application(workspace, owner="citeloom export") as opened:
        from citeloom.domain.errors import InvalidRequest
        from citeloom.infrastructure.cli.shared.output import print_text

        if query is not None and documents:
            raise InvalidRequest("name documents or ask a question, not both", parameter="query")
        project_id = opened.projects.choice(project)
        result = _ask(opened, project_id, query, top_k) if query is not None else None
        chosen = (
            opened.citation.export.found(result)
            if result is not None
            else opened.citation.export.documents(project_id, documents or ())
        )
        text = _written(opened, chosen, result, output, style)
        if output is not ExportFormat.JSONL and (uncited := _uncited(chosen)):
            note(f"left out: {uncited} of {len(chosen)} documents, which have no citation")
        if file is None:
            print_text(text.removesuffix("\n"))
        else:
            opened.save(file, text)
            note(str(file))


def _uncited(documents: "Sequence[StoredDocument]") -> int:
    return sum(document.citation is None for document in documents)


def _ask(
    opened: "Application", project_id: "ProjectId", text: str, top_k: int | None
) -> "QueryResult":
    from citeloom.domain.search.request import QueryRequest
    from citeloom.infrastructure.system.validated_request import build

    return opened.search.query(
        build(
            QueryRequest,
            project_id=project_id,
            query_text=text,
            top_k=top_k if top_k is not None else opened.settings.query.top_k,
        )
    )


def _written(
    opened: "Application",
    documents: "Sequence[StoredDocument]",
    result: "QueryResult | None",
    output: ExportFormat,
    style: str | None,
) -> str:
    from citeloom.application.citation.export import exported
    from citeloom.application.ports.citation import CitationMarkup, ReferenceFormat
    from citeloom.infrastructure.cli.search import result_view

    if output is ExportFormat.JSONL:
        lines = result.items if result is not None else map(exported, documents)
        return "".join(line.model_dump_json() + "\n" for line in lines)
    if output is ExportFormat.MARKDOWN:
        entries = opened.citation.cite.works_bibliography(documents, style, CitationMarkup.MARKDOWN)
        text = "\n\n".join(entry.text for entry in entries) + "\n"
        if result is None:
            return text
        return f"{result_view.as_markdown(result)}\n\n{result_view.HEADING}\n\n{text}"
    return opened.citation.export.write(documents, ReferenceFormat(output.value))
