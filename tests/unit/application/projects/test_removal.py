"""A removal that was stopped anywhere is repeated, or what it removed is ingested again, whole."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.stores.stopping import Stopped, Stopper, StoppingIndex, StoppingStore
from support.world import GRIDS, HERE, PONDS, World

Deed = Callable[[World], None]


def remove_ponds(world: World) -> None:
    removal = world.projects.remove.plan(HERE, ["ponds.md"])
    world.projects.remove(removal, removal.name)


def delete_project(world: World) -> None:
    world.projects.projects.delete(HERE)


def stopped(world: World, stopper: Stopper, deed: Deed) -> None:
    """The deed, whose process is killed at a write."""
    assert isinstance(world.index, StoppingIndex)
    world.index.stopper = stopper
    stores: dict[str, Any] = {
        name: StoppingStore(getattr(world, name), stopper) for name in ("catalogue", "bundles")
    }
    with pytest.raises(Stopped):
        deed(dataclasses.replace(world, **stores))
    world.index.stop()
    world.index.stopper = Stopper(0)


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path, index=StoppingIndex())
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest()
    return world


STOPS = [(remove_ponds, at) for at in range(1, 6)] + [(delete_project, at) for at in range(1, 6)]


@pytest.mark.parametrize("forgets", [False, True])
@pytest.mark.parametrize(("deed", "at"), STOPS)
def test_what_a_stopped_removal_began_to_remove_is_ingested_again_with_all_passages(
    world: World, deed: Deed, at: int, forgets: bool
) -> None:
    assert isinstance(world.index, StoppingIndex)
    world.index.forgets = forgets
    before = sorted(world.chunk_ids())
    stopped(world, Stopper(at), deed)
    result = world.ingest()
    assert sorted(world.chunk_ids()) == before
    assert result.chunks_total == len(before)
    assert world.projects.validate(HERE).ok


@pytest.mark.parametrize("at", range(1, 6))
def test_a_stopped_removal_is_repeated(world: World, at: int) -> None:
    stopped(world, Stopper(at), remove_ponds)
    if any("ponds.md" in str(one.path) for one in world.stored()):
        remove_ponds(world)
    assert [Path(str(one.path)).name for one in world.stored()] == ["grids.md"]
    assert world.projects.validate(HERE).ok
