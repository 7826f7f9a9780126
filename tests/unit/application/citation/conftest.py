"""A project of two documents and a work without a file."""

import pytest
from support.world import GRIDS, PONDS, World, an_item


@pytest.fixture
def library(world: World) -> World:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    items = [
        an_item("szelkuti2022", "10.5555/ponds", 2022),
        an_item("grids", "10.5555/grids"),
        an_item("unread", "10.5555/unread", 2001),
    ]
    world.ingest(references=world.cite(*items))
    return world
