"""The hexagon's contracts exist, hold, and bite."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CONTRACTS = {
    "Dependencies point inwards",
    "The domain knows pydantic, rapidfuzz and the standard library only",
    "Adapters do not know each other",
    "Driving adapters reach the others through the composition root",
    "Ports know the domain and each other only",
}
VIOLATIONS = [
    ("domain/spans.py", "import citeloom.application.query", "Dependencies point inwards"),
    ("application/query.py", "import citeloom.infrastructure.config", "Dependencies point inwards"),
    ("domain/spans.py", "import sqlalchemy", "The domain knows pydantic"),
    ("application/query.py", "import qdrant_edge", "The domain knows pydantic"),
    (
        "infrastructure/index/edge.py",
        "import citeloom.infrastructure.storage.atomic",
        "Adapters do not know each other",
    ),
    (
        "infrastructure/cli/query.py",
        "import citeloom.infrastructure.index.edge",
        "Driving adapters",
    ),
    (
        "infrastructure/media/pdf_pages.py",
        "import citeloom.infrastructure.storage.files",
        "Adapters do not know each other",
    ),
    ("infrastructure/cli/render.py", "import citeloom.infrastructure.media", "Driving adapters"),
    ("application/rendering.py", "import PIL", "The domain knows pydantic"),
    ("application/resolve.py", "import pikepdf", "The domain knows pydantic"),
    ("application/ports/index.py", "import citeloom.application.query", "Ports know the domain"),
]


def lint(folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [
            sys.executable, "-c",
            "from importlinter.cli import lint_imports_command; lint_imports_command()",
            "--config", str(folder / "pyproject.toml"), "--no-cache",
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )  # fmt: skip


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "src", tmp_path / "citeloom", ignore=shutil.ignore_patterns("data"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_contracts_are_there() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    assert {contract["name"] for contract in settings["contracts"]} == CONTRACTS


def test_the_contracts_hold(copy: Path) -> None:
    done = lint(copy)
    assert done.returncode == 0, done.stdout
    assert f"{len(CONTRACTS)} kept, 0 broken" in done.stdout


@pytest.mark.parametrize(("module", "line", "contract"), VIOLATIONS)
def test_a_forbidden_import_breaks_its_contract(
    copy: Path, module: str, line: str, contract: str
) -> None:
    path = copy / "citeloom" / module
    path.write_text(path.read_text("utf-8") + f"\n\n{line}\n", encoding="utf-8")
    done = lint(copy)
    assert done.returncode == 1
    broken = [row for row in done.stdout.splitlines() if row.endswith("BROKEN")]
    assert any(row.startswith(contract) for row in broken), done.stdout
