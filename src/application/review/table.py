"""The verb *table*: what each paper of a project says to each of several questions."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.research import KeptCell, TableStore
from citeloom.application.projects.inspection import ListedPaper, ListPapers
from citeloom.domain.citation.own import ReadingStatus
from citeloom.domain.errors import InvalidRequest, NoDocuments
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.progress import checkpoint
from citeloom.domain.projects.project import Project
from citeloom.domain.review.report.table import (
    MOST_QUESTIONS,
    CellState,
    PaperCell,
    PaperRow,
    PaperTable,
    TableRequest,
)
from citeloom.domain.search.filters import Field as FilterField
from citeloom.domain.text.characters import whole_number
from citeloom.domain.text.phrasing import counted

from .cells import CellReader

# Cells are kept as often.
_BATCH = 20

CheckProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class FillTable:
    """Keeps the columns of a project's table, and reads the cells that are not kept yet.
    ``reader_for`` gives the reader of a project, by writer."""

    catalogue: Catalogue
    papers: ListPapers
    tables: TableStore
    reader_for: Callable[[Project, str], CellReader]

    def __call__(self, request: TableRequest, report: CheckProgress | None = None) -> PaperTable:
        """``report`` is called with the cells read and their total. Cells that were read are kept
        if the rest fails. Raises ProjectNotFound, NoDocuments, InvalidRequest for a column that is
        not there, one too many or a filter, and what the search and the reader raise."""
        project = self.catalogue.project(request.project_id)
        papers = self.papers([project.id], request.filter)
        left_out = 0
        if not request.filter.names(FilterField.STATUS):
            kept = [one for one in papers if one.status is not ReadingStatus.EXCLUDED]
            left_out, papers = len(papers) - len(kept), kept
        questions = self._questions(project, request)
        if not papers and not request.filter and not left_out:
            raise NoDocuments(
                f"{project.id} is empty", NextStep(Action.ADD_DOCUMENTS, project=project.id.value)
            )
        cells, computed = self._cells(project, request, papers, questions, report)
        rows = tuple(
            PaperRow(
                document_id=one.document_id,
                citekey=one.citekey,
                title=one.title or one.source_path or one.document_id,
                authors=one.authors,
                year=one.year,
                cells=tuple(cells[one.document_id, question] for question in questions),
            )
            for one in papers
        )
        warnings = []
        if left_out:
            warnings.append(f"{counted(left_out, 'paper')} with the status excluded left out")
        return PaperTable(
            project=project.id.value,
            questions=questions,
            rows=rows,
            computed=computed,
            warnings=tuple(warnings),
        )

    def _questions(self, project: Project, request: TableRequest) -> tuple[str, ...]:
        """The columns after the changes of a request, which are kept."""
        known = tuple(self.tables.questions(project.id))
        dropped = [_column(one, known) for one in request.drop]
        new = [one for one in request.questions if one not in known]
        if len(known) - len(dropped) + len(new) > MOST_QUESTIONS:
            raise InvalidRequest(
                f"a table has at most {MOST_QUESTIONS} columns; drop some first",
                parameter="questions",
            )
        if dropped:
            self.tables.drop_questions(project.id, dropped)
        if new:
            self.tables.add_questions(project.id, new)
        return tuple(self.tables.questions(project.id)) if dropped or new else known

    def _cells(
        self,
        project: Project,
        request: TableRequest,
        papers: Sequence[ListedPaper],
        questions: Sequence[str],
        report: CheckProgress | None,
    ) -> tuple[dict[tuple[str, str], PaperCell], int]:
        reader = self.reader_for(project, request.writer)
        stored = {one.document_id: one for one in self.catalogue.documents(project.id)}
        versions = {id: _version(one, reader.fingerprint) for id, one in stored.items()}
        cells = {
            (one.document_id, one.question): one.cell
            for one in self.tables.cells(project.id)
            if versions.get(one.document_id) == one.version and not request.fresh
        }
        # Document by document: few conversions are in memory.
        missing = [
            (paper, question)
            for paper in papers
            for question in questions
            if (paper.document_id, question) not in cells
        ]
        if request.kept:
            unread = PaperCell(state=CellState.UNREAD)
            return cells | dict.fromkeys(((p.document_id, q) for p, q in missing), unread), 0
        read: list[KeptCell] = []
        try:
            for number, (paper, question) in enumerate(missing, start=1):
                checkpoint()
                cell = PaperCell(state=CellState.NO_TEXT)
                if paper.passages:
                    cell = reader.read(question, paper.document_id)
                cells[paper.document_id, question] = cell
                version = versions[paper.document_id]
                read.append(
                    KeptCell(
                        document_id=paper.document_id, question=question, version=version, cell=cell
                    )
                )
                if len(read) == _BATCH:
                    self.tables.put_cells(project.id, read)
                    read = []
                if report is not None:
                    report(number, len(missing))
        finally:
            self.tables.put_cells(project.id, read)
        return cells, len(missing)


def _column(named: str, known: Sequence[str]) -> str:
    """The column named by its number or by its question."""
    if (number := whole_number(named)) and number <= len(known):
        return known[number - 1]
    folded = _folded(named)
    for one in known:
        if _folded(one) == folded:
            return one
    columns = "; ".join(f"{number}. {one}" for number, one in enumerate(known, start=1))
    raise InvalidRequest(
        f"{named}: no such column; there are {columns}" if known else f"{named}: no such column",
        parameter="drop",
    )


def _folded(question: str) -> str:
    return " ".join(question.casefold().split()).rstrip(" ?")


def _version(document: StoredDocument, reader: str) -> str:
    """Another text once the document reads otherwise, or the reader does."""
    stages = (document.conversion, document.chunking, document.embedding, reader)
    return hashlib.sha256("\0".join(stages).encode()).hexdigest()
