"""Modules of this package that run in a process of their own, where the engine may die."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple


class Ended(NamedTuple):
    """How a process ended: its exit status (negative for a signal) and what it wrote."""

    status: int
    output: bytes
    errors: bytes

    @property
    def cause(self) -> str:
        """The status or signal, and the last line of the errors."""
        name = f"exit status {self.status}"
        if self.status < 0:
            name = signal.Signals(-self.status).name
        if self.status == -9:
            name += ", most likely out of memory"
        last = self.errors.decode("utf-8", "replace").strip().splitlines()[-1:]
        return "; ".join([name, *last])


def run_module(module: str, *arguments: object) -> Ended:
    """Run ``python -m module arguments`` and wait for its end; it is killed if this is
    interrupted. Its standard input stays open meanwhile."""
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    command = [sys.executable, "-P", "-m", module, *map(str, arguments)]
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
            output = process.stdout.read()
            process.wait()
        except BaseException:
            process.kill()
            raise
        errors.seek(0)
        return Ended(process.returncode, output, errors.read())
