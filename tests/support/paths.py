"""Paths of the checkout, the tests, the tables of the contract and the shared data."""

import json
import os
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
LIBRARY = ROOT / "references"
CASES = TESTS / "cases"
WORKERS = TESTS / "support" / "workers"
SHARED = Path(os.environ.get("CITELOOM_TEST_DATA") or ROOT.parent / "shared" / "data")


def cases(name: str) -> Any:
    """The tables of ``tests/cases/NAME.json``, each a list or object of rows."""
    return json.loads((CASES / f"{name}.json").read_text("utf-8"))
