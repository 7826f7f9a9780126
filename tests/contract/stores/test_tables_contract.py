"""Every store of tables does the same: in memory, on SQLite, through SQLAlchemy, on PostgreSQL."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.in_memory.stores import InMemoryTableStore
from support.stores.catalogues import HERE, ID_A, ID_B, STORES, THERE, reopening

from citeloom.application.ports.research import KeptCell, TableStore
from citeloom.domain.review.report.table import CellState, PaperCell
from citeloom.infrastructure.storage.research.record import SqlTableStore

ASKED = ("How many participants?", "Wie lange?", "Where?")


@pytest.fixture(params=STORES)
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], TableStore]]:
    yield from reopening(request, tmp_path, InMemoryTableStore, SqlTableStore)


def kept(document_id: str, question: str, answer: str, version: str = "1") -> KeptCell:
    cell = PaperCell(state=CellState.SURE, answer=answer)
    return KeptCell(document_id=document_id, question=question, version=version, cell=cell)


def test_columns_stay_in_the_order_in_which_they_were_added(
    reopen: Callable[[], TableStore],
) -> None:
    store = reopen()
    assert list(store.questions(HERE)) == []
    store.add_questions(HERE, ASKED[:2])
    store.add_questions(HERE, (ASKED[2], ASKED[0]))
    assert tuple(reopen().questions(HERE)) == ASKED
    assert list(reopen().questions(THERE)) == []


def test_a_column_is_dropped_with_its_cells(reopen: Callable[[], TableStore]) -> None:
    store = reopen()
    store.add_questions(HERE, ASKED)
    first, second = kept(ID_A, ASKED[0], "27 students"), kept(ID_A, ASKED[1], "zwei Tage")
    store.put_cells(HERE, [first, second])
    store.put_cells(THERE, [first])
    store.drop_questions(HERE, [ASKED[0], "unknown"])
    assert tuple(reopen().questions(HERE)) == ASKED[1:]
    assert list(reopen().cells(HERE)) == [second]
    assert list(reopen().cells(THERE)) == [first]


def test_a_cell_is_replaced(reopen: Callable[[], TableStore]) -> None:
    store = reopen()
    store.put_cells(HERE, [kept(ID_A, ASKED[0], "26"), kept(ID_B, ASKED[0], "9")])
    store.put_cells(HERE, [kept(ID_A, ASKED[0], "27", "2")])
    store.put_cells(HERE, [])
    cells = {one.document_id: (one.version, one.cell.answer) for one in reopen().cells(HERE)}
    assert cells == {ID_A: ("2", "27"), ID_B: ("1", "9")}
