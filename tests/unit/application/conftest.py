"""Each test has a world of its own."""

from pathlib import Path

import pytest
from support.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    folder = tmp_path / "papers"
    folder.mkdir()
    return World(folder)
