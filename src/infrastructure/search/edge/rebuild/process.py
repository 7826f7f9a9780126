"""Subprocess that builds a graph, and its outcome."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from citeloom.domain.errors import IndexUnavailable, ShardBusy, StorageFailed, WorkspaceTooNew
from citeloom.domain.messages import Action, NextStep

_MODULE: Final = "citeloom.infrastructure.search.edge.rebuild.rebuild"
_ERRORS: Final = {
    error.__name__: error for error in (IndexUnavailable, ShardBusy, StorageFailed, WorkspaceTooNew)
}


def rebuild_apart(folder: Path, dimension: int, wait_seconds: float) -> bool:
    """Run ``rebuild`` in a new process and wait for it.

    Raises what that raises; IndexUnavailable if the process dies.
    """
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    command = [sys.executable, "-P", "-m", _MODULE, str(folder), str(dimension), str(wait_seconds)]
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1"}
    pipe = subprocess.PIPE
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=errors, env=environment
        ) as process,
    ):
        assert process.stdout is not None
        try:
            output = process.stdout.read()  # its input stays open meanwhile: it ends when that does
            process.wait()
        except BaseException:
            process.kill()
            raise
        errors.seek(0)
        return _answer(folder, process.returncode, output, errors.read())


def _answer(folder: Path, status: int, output: bytes, errors: bytes) -> bool:
    try:
        answer = json.loads(output)
    except ValueError:
        raise _died(folder, status, errors) from None
    if "error" in answer:
        next_step = NextStep.of(answer["next_step"])
        raise _ERRORS.get(answer["error"], IndexUnavailable)(answer["message"], next_step)
    return bool(answer["rebuilt"])


def _died(folder: Path, status: int, errors: bytes) -> IndexUnavailable:
    cause = f"exit status {status}" if status >= 0 else signal.Signals(-status).name
    if status == -9:
        cause += ", most likely out of memory"
    last = errors.decode("utf-8", "replace").strip().splitlines()[-1:]
    return IndexUnavailable(
        f"{folder.name}: building the index failed ({'; '.join([cause, *last])}); what is stored "
        "can be searched as before",
        NextStep(Action.OPTIMIZE),
        collection=folder.name,
    )
