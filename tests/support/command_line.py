"""Running the installed command: as a process, or, a tenth of the cost, inside this one."""

import json
import os
import subprocess
import sys
from contextlib import chdir, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.paths import LIBRARY
from typer.testing import CliRunner


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
    # A second converter takes longer to start than to convert four papers.
    quick = {"CITELOOM_QUERY__RERANK": "false", "CITELOOM_INGEST__JOBS": "1"}
    return {**kept, **quick, "HF_HUB_OFFLINE": "1", "PYTHONUTF8": "1", **more}


def _named(workspace: Path | None) -> dict[str, str]:
    """In the environment, so that next steps do not repeat it."""
    return {"CITELOOM_WORKSPACE": str(workspace)} if workspace is not None else {}


def citeloom(
    *arguments: str | Path,
    workspace: Path | None = None,
    cwd: Path | None = None,
    timeout: float = 600,
    **more: str,
) -> Done:
    """Run ``citeloom`` to its end."""
    command = [sys.executable, "-m", "citeloom", *map(str, arguments)]
    done = subprocess.run(
        command,
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
        cwd=cwd,
        env=environment(**_named(workspace), **more),
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def inside(
    *arguments: str | Path, workspace: Path | None = None, cwd: Path | None = None, **more: str
) -> Done:
    """The command to its end in this process, conversions included: for tests of what it does,
    not of processes, streams, signals and start-up."""
    from support.in_process import without_processes

    from citeloom.infrastructure.cli.app import app

    given = [*map(str, arguments)]
    with without_processes(), chdir(cwd) if cwd is not None else nullcontext():
        done = CliRunner().invoke(
            app,
            given,
            prog_name="citeloom",
            env={**_named(workspace), **more},
            catch_exceptions=False,
        )
    return Done(done.exit_code, done.stdout, done.stderr)


def ingest_samples(workspace: Path, *more: str) -> Done:
    return inside(
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
