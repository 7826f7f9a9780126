"""The hexagon's contracts exist, hold, and bite."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support.paths import ROOT

CONTRACTS = {
    "Dependencies point inwards",
    "The domain knows pydantic, rapidfuzz and the standard library only",
    "Packages of the domain depend one way",
    "Packages of the application depend one way",
    "Packages of the infrastructure depend one way",
    "Steps of the PDF layout depend one way",
    "Driving adapters reach the others through the composition root",
}
VIOLATIONS = [
    ("domain/documents/spans.py", "application.search.query", "Dependencies point inwards"),
    (
        "application/search/query.py",
        "infrastructure.settings.settings",
        "Dependencies point inwards",
    ),
    ("domain/documents/spans.py", "sqlalchemy", "The domain knows pydantic"),
    ("application/search/query.py", "qdrant_edge", "The domain knows pydantic"),
    ("application/documents/page_images.py", "PIL", "The domain knows pydantic"),
    ("application/maps/resolve.py", "pikepdf", "The domain knows pydantic"),
    ("domain/text/words.py", "domain.search.fusion", "Packages of the domain"),
    ("domain/search/fusion.py", "domain.resources.uris", "Packages of the domain"),
    ("application/ports/index.py", "application.search.query", "Packages of the application"),
    ("application/ingest/run.py", "application.library.sync", "Packages of the application"),
    (
        "infrastructure/search/edge/index.py",
        "infrastructure.storage.rows",
        "Packages of the infrastructure",
    ),
    (
        "infrastructure/maps/evidence/pdf_pages.py",
        "infrastructure.ingest.source_files",
        "Packages of the infrastructure",
    ),
    (
        "infrastructure/ingest/conversion/pdf/lines/lines.py",
        "infrastructure.ingest.conversion.pdf.headings.title",
        "Steps of the PDF layout",
    ),
    (
        "infrastructure/cli/search/query.py",
        "infrastructure.search.edge.index",
        "Driving adapters",
    ),
    (
        "infrastructure/cli/maps/page_images.py",
        "infrastructure.maps.evidence.pdf_pages",
        "Driving adapters",
    ),
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


@pytest.mark.parametrize(("module", "imported", "contract"), VIOLATIONS)
def test_a_forbidden_import_breaks_its_contract(
    copy: Path, module: str, imported: str, contract: str
) -> None:
    path = copy / "citeloom" / module
    ours = imported.startswith(("domain.", "application.", "infrastructure."))
    line = f"import citeloom.{imported}" if ours else f"import {imported}"
    path.write_text(path.read_text("utf-8") + f"\n\n{line}\n", encoding="utf-8")
    done = lint(copy)
    assert done.returncode == 1
    broken = [row for row in done.stdout.splitlines() if row.endswith("BROKEN")]
    assert any(row.startswith(contract) for row in broken), done.stdout
