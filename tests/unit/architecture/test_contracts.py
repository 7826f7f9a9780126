"""The hexagon's contracts exist and bite; that they hold, `make check` shows."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support.paths import ROOT

CONTRACTS = {
    "Layers of the packages point inwards",
    "The core knows no package that plugs into it",
    "Dependencies point inwards",
    "The domain knows pydantic, rapidfuzz and the standard library only",
    "Packages of the domain depend one way",
    "Packages of the application depend one way",
    "Packages of the infrastructure depend one way",
    "Steps of the PDF layout depend one way",
    "PDFs are read without docling",
    "Driving adapters reach the others through the composition root",
}
VIOLATIONS = [
    (
        "infrastructure/composition/application.py",
        "citeloom_server.plugin",
        "The core knows no package that plugs into it",
    ),
    ("domain/documents/spans.py", "application.search.query", "Dependencies point inwards"),
    (
        "application/search/query.py",
        "infrastructure.settings.settings",
        "Dependencies point inwards",
    ),
    ("domain/documents/spans.py", "sqlalchemy", "The domain knows pydantic"),
    ("application/search/query.py", "qdrant_edge", "The domain knows pydantic"),
    ("application/documents/page_images.py", "PIL", "The domain knows pydantic"),
    ("application/places/cut.py", "pikepdf", "The domain knows pydantic"),
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
        "infrastructure.ingest.conversion.pdf.headings.headings",
        "Steps of the PDF layout",
    ),
    (
        "infrastructure/ingest/conversion/pdf/reading.py",
        "docling_core",
        "PDFs are read without docling",
    ),
    (
        "infrastructure/cli/search/query.py",
        "infrastructure.search.edge.index",
        "Driving adapters",
    ),
    (
        "infrastructure/cli/maps.py",
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


def copied(folder: Path) -> Path:
    shutil.copytree(ROOT / "src", folder / "citeloom", ignore=shutil.ignore_patterns("data"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def test_the_contracts_are_there() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    assert {contract["name"] for contract in settings["contracts"]} == CONTRACTS


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is said of a tree with all the forbidden imports, on one line."""
    folder = copied(tmp_path_factory.mktemp("broken"))
    for module, imported, _ in VIOLATIONS:
        with (folder / "citeloom" / module).open("a", encoding="utf-8") as stream:
            stream.write(f"\n\nimport {_full(imported)}\n")
    done = lint(folder)
    assert done.returncode == 1
    return " ".join(done.stdout.partition("Broken contracts")[2].split())


@pytest.mark.parametrize(("module", "imported", "contract"), VIOLATIONS)
def test_a_forbidden_import_breaks_its_contract(
    told: str, module: str, imported: str, contract: str
) -> None:
    section = told.partition(contract)[2]
    own = re.split(r" -{20,} ", section, maxsplit=2)[1]
    importer = f"citeloom.{module.removesuffix('.py').replace('/', '.')}"
    assert f"{importer} -> {_full(imported)} (l." in own, own


def _full(imported: str) -> str:
    ours = imported.startswith(("domain.", "application.", "infrastructure."))
    return f"citeloom.{imported}" if ours else imported
