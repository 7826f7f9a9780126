"""The wheel holds every module and data file of the package, and is built the same each time."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from support.paths import ROOT

IGNORED = {"__pycache__"}


def built(folder: Path) -> Path:
    """The wheel of a copy of the tree in ``folder``."""
    tree = folder / "tree"
    tree.mkdir(parents=True)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "NOTICE"):
        shutil.copyfile(ROOT / name, tree / name)
    shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns(*IGNORED))
    build = [
        sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
        "--wheel-dir", str(folder), str(tree),
    ]  # fmt: skip
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}
    subprocess.run(build, check=True, capture_output=True, env=environment)
    (wheel,) = folder.glob("citeloom-*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("wheel"))


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    held = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("citeloom/")}
    wanted = {
        f"citeloom/{path.relative_to(ROOT / 'src').as_posix()}"
        for path in (ROOT / "src").rglob("*")
        if path.is_file() and not IGNORED & set(path.parts)
    }
    assert held == wanted


def test_the_same_tree_gives_the_same_bytes(wheel: Path, tmp_path: Path) -> None:
    assert built(tmp_path / "elsewhere").read_bytes() == wheel.read_bytes()
