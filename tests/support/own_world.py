"""A world of its own for each test that asks for one."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.world import World


@pytest.fixture
def world(tmp_path: Path) -> "World":
    from support.world import World

    folder = tmp_path / "papers"
    folder.mkdir()
    return World(folder)
