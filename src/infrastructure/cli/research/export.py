"""The commands ``session export`` and ``session compare``."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.citation.cite import StyleOption
from citeloom.infrastructure.cli.research.options import SessionArgument
from citeloom.infrastructure.cli.shared.options import JsonOption, WorkspaceOption
from citeloom.infrastructure.cli.shared.run import application, note

if TYPE_CHECKING:
    from uuid import UUID

    from citeloom.infrastructure.composition.application import Application


class ExportAs(StrEnum):
    MARKDOWN = "markdown"
    DOCX = "docx"
    JSON = "json"
    CSV = "csv"
    PRISMA = "prisma"


_SUFFIXES = {
    ".md": ExportAs.MARKDOWN,
    ".docx": ExportAs.DOCX,
    ".json": ExportAs.JSON,
    ".csv": ExportAs.CSV,
}


def export(
    session: SessionArgument,
    output: Annotated[
        ExportAs | None,
        typer.Option(
            "--format",
            help="markdown, docx: the report. json: the complete record. csv: claims with their "
            "evidence. prisma: the search record after PRISMA. "
            "[default: by the suffix of --output, else markdown]",
        ),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write (atomically).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    style: StyleOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Export the report, the evidence or the search record of a review.

    --json means --format json; with --format prisma it prints the search record as JSON."""
    with application(workspace, as_json=as_json, owner="citeloom session export") as opened:
        chosen = _format(output, file, as_json=as_json)
        content, warnings = _content(
            opened, opened.research.sessions.find(session), chosen, style, as_json
        )
        if file is not None:
            opened.save(file, content, replace=force)
            for warning in warnings:
                note(f"note: {warning}")
            note(str(file))
        elif chosen is ExportAs.DOCX:
            from citeloom.domain.errors import InvalidRequest

            raise InvalidRequest("a Word document needs a file: -o FILE.docx", parameter="output")
        else:
            from citeloom.infrastructure.cli.shared.output import print_text

            print_text(content.decode("utf-8").removesuffix("\n"))


def compare(
    a: Annotated[str, typer.Argument(help="Session A: its id, or a unique beginning of it.")],
    b: Annotated[str, typer.Argument(help="Session B, or: last.")],
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Compare two reviews: shared and different sources, evidence and claims, and changed
    verdicts."""
    with application(workspace, as_json=as_json, owner="citeloom session compare") as opened:
        comparison = opened.research.compare(
            opened.research.sessions.find(a), opened.research.sessions.find(b)
        )
        if as_json:
            from citeloom.infrastructure.cli.shared.output import print_json

            print_json(comparison)
        else:
            from citeloom.infrastructure.cli.research.comparison_view import print_comparison

            print_comparison(comparison)


def _format(output: ExportAs | None, file: Path | None, *, as_json: bool) -> ExportAs:
    if as_json and output not in (None, ExportAs.JSON, ExportAs.PRISMA):
        from citeloom.domain.errors import InvalidRequest

        raise InvalidRequest(
            f"--json and --format {output}: choose one of them", parameter="format"
        )
    if output is not None:
        return output
    if as_json:
        return ExportAs.JSON
    return _SUFFIXES.get(file.suffix.lower() if file else "", ExportAs.MARKDOWN)


def _content(
    opened: "Application", id: "UUID", chosen: ExportAs, style: str | None, as_json: bool
) -> tuple[bytes, tuple[str, ...]]:
    """The content of the file, and its warnings."""
    import orjson

    from citeloom.application.ports.research import ReviewFormat

    if chosen is ExportAs.JSON or as_json:
        record = (
            opened.research.export.document(id)
            if chosen is ExportAs.JSON
            else opened.research.export.searches(id)
        )
        body = orjson.dumps(record.model_dump(mode="json"), option=orjson.OPT_INDENT_2)
        return body + b"\n", record.warnings
    handed = opened.research.export.file(id, ReviewFormat(chosen.value), style)
    return handed.content, handed.warnings
