"""The papers that lie beside the checkout, ingested once for all tests that ask them."""

import json
from pathlib import Path

import pytest
from support.files.real_papers import Ingested, ingest_jose
from support.once import made_once

RESULT = "ingested.json"


def _ingest(workspace: Path) -> None:
    done = ingest_jose(workspace)
    assert done.code == 0, done.err
    (workspace / RESULT).write_text(done.out, encoding="utf-8")


@pytest.fixture(scope="session")
def jose(tmp_path_factory: pytest.TempPathFactory) -> Ingested:
    """Some papers, or all 27. Tests only read it, but for the sessions of reviews."""
    workspace = made_once(tmp_path_factory, "jose", _ingest)
    return Ingested(workspace, json.loads((workspace / RESULT).read_text("utf-8")))
