"""The papers that lie beside the checkout, ingested once for all tests that ask them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.command_line import Done, citeloom
from support.paths import SHARED

JOSE = SHARED / "jose"


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
