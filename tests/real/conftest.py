"""The papers that lie beside the checkout, ingested once for all tests that ask them."""

import pytest
from support.files.real_papers import Ingested, ingest_jose


@pytest.fixture(scope="session")
def jose(tmp_path_factory: pytest.TempPathFactory) -> Ingested:
    """27 papers. Tests only read it, but for the sessions of reviews."""
    workspace = tmp_path_factory.mktemp("jose")
    done = ingest_jose(workspace)
    assert done.code == 0, done.err
    return Ingested(workspace, done.json)
