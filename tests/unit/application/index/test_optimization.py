"""Optimize: asked for, or at the end of what writes much."""

import pytest
from support.in_memory.index import InMemoryIndex
from support.world import HERE, PONDS, World

from citeloom.application.index.collection import Optimize
from citeloom.application.ports.ingest import SilentProgress
from citeloom.domain.errors import IndexUnavailable, ProjectNotFound
from citeloom.domain.projects.project import IndexPlace, ProjectId


class GrownIndex(InMemoryIndex):
    """Always has something to do; may fail at it."""

    def __init__(self) -> None:
        super().__init__()
        self.optimized: list[str] = []
        self.fails = False

    def optimize(self, collection, *, dimension, on_start=None) -> bool:
        if on_start:
            on_start()
        if self.fails:
            raise IndexUnavailable("the graph was lost")
        self.optimized.append(collection)
        return True


class Heard(SilentProgress):
    def __init__(self) -> None:
        self.notices: list[str] = []

    def notice(self, text: str) -> None:
        self.notices.append(text)


@pytest.fixture
def grown(world: World) -> GrownIndex:
    world.index = GrownIndex()
    world.write("ponds.md", PONDS)
    return world.index


def test_an_ingest_that_wrote_something_optimizes_and_one_that_did_not_does_not(
    world: World, grown: GrownIndex
) -> None:
    world.ingest()
    assert grown.optimized == [HERE.collection]
    world.ingest()
    assert grown.optimized == [HERE.collection]


def test_an_ingest_that_cannot_optimize_has_stored_all_the_same(
    world: World, grown: GrownIndex
) -> None:
    grown.fails = True
    result = world.ingest()
    assert not result.failed
    assert result.chunks_total > 0
    assert result.warnings == ("the graph was lost",)


def test_a_project_is_optimized_when_asked_and_says_so(world: World, grown: GrownIndex) -> None:
    world.ingest()
    heard = Heard()
    done = Optimize(catalogue=world.catalogue, index=grown)(HERE, heard)
    assert (done.project, done.rebuilt) == ("local/thesis", True)
    assert len(heard.notices) == 1
    assert heard.notices[0].startswith("local/thesis has grown")
    idle = Optimize(catalogue=world.catalogue, index=InMemoryIndex())(HERE, heard)
    assert not idle.rebuilt
    assert len(heard.notices) == 1


def test_an_unknown_project_is_not_optimized(world: World, grown: GrownIndex) -> None:
    with pytest.raises(ProjectNotFound):
        Optimize(catalogue=world.catalogue, index=grown)(
            ProjectId.parse("nobody"), SilentProgress()
        )
    assert grown.optimized == []


def test_a_repaired_index_is_optimized(world: World, grown: GrownIndex) -> None:
    world.ingest()
    grown.drop(HERE.collection)
    world.application.ingest.repair(HERE, SilentProgress())
    assert grown.optimized == [HERE.collection] * 2


def test_a_project_is_optimized_after_a_change_of_model(world: World, grown: GrownIndex) -> None:
    world.ingest()
    world.projects.migration.migrate(HERE, world.embedder("other"), SilentProgress())
    now = world.catalogue.project(HERE).collection
    assert grown.optimized == [HERE.collection, now]
    assert now != HERE.collection
    world.projects.migration.migrate(HERE, world.embedder("other"), SilentProgress())
    assert grown.optimized == [HERE.collection, now]


def test_a_project_is_optimized_after_a_move_to_this_machine(
    world: World, grown: GrownIndex
) -> None:
    world.ingest()
    world.projects.projects.move(
        HERE, IndexPlace(url="http://qdrant.example:6333"), SilentProgress()
    )
    world.projects.projects.move(HERE, None, SilentProgress())
    assert grown.optimized == [HERE.collection] * 2
    world.projects.projects.move(HERE, None, SilentProgress())
    assert grown.optimized == [HERE.collection] * 2


def test_a_change_of_model_that_cannot_optimize_is_done_all_the_same(
    world: World, grown: GrownIndex
) -> None:
    world.ingest()
    grown.fails = True
    heard = Heard()
    assert world.projects.migration.migrate(HERE, world.embedder("other"), heard).switched
    assert "the graph was lost" in heard.notices[-1]
