"""A table of papers and questions: one row for each paper, one column for each question."""

from collections.abc import Sequence
from enum import StrEnum

from pydantic import Field, field_validator

from citeloom.domain.messages import MessageText
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.filters import Filter
from citeloom.domain.value import Value
from citeloom.domain.verification.drafts.draft import EvidenceQuote

#: Columns of a table, and characters of a question.
MOST_QUESTIONS = 50
LONGEST_QUESTION = 300


class TableRequest(Value):
    """``questions`` are added to the columns of the project's table, ``drop`` (as written, or the
    number of a column from 1) are taken out of it; ``filter`` narrows its rows. ``fresh`` reads
    every cell again, ``kept`` none: those that are not there are UNREAD."""

    project_id: ProjectId
    questions: tuple[str, ...] = Field(default=(), max_length=MOST_QUESTIONS)
    drop: tuple[str, ...] = ()
    filter: Filter = Filter()
    writer: str = "extractive"
    fresh: bool = False
    kept: bool = False

    @field_validator("questions")
    @classmethod
    def _asked(cls, questions: tuple[str, ...]) -> tuple[str, ...]:
        asked = tuple(dict.fromkeys(" ".join(one.split()) for one in questions))
        for one in asked:
            if not any(map(str.isalnum, one)):
                raise ValueError("a question is empty; ask for something")
            if len(one) > LONGEST_QUESTION:
                raise ValueError(f"a question has at most {LONGEST_QUESTION} characters")
        return asked


class CellState(StrEnum):
    """How far an answer can be relied on. CHECK: read its sentence before you use it. NO_TEXT: the
    paper has no text here. UNREAD: the paper was not asked yet."""

    SURE = "sure"
    CHECK = "check"
    NOT_STATED = "not stated"
    NO_TEXT = "no text"
    UNREAD = "not read yet"


class PaperCell(Value):
    """A paper's answer to a question. ``answer`` is at ``span`` of ``quote``, its whole sentence;
    that of a language model (``writer``) has no span."""

    state: CellState
    answer: str | None = None
    span: tuple[int, int] | None = None
    quote: EvidenceQuote | None = None
    writer: str | None = None

    @property
    def where(self) -> str:
        """The printed page, else the page of the file; empty without either."""
        if self.quote is None or self.quote.page is None:
            return ""
        label = self.quote.page_label
        return f"p. {label}" if label else f"PDF p. {self.quote.page}"

    @property
    def is_uncertain(self) -> bool:
        """Whether the page may read otherwise than it is printed: it is not to be quoted."""
        return self.quote is not None and bool(self.quote.text_uncertain)


class PaperRow(Value):
    """A paper with a cell for each question."""

    document_id: str
    citekey: str | None = None
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    cells: tuple[PaperCell, ...] = ()


class PaperTable(Value):
    """``computed`` cells were read for this call; the others were kept."""

    project: str
    questions: tuple[str, ...]
    rows: tuple[PaperRow, ...]
    computed: int = Field(default=0, ge=0)
    warnings: tuple[MessageText, ...] = ()


def counts(table: PaperTable) -> dict[str, int]:
    """The number of cells in each state that occurs, for a sentence: 2 *to check*."""
    states = [cell.state for row in table.rows for cell in row.cells]
    named = {state: state.value for state in CellState} | {CellState.CHECK: "to check"}
    return {name: n for state, name in named.items() if (n := states.count(state))}


def cell_notes(cell: PaperCell) -> Sequence[str]:
    """Notes on a cell for the reader."""
    notes = []
    if cell.state is CellState.CHECK:
        notes.append("check")
    if cell.is_uncertain:
        notes.append("the text of the page is uncertain")
    if cell.writer:
        notes.append(f"by {cell.writer}")
    return notes
