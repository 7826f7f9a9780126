"""The command ``table``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.choices import TableFormat
from citeloom.domain.text.phrasing import counted, on_one_line, shortened
from citeloom.infrastructure.cli.maps import WorkFilterOption
from citeloom.infrastructure.cli.review import WriterOption
from citeloom.infrastructure.cli.shared.options import JsonOption, ProjectOption, format_of
from citeloom.infrastructure.cli.shared.output import print_json, print_table, print_text
from citeloom.infrastructure.cli.shared.run import note, warn
from citeloom.infrastructure.cli.shared.terminal import is_terminal, print_progress

if TYPE_CHECKING:
    from citeloom.domain.review.report.table import PaperCell, PaperTable
    from citeloom.infrastructure.composition.application import Application

_FORMATS = (TableFormat.MARKDOWN, TableFormat.CSV, TableFormat.XLSX, TableFormat.JSON)
_ANSWER = 60


def table(
    opened: "Application",
    questions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[QUESTION]…",
            help="Questions, each in quotation marks and kept as a column of the project.",
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
            "compared with its sentence. [default: review.writer of the configuration]"
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Read every cell again.")] = False,
    output: Annotated[
        TableFormat | None,
        typer.Option(
            "--format",
            help="Output format. [default: by the suffix of -o, else markdown; without -o a table "
            "for people]",
        ),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the table to this file.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Ask every paper the same questions: one row for each paper, one column for each question,
    with pages. Without a question, print the kept table. Only new papers and new questions are
    read."""
    from citeloom.domain.review.report.table import TableRequest
    from citeloom.domain.search.filters import Filter, parse_clause
    from citeloom.infrastructure.system.validated_request import build

    chosen = format_of(TableFormat.JSON if as_json else output, file, *_FORMATS)
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
    _print(opened, found, chosen, file)


def _print_progress(done: int, total: int) -> None:
    print_progress(f"{done} of {total} cells read", last=done == total)


def _print(
    opened: "Application", found: "PaperTable", chosen: TableFormat | None, file: Path | None
) -> None:
    if chosen is None:
        print_paper_table(found)
    elif file is not None:
        opened.save(file, opened.research.table_file(found, chosen))
        note(f"{file}: {summary(found)}")
    elif chosen is TableFormat.JSON:
        print_json(found)
    else:
        print_text(opened.research.table_file(found, chosen).decode("utf-8-sig").rstrip("\r\n"))


def print_paper_table(found: "PaperTable") -> None:
    """In columns if they fit, else a block of lines for each paper."""
    if not found.questions:
        print_text(
            'No columns yet: add one, for example `citeloom table "How many participants?"`.'
        )
        return
    rows = [
        [f"@{row.citekey}" if row.citekey else row.title, *map(_cell, row.cells)]
        for row in found.rows
    ]
    print_table(None, ("Paper", *found.questions), rows)
    print_text(f"\n{summary(found)}")


def _cell(cell: "PaperCell") -> str:
    from citeloom.domain.review.report.table import cell_notes

    if cell.answer is None:
        return cell.state.value
    told = ", ".join(filter(None, [cell.where, *cell_notes(cell)]))
    answer = shortened(on_one_line(cell.answer), _ANSWER)
    return f"{answer} ({told})" if told else answer


def summary(found: "PaperTable") -> str:
    from citeloom.domain.review.report.table import counts

    papers, columns = counted(len(found.rows), "paper"), counted(len(found.questions), "column")
    states = ", ".join(f"{count} {state}" for state, count in counts(found).items())
    return f"{papers}, {columns}: {states}" if states else f"{papers}, {columns}"
