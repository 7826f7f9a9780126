"""Running the installed command."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.paths import LIBRARY


@dataclass(frozen=True)
class Done:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def environment(**more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("CITELOOM_")}
    return {**kept, "HF_HUB_OFFLINE": "1", "PYTHONUTF8": "1", **more}


def citeloom(
    *arguments: str | Path,
    workspace: Path | None = None,
    cwd: Path | None = None,
    timeout: float = 600,
    **more: str,
) -> Done:
    """Run ``citeloom`` to its end."""
    command = [sys.executable, "-m", "citeloom", *map(str, arguments)]
    if workspace is not None:
        command += ["--workspace", str(workspace)]
    done = subprocess.run(
        command,
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
        cwd=cwd,
        env=environment(**more),
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def ingest_samples(workspace: Path, *more: str) -> Done:
    return citeloom(
        "ingest",
        LIBRARY / "papers",
        "--references",
        LIBRARY / "library.csl.json",
        "--project",
        "samples",
        "--json",
        *more,
        workspace=workspace,
    )
