"""What the view *Table* shows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from citeloom.application.review.table import TableRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.review.report.table import Cell, CellState, PaperRow, counts
from citeloom.infrastructure.http.problems import in_words

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application


class ShownCell(NamedTuple):
    """``before``, ``answer`` and ``after`` are the sentence; without a span ``answer`` is not part
    of it, and ``after`` is all of it. ``url`` opens its page."""

    question: str
    cell: Cell
    before: str
    after: str
    url: str | None


class TableRow(NamedTuple):
    name: str
    title: str
    url: str
    cells: Sequence[ShownCell]


class TableView(NamedTuple):
    """``unread`` cells were not read yet; ``counts`` are the others by state."""

    questions: Sequence[str]
    rows: Sequence[TableRow]
    unread: int
    counts: Sequence[tuple[str, int]]
    warnings: Sequence[str]


def kept_table(application: "Application", project: str) -> TableView:
    """The kept table of a project; nothing is read for it. Raises ProjectNotFound, NoDocuments."""
    project_id = ProjectId.parse(project)
    writer = application.settings.review.writer
    wanted = TableRequest(project_id=project_id, writer=writer, kept=True)
    found = application.research.table(wanted)
    states = counts(found)
    unread = states.pop(CellState.UNREAD.value, 0)
    return TableView(
        questions=found.questions,
        rows=[_row(project_id.value, row, found.questions) for row in found.rows],
        unread=unread,
        counts=list(states.items()),
        warnings=[in_words(one) for one in found.warnings],
    )


def _row(project: str, row: PaperRow, questions: Sequence[str]) -> TableRow:
    url = "/paper?" + urlencode({"project": project, "document": row.document_id})
    pairs = zip(questions, row.cells, strict=True)
    return TableRow(
        name=f"@{row.citekey}" if row.citekey else "",
        title=row.title,
        url=url,
        cells=[_cell(question, cell, url) for question, cell in pairs],
    )


def _cell(question: str, cell: Cell, url: str) -> ShownCell:
    if cell.quote is None:
        return ShownCell(question, cell, "", "", None)
    text = cell.quote.text
    start, end = cell.span or (0, 0)
    page = f"{url}&page={cell.quote.page}" if cell.quote.page else url
    return ShownCell(question, cell, text[:start], text[end:], page)
