"""The command ``table``."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .maps import WorkFilterOption
from .review import WriterOption
from .shared.options import JsonOption, ProjectOption
from .shared.run import note, warn
from .shared.terminal import is_terminal, print_progress

if TYPE_CHECKING:
    from citeloom.domain.review.report.table import Cell, PaperTable
    from citeloom.infrastructure.composition.application import Application


class ShowAs(StrEnum):
    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    XLSX = "xlsx"
    MARKDOWN = "markdown"


_SUFFIXES = {".csv": ShowAs.CSV, ".xlsx": ShowAs.XLSX, ".json": ShowAs.JSON}
_ANSWER = 60


def table(
    opened: "Application",
    questions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[QUESTION]…",
            help="Questions, each in quotation marks: one column each. They are kept with the "
            "project.",
            show_default=False,
        ),
    ] = None,
    project: ProjectOption = None,
    filters: WorkFilterOption = None,
    drop: Annotated[
        list[str] | None,
        typer.Option("--drop", help="Take out this column: its question or number; repeatable."),
    ] = None,
    writer: Annotated[
        WriterOption | None,
        typer.Option(
            help="extractive: the shortest span that answers; nothing is sent anywhere. model: the "
            "language model of [llm] answers from sentences of the paper, and each answer is "
            "held against its sentence. [default: review.writer of the configuration]"
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Read every cell again.")] = False,
    output: Annotated[
        ShowAs | None,
        typer.Option("--format", help="Output format. [default: by the suffix of -o, else table]"),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the table to this file.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Ask every paper the same questions: a row a paper, a column a question, each answer with
    its page.

    Without a question the kept table is printed. Only what is new is read: new papers, new
    questions."""
    from citeloom.application.review.table import TableRequest
    from citeloom.domain.search.filters import Filter, parse_clause
    from citeloom.infrastructure.system.validated_request import build

    request = build(
        TableRequest,
        project_id=opened.projects.choice(project),
        questions=tuple(questions or ()),
        drop=tuple(drop or ()),
        filter=Filter(clauses=tuple(map(parse_clause, filters or ()))),
        writer=writer.value if writer else opened.settings.review.writer,
        fresh=fresh,
    )
    if notice := opened.research.table_notice(request.writer):
        note(f"citeloom: {notice}")
    found = opened.research.table(request, _print_progress if is_terminal() else None)
    warn(found.warnings)
    chosen = output or (_SUFFIXES.get(file.suffix.lower(), ShowAs.MARKDOWN) if file else None)
    _print(opened, found, ShowAs.JSON if as_json else chosen or ShowAs.TABLE, file)


def _print_progress(done: int, total: int) -> None:
    print_progress(f"{done} of {total} cells read", last=done == total)


def _print(opened: "Application", found: "PaperTable", chosen: ShowAs, file: Path | None) -> None:
    from citeloom.domain.errors import InvalidRequest
    from citeloom.infrastructure.research.paper_tables import TableFormat, table_file

    from .shared.output import json_bytes, print_json, print_text

    if chosen is ShowAs.TABLE and file is None:
        print_paper_table(found)
    elif chosen is ShowAs.JSON and file is None:
        print_json(found)
    elif file is not None:
        if chosen is ShowAs.JSON:
            content = json_bytes(found)
        else:
            named = ShowAs.MARKDOWN if chosen is ShowAs.TABLE else chosen
            content = table_file(found, TableFormat(named.value))
        opened.save(file, content)
        note(f"{file}: {summary(found)}")
    elif chosen is ShowAs.XLSX:
        raise InvalidRequest("a workbook needs a file: -o FILE.xlsx", parameter="output")
    else:
        content = table_file(found, TableFormat(chosen.value))
        print_text(content.decode("utf-8-sig").rstrip("\r\n"))


def print_paper_table(found: "PaperTable") -> None:
    """In columns where they fit, else a block of lines a paper."""
    from .shared.output import print_table, print_text

    if not found.questions:
        print_text('No columns yet: ask for some, say `citeloom table "How many participants?"`.')
        return
    rows = [
        [f"@{row.citekey}" if row.citekey else row.title, *map(_cell, row.cells)]
        for row in found.rows
    ]
    print_table(None, ("Paper", *found.questions), rows)
    if found.rows:
        print_text(f"\n{summary(found)}")


def _cell(cell: "Cell") -> str:
    from citeloom.domain.review.report.table import cell_notes
    from citeloom.domain.text.phrasing import on_one_line, shortened

    if cell.answer is None:
        return cell.state.value
    notes = [cell.where, *cell_notes(cell)]
    told = ", ".join(filter(None, notes))
    return f"{shortened(on_one_line(cell.answer), _ANSWER)} ({told})" if told else cell.answer


def summary(found: "PaperTable") -> str:
    from citeloom.domain.review.report.table import counts
    from citeloom.domain.text.phrasing import counted

    states = ", ".join(f"{count} {state}" for state, count in counts(found).items())
    papers, columns = counted(len(found.rows), "paper"), counted(len(found.questions), "column")
    return f"{papers}, {columns}: {states}" if states else f"{papers}, {columns}"
