"""The papers that lie beside the checkout, ingested once for all tests that ask them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.cases import MANY
from support.command_line import Done, citeloom
from support.paths import SHARED

JOSE = SHARED / "jose"
#: Those of every run; CITELOOM_TEST_EXAMPLES=100 takes all 27.
FEW = ("00032", "00034", "00050", "00100", "00184", "00198")
PAPERS = tuple(
    path
    for path in sorted((JOSE / "pdf").glob("*.pdf"))
    if MANY or path.stem.removeprefix("jose.") in FEW
)


@dataclass(frozen=True)
class Ingested:
    """``result`` is what the first ``ingest --json`` printed."""

    workspace: Path
    result: dict[str, Any]


def ingest_jose(workspace: Path) -> Done:
    """Into the project ``jose``."""
    return citeloom(
        "ingest", *PAPERS, "--references", JOSE / "library.csl.json", "-p", "jose",
        "--json", workspace=workspace, timeout=800,
    )  # fmt: skip


def jose_truth() -> dict[str, Any]:
    """What is known of each paper that is ingested, by the name of its file."""
    known = json.loads((JOSE / "truth.json").read_text("utf-8"))
    return {path.name: known[path.name] for path in PAPERS}
