"""The wheel holds every module and data file of the package, is built the same each time, and works
where it is installed."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from support.command_line import environment
from support.paths import LIBRARY, ROOT

from citeloom.infrastructure.cli.command_table import EXTRAS
from citeloom.infrastructure.plugins import install_line

IGNORED = {"__pycache__"}
SAMPLE_FILES = ("README.md", "library.csl.json", "questions.json")


def built(folder: Path) -> Path:
    """The wheel of a copy of the tree in ``folder``."""
    tree = folder / "tree"
    tree.mkdir(parents=True)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "NOTICE"):
        shutil.copyfile(ROOT / name, tree / name)
    for name in ("src", "references"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns(*IGNORED))
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
    names = zipfile.ZipFile(wheel).namelist()
    held = {name for name in names if name.startswith("citeloom/")}
    others = set(names) - held  # neither pictures nor docs, tests or specifications
    assert all(".dist-info/" in name for name in others)
    wanted = {
        f"citeloom/{path.relative_to(ROOT / 'src').as_posix()}"
        for path in (ROOT / "src").rglob("*")
        if path.is_file() and not IGNORED & set(path.parts)
    }
    sample = [*LIBRARY.glob("papers/*.pdf"), *(LIBRARY / name for name in SAMPLE_FILES)]
    wanted |= {f"citeloom/sample_library/{path.relative_to(LIBRARY).as_posix()}" for path in sample}
    assert held == wanted


@pytest.mark.pages
def test_the_same_tree_gives_the_same_bytes(wheel: Path, tmp_path: Path) -> None:
    assert built(tmp_path / "elsewhere").read_bytes() == wheel.read_bytes()


def requirements(project: Path) -> set[str]:
    """The distributions that a folder's pyproject.toml requires, without those of its extras."""
    declared: dict[str, Any] = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))
    return {re.split(r"[^\w.-]", one, maxsplit=1)[0] for one in declared["project"]["dependencies"]}


def of_packages() -> set[str]:
    """What lies in site-packages for CiteLoom, for what plugs into it, and for what only that
    requires."""
    projects = list((ROOT / "packages").iterdir())
    alone = set().union(*map(requirements, projects)) - requirements(ROOT)
    names = {"citeloom", *(project.name for project in projects), *alone}
    tops = {file.parts[0] for name in names for file in distribution(name).files or ()}
    return tops - {"..", "__pycache__"}


def dependencies(folder: Path) -> Path:
    """``folder``, with links to all other packages of this environment."""
    folder.mkdir()
    left_out = of_packages()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if path.name not in left_out and not path.name.startswith("__"):
            (folder / path.name).symlink_to(path)
    return folder


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command ``citeloom`` of a new environment that holds the wheel, and sees the dependencies
    of this one, but none of packages/."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=os.name != "nt")
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / Path(sys.executable).name
    paths = {"base": str(folder), "platbase": str(folder)}
    (own,) = {sysconfig.get_path(name, "venv", paths) for name in ("purelib", "platlib")}
    others = dependencies(tmp_path_factory.mktemp("dependencies") / "site-packages")
    (Path(own) / "dependencies.pth").write_text(f"{others}\n", "utf-8")
    install = [
        sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps",
        "--no-index", "--no-compile", str(wheel),
    ]  # fmt: skip
    subprocess.run(install, check=True, capture_output=True, env=outside())
    return scripts / "citeloom"


def outside() -> dict[str, str]:
    """The environment variables of a shell that knows nothing of this checkout."""
    return {name: value for name, value in environment().items() if name != "PYTHONPATH"}


@pytest.mark.pages
def test_the_installed_command_runs_the_demonstration_outside_the_checkout(
    installed: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [installed, "demo"], cwd=tmp_path, env=outside(), capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    for entry in json.loads((LIBRARY / "questions.json").read_text("utf-8")):
        answers = done.stdout.split(f"? {entry['question']}", 1)[1].split("\n? ", 1)[0]
        assert f"[@{entry['citekey']}, p. {entry['page_label']}]" in answers
        assert entry["phrase"] in " ".join(answers.split())
    assert "--workspace .demo" in done.stdout.splitlines()[-1]
    assert (tmp_path / ".demo" / ".citeloom").is_dir()


def test_the_installed_command_is_that_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    python = installed.with_name(Path(sys.executable).name)
    told = subprocess.run(
        [python, "-P", "-c", "import citeloom; print(citeloom.__file__)"],
        cwd=tmp_path, env=outside(), check=True, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    assert Path(told.stdout.strip()).is_relative_to(installed.parents[1])
    help_text = subprocess.run(
        [installed, "-h"], cwd=tmp_path, env=outside(), capture_output=True, encoding="utf-8"
    )
    assert help_text.returncode == 0, help_text.stderr
    assert "demo" in help_text.stdout
    assert " lsp " not in help_text.stdout


_IMPORT_ALL = """
import importlib, pkgutil, citeloom
for module in pkgutil.walk_packages(citeloom.__path__, "citeloom."):
    if module.name != "citeloom.__main__":
        importlib.import_module(module.name)
"""


@pytest.mark.pages
def test_every_module_of_the_core_is_imported_without_the_packages(
    installed: Path, tmp_path: Path
) -> None:
    python = installed.with_name(Path(sys.executable).name)
    done = subprocess.run(
        [python, "-P", "-c", _IMPORT_ALL],
        cwd=tmp_path, env=outside(), capture_output=True, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", sorted(EXTRAS))
def test_a_command_of_a_package_says_how_it_is_installed(
    installed: Path, tmp_path: Path, name: str
) -> None:
    done = subprocess.run(
        [installed, name], cwd=tmp_path, env=outside(), capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 2
    assert install_line(EXTRAS[name]) in " ".join(re.sub(r"[│|]", " ", done.stderr).split())
