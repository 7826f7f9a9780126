"""The papers that lie beside the checkout, ingested once for all tests that ask them."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from e2e.running import ROOT, Done, citeloom

JOSE = Path(os.environ.get("CITELOOM_TEST_DATA", ROOT.parent / "shared" / "data")) / "jose"


@dataclass(frozen=True)
class Ingested:
    """``result`` is what the first ``ingest --json`` printed."""

    workspace: Path
    result: dict[str, Any]


def ingest_jose(workspace: Path) -> Done:
    """Into the project ``jose``."""
    return citeloom(
        "ingest", JOSE / "pdf", "--references", JOSE / "library.csl.json", "-p", "jose",
        "--json", workspace=workspace, timeout=800,
    )  # fmt: skip


@pytest.fixture(scope="session")
def jose(tmp_path_factory: pytest.TempPathFactory) -> Ingested:
    """27 papers. Tests only read it, but for the sessions of reviews."""
    workspace = tmp_path_factory.mktemp("jose")
    done = ingest_jose(workspace)
    assert done.code == 0, done.err
    return Ingested(workspace, done.json)
