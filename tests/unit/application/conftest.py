"""Each test has a world of its own."""

from pathlib import Path

import pytest
from support.world import GRIDS, PONDS, World, an_item


@pytest.fixture
def world(tmp_path: Path) -> World:
    folder = tmp_path / "papers"
    folder.mkdir()
    return World(folder)


@pytest.fixture
def library(world: World) -> World:
    """Two documents, each with its item of the reference file."""
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest(
        references=world.cite(an_item("ponds", "10.5555/ponds"), an_item("grids", "10.5555/grids"))
    )
    return world
