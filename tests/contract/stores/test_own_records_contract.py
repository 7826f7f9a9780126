"""Every store of own metadata does the same: in memory, on SQLite, through SQLAlchemy, on
PostgreSQL."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.in_memory.stores import InMemoryOwnRecords
from support.stores.catalogues import HERE, ID_A, ID_B, STORES, THERE, reopening

from citeloom.application.ports.citation import OwnRecords
from citeloom.domain.citation.own import OwnChange, OwnMetadata, ReadingStatus
from citeloom.infrastructure.storage.stores import SqlOwnRecords

READ = OwnMetadata(status=ReadingStatus.READ, tags=("Städte", "x"), note="A note.")
NAMED = OwnMetadata(edits={"title": "Ponds", "DOI": None}, citekey="weir2020")


@pytest.fixture(params=STORES)
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], OwnRecords]]:
    yield from reopening(request, tmp_path, InMemoryOwnRecords, SqlOwnRecords)


def change(after: OwnMetadata, document_id: str = ID_A, what: str = "edited") -> OwnChange:
    return OwnChange(document_id=document_id, what=what, after=after)


def test_the_last_change_of_a_document_counts(reopen: Callable[[], OwnRecords]) -> None:
    store = reopen()
    assert store.own(HERE, ID_A) is None
    assert store.owned(HERE) == {}
    store.put(HERE, change(READ))
    store.put(HERE, change(NAMED, ID_B))
    store.put(HERE, change(NAMED))
    assert reopen().own(HERE, ID_A) == NAMED
    assert reopen().owned(HERE) == {ID_A: NAMED, ID_B: NAMED}
    assert reopen().own(THERE, ID_A) is None


def test_changes_are_undone_from_the_last_one_back(reopen: Callable[[], OwnRecords]) -> None:
    store = reopen()
    assert (store.undo(HERE), store.last(HERE)) == (None, None)
    store.put(HERE, change(READ, what="read"))
    store.put(HERE, change(NAMED, ID_B))
    store.put(HERE, change(NAMED, what="named"))
    assert store.last(HERE) == change(NAMED, what="named")
    assert store.undo(HERE) == change(READ, what="named")
    assert store.undo(HERE) == change(OwnMetadata(), ID_B)
    assert reopen().owned(HERE) == {ID_A: READ}
    assert store.undo(HERE) == change(OwnMetadata(), what="read")
    assert reopen().owned(HERE) == {}
    assert store.undo(HERE) is None
