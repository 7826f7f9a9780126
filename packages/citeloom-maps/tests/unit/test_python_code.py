"""Definitions of Python with their decorators."""

from pathlib import Path

import pytest
from support.files.mapped_files import map_text, node, outline

from citeloom_maps.infrastructure.mappers.python_code import PythonMapper

PYTHON = '''\
"""A module."""
import x

@decorated(
    1,
)
class Pond(Water):
    """Cools the street

    at night. Really.
    """

    depth: int = 1

    @property
    def area(self): ...

    @area.setter
    def area(self, value):
        def inner(): ...

    class Meta:
        async def go(self): "Goes. Far."

try:
    def fallback(): ...
except ImportError:
    def fallback(): ...
'''


def test_python_definitions_from_their_first_decorator(tmp_path: Path) -> None:
    found = map_text(PythonMapper(), tmp_path / "ponds.py", PYTHON)
    assert outline(found) == [
        ("Pond", "class", (4, 23)),
        ("Pond.area", "method", (15, 16)),
        ("Pond.area-2", "method", (18, 20)),
        ("Pond.Meta", "class", (22, 23)),
        ("Pond.Meta.go", "method", (23, 23)),
        ("fallback", "function", (26, 26)),
        ("fallback-2", "function", (28, 28)),
    ]
    assert node(found, "Pond").summary == "Cools the street"
    assert node(found, "Pond.Meta.go").summary == "Goes."


@pytest.mark.parametrize(
    "text", ["def (:\n", "print 'two'\n", f"x = {'(' * 500}{')' * 500}\n", "\ufeffa = 'é\n"]
)
def test_what_is_no_python_has_blocks_and_says_so(tmp_path: Path, text: str) -> None:
    found = map_text(PythonMapper(), tmp_path / "a.py", text)
    assert outline(found) == [("block-1", "block", (1, 1))]
    assert "not read as Python" in str((found.metadata or {})["note"])


def test_a_script_without_definitions_has_blocks(tmp_path: Path) -> None:
    found = map_text(PythonMapper(), tmp_path / "a.py", "import x\nx.run()\n")
    assert outline(found) == [("block-1", "block", (1, 2))]
    assert "note" not in (found.metadata or {})
