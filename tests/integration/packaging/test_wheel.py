"""The wheel holds every module and data file of the package."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from support.paths import ROOT

IGNORED = {"__pycache__"}


def test_the_wheel_has_every_file_of_the_package(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, tree)
    shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns(*IGNORED))
    build = [
        sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
        "--wheel-dir", str(tmp_path), str(tree),
    ]  # fmt: skip
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("citeloom-*.whl")
    held = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("citeloom/")}
    wanted = {
        f"citeloom/{path.relative_to(ROOT / 'src').as_posix()}"
        for path in (ROOT / "src").rglob("*")
        if path.is_file() and not IGNORED & set(path.parts)
    }
    assert held == wanted
