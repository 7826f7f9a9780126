"""*table* over a library in memory: only what is new is read, and columns are kept."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.world import HERE, World

from citeloom.application.ports.models import AnswerLimits, Completion, PromptMessage
from citeloom.application.review.cells import ModelCells, QuotingCells
from citeloom.application.review.table import TableRequest
from citeloom.domain.errors import InvalidRequest, ProjectNotFound
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.review.report.table import CellState, PaperCell, PaperTable
from citeloom.domain.search.filters import Filter, parse_clause

MANY, LONG = "How many participants?", "How long was the workshop?"
A = "# Mapping ponds\n\n## Course\n\nIn all 27 students took part in the two-day workshop.\n"
B = "# Drawing kites\n\n## Course\n\nKites were drawn in the wind and all came back.\n"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.write("a.md", A)
    world.write("b.md", B)
    world.ingest()
    return world


def table(world: World, *questions: str, **more: Any) -> PaperTable:
    request = TableRequest(project_id=HERE, questions=questions, **more)
    return world.application.research.table(request)


def cells(found: PaperTable) -> list[list[tuple[str | None, str]]]:
    rows = sorted(found.rows, key=lambda row: row.title)
    return [[(cell.answer, cell.state.value) for cell in row.cells] for row in rows]


def test_each_paper_answers_each_question_or_states_nothing(world: World) -> None:
    found = table(world, MANY, LONG)
    nothing = (None, "not stated")
    assert [[answer for answer, _ in row] for row in cells(found)] == [
        [None, None],
        ["27 students", "two-day"],
    ]
    assert cells(found)[0] == [nothing, nothing]
    quote = next(cell.quote for row in found.rows for cell in row.cells if cell.quote)
    text = world.conversion(quote.document_id).plain_text
    assert text[quote.start : quote.end] == quote.text


def test_a_span_is_where_it_says(world: World) -> None:
    for row in table(world, MANY, LONG).rows:
        for cell in row.cells:
            if cell.quote and cell.span:
                assert cell.quote.text[slice(*cell.span)] == cell.answer


def test_only_new_papers_and_new_questions_are_read(world: World) -> None:
    assert table(world, MANY).computed == 2
    assert table(world).computed == 0
    assert table(world, LONG).computed == 2
    world.write("c.md", "# Counting larks\n\nNine volunteers counted larks in the rain of May.\n")
    world.ingest()
    assert table(world).computed == 2
    world.write("c.md", "# Counting larks\n\nTen volunteers counted larks in the rain of May.\n")
    world.ingest()
    assert table(world).computed == 2
    assert table(world, fresh=True).computed == 6


def test_what_is_kept_is_shown_without_reading(world: World) -> None:
    table(world, MANY)
    world.write("c.md", "# Counting larks\n\nNine volunteers counted larks in the rain of May.\n")
    world.ingest()
    found = table(world, kept=True)
    assert found.computed == 0
    states = sorted(row.cells[0].state for row in found.rows)
    assert states.count(CellState.UNREAD) == 1
    assert len(states) == 3


def test_columns_are_dropped_by_question_or_number(world: World) -> None:
    table(world, MANY, LONG)
    assert table(world, drop=("how many participants",)).questions == (LONG,)
    assert table(world, drop=("1",)).questions == ()
    for named in ("9", "9" * 5000):
        with pytest.raises(InvalidRequest, match="no such column"):
            table(world, drop=(named,))


def test_a_filter_narrows_the_rows_down(world: World) -> None:
    key = next(one.citekey for one in table(world, MANY).rows)
    found = table(world, filter=Filter(clauses=(parse_clause(f"citekey={key}"),)))
    assert [one.citekey for one in found.rows] == [key]
    with pytest.raises(InvalidRequest):
        table(world, filter=Filter(clauses=(parse_clause("page=3"),)))


def test_a_project_must_be_there_and_a_table_has_bounds(world: World) -> None:
    with pytest.raises(ProjectNotFound):
        world.application.research.table(TableRequest(project_id=ProjectId.parse("none")))
    table(world, *(f"Question {n}?" for n in range(50)), kept=True)
    with pytest.raises(InvalidRequest, match="at most 50 columns"):
        table(world, "One more?")


class Reader:
    """Prefers sentences with one word; ``read`` are those that it was given."""

    fingerprint = "words"

    def __init__(self, word: str) -> None:
        self.word = word
        self.read: list[str] = []

    def odds(self, _: str, sentences: Sequence[str]) -> list[float]:
        self.read += sentences
        return [3.0 if self.word in one else -5.0 for one in sentences]


def test_sentences_are_read_below_their_title_and_heading(world: World) -> None:
    plan = "We plan to map the ponds of all other regions in the next years."
    world.write("c.md", f"# Mapping ponds: a course\n\n## Future work\n\n{plan} It took 27 days.\n")
    world.ingest()
    quoting: Any = world.application.research.cell_reader(
        world.catalogue.project(HERE), "extractive"
    )
    reader = Reader("ponds of all")
    cells = QuotingCells(quoting.evidence, reader)
    assert cells.fingerprint != quoting.fingerprint
    document = next(one for one in world.stored() if one.path and one.path.endswith("c.md"))
    assert cells.read("What is planned next?", document.document_id).answer == plan[:-1]
    assert f"Mapping ponds. Future work. {plan}" in reader.read
    assert cells.read("How long did it take?", document.document_id).answer is None
    reader.word = "27"
    assert cells.read("How long did it take?", document.document_id).answer == "27 days"
    assert reader.read[-1] == "Mapping ponds. Future work. It took 27 days."


class Model:
    """Answers what it was told to; ``sent`` are the requests."""

    name, place, limits = "tiny", "here", AnswerLimits()

    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.sent: list[str] = []

    def complete(
        self, messages: Sequence[PromptMessage], *, schema: Any = None, limits: Any = None
    ) -> Completion:
        self.sent.append(messages[-1].text)
        told = self.answer if isinstance(self.answer, str) else json.dumps(self.answer)
        return Completion(text=told, model=self.name)


def read(world: World, answer: object) -> tuple[PaperCell, Model]:
    project = world.catalogue.project(HERE)
    quoting: Any = world.application.research.cell_reader(project, "extractive")
    model = Model(answer)
    document = next(one for one in world.stored() if (one.title or "") == "Mapping ponds")
    return ModelCells(quoting, model).read(MANY, document.document_id), model


def test_a_model_answers_with_the_sentence_that_it_names(world: World) -> None:
    cell, model = read(world, {"answer": "27 students", "sentence": 0})
    assert (cell.answer, cell.state, cell.writer) == ("27 students", CellState.SURE, "tiny")
    assert cell.quote is not None
    assert cell.quote.text in model.sent[0]


@pytest.mark.parametrize(
    "answer",
    [
        {"answer": "72 students", "sentence": 0},
        {"answer": "27 students", "sentence": 99},
        {"answer": "27 students"},
        "I think it was 27.",
    ],
)
def test_what_its_sentence_does_not_have_gives_way_to_a_quotation(
    world: World, answer: object
) -> None:
    cell, _ = read(world, answer)
    assert (cell.answer, cell.writer, cell.state) == ("27 students", None, CellState.CHECK)


def test_a_model_may_find_nothing(world: World) -> None:
    cell, _ = read(world, {"answer": None, "sentence": None})
    assert (cell.state, cell.answer) == (CellState.NOT_STATED, None)
