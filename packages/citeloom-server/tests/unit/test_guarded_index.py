"""Writers of an index on a server wait for each other; readers do not wait."""

import threading
from pathlib import Path
from unittest.mock import Mock

import pytest
from support.builders import a_project
from support.in_memory.index import InMemoryIndex
from support.in_memory.stores import InMemoryCatalogue
from support.stores.passages import DIMENSION

from citeloom.application.index.placed_index import PlacedIndex
from citeloom.application.ports.system import LockHeld
from citeloom.domain.errors import ShardBusy
from citeloom.domain.projects.project import IndexPlace, RetrievalSettings
from citeloom.infrastructure.settings.sections import IndexSettings
from citeloom.infrastructure.system.locks import FileLocks
from citeloom_server.application.guarded_index import GuardedIndex
from citeloom_server.infrastructure.index.index import index_at

NAME = "proj-local-thesis"


class Server:
    """One index, as two processes see it."""

    def __init__(self, folder: Path, wait: float = 30.0) -> None:
        self.index = InMemoryIndex()
        place = "http://qdrant.example"
        self.ours, self.theirs = (
            GuardedIndex(self.index, FileLocks(folder, owner), place=place, wait_seconds=wait)
            for owner in ("citeloom watch", "citeloom ingest")
        )


@pytest.fixture
def server(tmp_path: Path) -> Server:
    return Server(tmp_path / "locks")


@pytest.fixture
def impatient(tmp_path: Path) -> Server:
    return Server(tmp_path / "locks", wait=0)


def test_a_second_writer_hears_who_the_first_is_and_readers_go_on(impatient: Server) -> None:
    with impatient.theirs.open(NAME, dimension=DIMENSION, writing=True):
        with impatient.ours.open(NAME, dimension=DIMENSION) as read:
            assert read.count() == 0
        write = impatient.ours.open(NAME, dimension=DIMENSION, writing=True)
        with pytest.raises(ShardBusy, match=r"held by process \d+ \(citeloom ingest\)"), write:
            pass
        other = impatient.ours.open(f"{NAME}-2", dimension=DIMENSION, writing=True)
        with other:
            pass


def test_a_second_writer_waits_for_the_first(server: Server) -> None:
    order: list[str] = []

    def write() -> None:
        with server.theirs.open(NAME, dimension=DIMENSION, writing=True):
            order.append("theirs")

    with server.ours.open(NAME, dimension=DIMENSION, writing=True):
        writer = threading.Thread(target=write)
        writer.start()
        writer.join(0.1)
        order.append("ours")
    writer.join()
    assert order == ["ours", "theirs"]


def test_what_is_renewed_is_written_by_nobody_else(impatient: Server) -> None:
    with impatient.ours.renewal(NAME, dimension=DIMENSION) as renewed:
        write = impatient.theirs.open(NAME, dimension=DIMENSION, writing=True)
        with pytest.raises(ShardBusy), write:
            pass
        with renewed.open(NAME, dimension=DIMENSION, writing=True):
            pass
    with pytest.raises(ShardBusy), impatient.ours.open(NAME, dimension=DIMENSION, writing=True):
        impatient.theirs.drop(NAME)
    impatient.theirs.drop(NAME)
    assert not impatient.ours.exists(NAME)


def test_a_writer_waits_as_long_as_the_settings_say() -> None:
    locks = Mock()
    locks.hold.side_effect = LockHeld(NAME, None)
    place = IndexPlace(url="http://qdrant.example:6333")
    index = index_at(place, a_project().embedding_model, IndexSettings(wait_seconds=7), locks)
    with pytest.raises(ShardBusy):
        index.drop(NAME)
    locks.hold.assert_called_once_with(f"index {NAME} at {place.url}", 7)


def test_a_writer_who_waited_while_the_project_moved_writes_at_its_new_place(
    server: Server,
) -> None:
    project, place = a_project(), IndexPlace(url="http://qdrant.example:6333")
    catalogue, local = InMemoryCatalogue(), InMemoryIndex()
    settled = RetrievalSettings(place=place)
    catalogue.add_project(project.model_copy(update={"retrieval": settled}))
    placed = PlacedIndex(catalogue=catalogue, local=local, server=lambda *_: server.theirs)
    began = threading.Event()
    at: list[bool] = []

    def write() -> None:
        began.set()
        with placed.open(project.collection, dimension=DIMENSION, writing=True) as opened:
            at.append(opened is local._collections[project.collection])

    with server.ours.open(project.collection, dimension=DIMENSION, writing=True):
        with local.open(project.collection, dimension=DIMENSION):
            pass
        writer = threading.Thread(target=write)
        writer.start()
        began.wait()
        catalogue.update_project(project)  # as a move switches it, while it holds the old place
    writer.join()
    assert at == [True]
