"""The port ``ShownHitStore``, on each adapter."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.in_memory.stores import InMemoryShownHitStore

from citeloom.application.ports.maps import ShownHitStore
from citeloom.domain.errors import StorageFailed
from citeloom.domain.search.hits import ShownHit, ShownHits
from citeloom.infrastructure.storage.small_files import FileShownHitStore

HIT = ShownHit(
    rank=2, project="local/thesis", document_id="d" * 64, address="doc://dddd#pages=3",
    source_path="/ponds.pdf", quote="Ponds cool.", char_span=(3, 14), pages=(3, 3),
)  # fmt: skip


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], ShownHitStore]:
    """Opens the store, as another process would."""
    if request.param == "memory":
        kept = InMemoryShownHitStore()
        return lambda: kept
    return lambda: FileShownHitStore(tmp_path / "new" / "last_question.json")


def test_there_are_none_before_the_first_question(store: Callable[[], ShownHitStore]) -> None:
    assert store().load() is None


def test_the_last_question_replaces_the_one_before(store: Callable[[], ShownHitStore]) -> None:
    store().save(ShownHits(question="lakes", hits=()))
    asked = ShownHits(question="Ponds – cool?", hits=(HIT,))
    store().save(asked)
    loaded = store().load()
    assert loaded == asked
    assert loaded.hit(2) == HIT
    assert loaded.hit(1) is None


def test_a_damaged_file_is_told_with_its_path(tmp_path: Path) -> None:
    path = tmp_path / "last_question.json"
    path.write_text('{"question": 3', encoding="utf-8")
    with pytest.raises(StorageFailed, match=r"last_question\.json: damaged; ask"):
        FileShownHitStore(path).load()


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    with pytest.raises(StorageFailed):
        FileShownHitStore(tmp_path / "file" / "q.json").save(ShownHits(question="q", hits=()))
