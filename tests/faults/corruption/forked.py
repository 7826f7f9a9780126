"""Commands in forked children: what they import is imported once, and a crash ends a child only."""

import importlib
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_IMPORTED = (
    "numpy",
    "qdrant_edge",
    "onnxruntime",
    "tokenizers",
    "rich.table",
    "citeloom.infrastructure.cli.app",
    "citeloom.infrastructure.cli.backup",
    "citeloom.infrastructure.cli.ingest",
    "citeloom.infrastructure.cli.maps",
    "citeloom.infrastructure.cli.projects",
    "citeloom.infrastructure.cli.search.query",
    "citeloom.infrastructure.composition.ingest",
    "citeloom.infrastructure.composition.projects",
    "citeloom.infrastructure.composition.search",
    "citeloom.infrastructure.storage.catalogue",
)
_SECONDS = 300
_MEMORY = 24 * 2**30


@dataclass(frozen=True)
class Ended:
    """What a command printed, and its exit status; negative for a signal."""

    command: str
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def crashed(self) -> bool:
        """Whether it ended in a signal, a traceback or a status that no command has."""
        return self.code not in (0, 1, 2, 3, 4) or "Traceback (most recent" in self.err

    def __str__(self) -> str:
        return f"{self.command}: {self.code}\n{self.err[-1500:]}\n{self.out[-1500:]}"


def run(*arguments: str | Path, workspace: Path) -> Ended:
    """Run ``citeloom`` to its end in a fork of this process."""
    for name in _IMPORTED:
        importlib.import_module(name)
    given = [*map(str, arguments), "--workspace", str(workspace)]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            _become_command(given, out.fileno(), err.fileno())
        code = os.waitstatus_to_exitcode(_waited(child))
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
    return Ended(" ".join(given), code, *texts)


def _become_command(given: list[str], out: int, err: int) -> None:
    """Run the command and end the process."""
    status = 70
    try:
        os.dup2(out, 1)
        os.dup2(err, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdin = sys.__stdin__ = open(0, closefd=False)  # noqa: SIM115
        sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = sys.__stderr__ = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        sys.argv = ["citeloom", *given]
        for name in [name for name in os.environ if name.startswith("CITELOOM_")]:
            del os.environ[name]
        from citeloom.infrastructure.cli.app import main

        try:
            main()
            status = 0
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException:
            os.write(2, traceback.format_exc().encode())
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _waited(child: int) -> int:
    until = time.monotonic() + _SECONDS
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]
