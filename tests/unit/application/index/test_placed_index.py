"""Each project is looked for where it lives, at that moment."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from support.builders import a_project
from support.in_memory.index import InMemoryCollection, InMemoryIndex
from support.in_memory.stores import InMemoryCatalogue

from citeloom.application.index.placed_index import PlacedIndex
from citeloom.domain.projects.project import IndexPlace, Project, RetrievalSettings

SERVER = IndexPlace(url="http://qdrant.example:6333")
SIZE = 64


class Waiting(InMemoryIndex):
    """Something happens while one waits for a collection."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile = lambda: None
        self.closed = False

    @contextmanager
    def open(
        self, collection: str, *, dimension: int, writing: bool = False
    ) -> Iterator[InMemoryCollection]:
        with super().open(collection, dimension=dimension) as opened:
            self.meanwhile()
            yield opened

    def close(self) -> None:
        self.closed = True


class Places:
    def __init__(self) -> None:
        self.catalogue = InMemoryCatalogue()
        self.local, self.server = Waiting(), Waiting()
        self.index = PlacedIndex(
            catalogue=self.catalogue, local=self.local, server=lambda *_: self.server
        )

    def put(self, project: Project, place: IndexPlace | None) -> None:
        settings = RetrievalSettings(place=place)
        self.catalogue.update_project(project.model_copy(update={"retrieval": settings}))


@pytest.fixture
def places() -> Places:
    return Places()


def test_a_project_that_is_moved_while_one_waits_is_followed(places: Places) -> None:
    project = a_project()
    places.catalogue.add_project(project)
    places.local.meanwhile = lambda: places.put(project, SERVER)
    with (
        places.index.open(project.collection, dimension=SIZE) as opened,
        places.server.open(project.collection, dimension=SIZE) as there,
    ):
        assert opened is there


def test_one_moved_while_it_is_open_stays_open(places: Places) -> None:
    project = a_project()
    places.catalogue.add_project(project)
    with places.index.open(project.collection, dimension=SIZE) as opened:
        places.put(project, SERVER)
        assert opened.counts() == {}
    with places.index.open(project.collection, dimension=SIZE) as again:
        assert again is not opened


def test_existing_and_dropping_go_where_the_project_lives(places: Places) -> None:
    project = a_project()
    places.catalogue.add_project(project)
    for index in (places.local, places.server):
        with index.open(project.collection, dimension=SIZE):
            pass
    places.put(project, SERVER)
    assert places.index.exists(project.collection)
    places.index.drop(project.collection)
    assert not places.index.exists(project.collection)
    assert places.local.exists(project.collection)


def test_a_collection_of_no_project_is_in_the_workspace(places: Places) -> None:
    with places.index.open("proj-nobody", dimension=SIZE):
        pass
    assert places.local.exists("proj-nobody")
    assert not places.server.exists("proj-nobody")


def test_all_that_was_used_is_closed(places: Places) -> None:
    project = a_project()
    places.catalogue.add_project(project)
    places.put(project, SERVER)
    assert not places.index.exists(project.collection)
    places.index.close()
    assert places.local.closed
    assert places.server.closed
