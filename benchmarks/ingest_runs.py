"""What one ingest takes: time, processor time and peak memory of its processes.

Used by ingest_speed.py.
"""

import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

WATCH = Path(__file__).resolve().parent / "ingest_watch.py"
WAIT_SECONDS = 1800


class Peaks(threading.Thread):
    """Samples resident memory of a process and of its largest child, ten times a second."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._process = psutil.Process(pid)
        self.parent = self.worker = 0

    def run(self) -> None:
        with suppress(psutil.NoSuchProcess):
            while True:
                self.parent = max(self.parent, self._process.memory_info().rss)
                for child in self._process.children(recursive=True):
                    with suppress(psutil.NoSuchProcess):
                        self.worker = max(self.worker, child.memory_info().rss)
                time.sleep(0.1)


@dataclass(frozen=True)
class Contender:
    name: str
    command: Sequence[str]  # of CiteLoom, without a verb; of a peer, without its work folder
    environment: Mapping[str, str]
    options: Sequence[str] | None = None  # of CiteLoom's ingest; None for a peer


def measured(command: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any]:
    """Run a command that prints one JSON object: times in s, peaks in MB, and what it printed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=err, env=dict(environment))
        peaks = Peaks(process.pid)
        peaks.start()
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        usages = [used, *left_children()]
        out.seek(0)
        err.seek(0)
        try:
            printed = json.load(out)
        except ValueError:
            raise SystemExit(f"{' '.join(command)}: {err.read().decode()[-2000:]}") from None
    return {
        "wall": seconds,
        "cpu": sum(one.ru_utime + one.ru_stime for one in usages),
        "parent": peaks.parent / 2**20,
        "worker": peaks.worker / 2**20,
        "printed": printed,
    }


def left_children() -> Iterator[Any]:
    """Waits for each process that outlived its parent; its use of resources."""
    with suppress(ChildProcessError):
        while True:
            yield os.wait4(-1, 0)[2]


def ingest(
    contender: Contender, arguments: Sequence[str], workspace: Path, project: str
) -> dict[str, float]:
    options = ["-p", project, "--json", "--workspace", str(workspace)]
    command = [*contender.command, "ingest", *arguments, *options]
    row = measured(command, contender.environment)
    printed = row.pop("printed")
    documents = printed["documents"]
    return row | {
        "documents": sum(document["error"] is None for document in documents),
        "pages": sum(document["pages"] for document in documents),
        "passages": printed["chunks_total"],
        "converted": printed["documents_converted"],
        "written": printed["chunks_written"],
    }


def searchable(contender: Contender, arguments: Sequence[str], workspace: Path) -> dict[str, float]:
    """Seconds from the start of an ingest until a process beside it has found a passage."""
    options = ["-p", "bench", "--json", "--workspace", str(workspace)]
    environment = dict(contender.environment)
    watch = [contender.command[0], str(WATCH), str(workspace), "bench", str(WAIT_SECONDS)]
    with subprocess.Popen(watch, stdout=subprocess.PIPE, text=True, env=environment) as watcher:
        assert watcher.stdout is not None
        watcher.stdout.readline()
        began = time.perf_counter()
        running = subprocess.Popen(
            [*contender.command, "ingest", *arguments, *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
        )  # fmt: skip
        answer = watcher.stdout.readline().strip()
        seconds = time.perf_counter() - began
    running.wait()
    whole = time.perf_counter() - began
    list(left_children())
    if answer != "found":
        raise SystemExit(f"{contender.name}: {answer or 'the watching process failed'}")
    return {"wall": seconds, "whole": whole}
