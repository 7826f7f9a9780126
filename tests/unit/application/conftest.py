"""A project to ask, for tests that change nothing before."""

import pytest
from support.world import GRIDS, PONDS, World, an_item


@pytest.fixture
def library(world: World) -> World:
    """Two documents, each with its item of the reference file."""
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest(
        references=world.cite(an_item("ponds", "10.5555/ponds"), an_item("grids", "10.5555/grids"))
    )
    return world
