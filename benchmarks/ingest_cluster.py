"""Ingest on a Dask cluster of this machine beside the pool of processes, in turns.

usage: python benchmarks/ingest_cluster.py PLACE[:COUNT]... [--rounds N] [--single] [--kills N]
           [--seed N]

A PLACE is a folder of PDFs, of which the COUNT with the fewest pages are taken, or all. Each round
runs, in new workspaces: *pool*, two conversion processes without Dask; *cluster, 2 workers*
(ingest.scheduler = "local", ingest.jobs = 2); with --single in the first round also one of each.
CPU is the time of all processes, start of the cluster included; on a machine that others use it
tells more than wall time. The content of each run (documents, passages with ids and texts,
failures) is compared with that of the first.

--kills kills a random worker so often during one more run, at random times over its expected
length; what that run leaves undone is finished by a second one.
"""

import argparse
import ctypes
import hashlib
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pypdfium2
from ingest_runs import Peaks, left_children

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: workers that outlive their parent become our children
_COMMAND = [sys.executable, "-m", "citeloom"]
POOL, CLUSTER = "pool, 2 processes", "cluster, 2 workers"
SETTINGS = {
    POOL: ("", "2"),
    CLUSTER: ("local", "2"),
    "pool, 1 process": ("", "1"),
    "cluster, 1 worker": ("local", "1"),
}


def papers(place: str) -> list[Path]:
    folder, _, count = place.partition(":")
    found = sorted(Path(folder).rglob("*.pdf"))
    return sorted(found, key=pages)[: int(count)] if count else found


def pages(path: Path) -> int:
    try:
        return len(pypdfium2.PdfDocument(path))
    except pypdfium2.PdfiumError:
        return sys.maxsize


class Kills(threading.Thread):
    """Kills a random cluster worker at each of some moments after the first one is there."""

    def __init__(self, process: psutil.Process, moments: Sequence[float], seed: int) -> None:
        super().__init__(daemon=True)
        self._process = process
        self._moments = moments
        self._dice = random.Random(seed)
        self.done = 0

    def run(self) -> None:
        with suppress(psutil.NoSuchProcess):
            while not (workers := self._workers()):
                time.sleep(0.1)
            began = time.monotonic()
            for moment in self._moments:
                time.sleep(max(0.0, began + moment - time.monotonic()))
                while not (workers := self._workers()):
                    time.sleep(0.1)
                self._dice.choice(workers).kill()
                self.done += 1

    def _workers(self) -> list[psutil.Process]:
        """Processes that Dask started and that convert or embed: not its resource tracker."""
        return [
            child
            for child in self._process.children()
            if any("spawn_main" in word for word in child.cmdline())
        ]


def ingest(
    name: str, files: Sequence[Path], workspace: Path, kills: Sequence[float] = (), seed: int = 0
) -> dict[str, Any]:
    scheduler, jobs = SETTINGS[name]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CITELOOM_")}
    environment |= {"CITELOOM_INGEST__SCHEDULER": scheduler, "CITELOOM_INGEST__JOBS": jobs}
    command = [*_COMMAND, "ingest", *map(str, files), "-p", "bench", "--json"]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.perf_counter()
        process = subprocess.Popen(
            [*command, "--workspace", str(workspace)], stdout=out, stderr=err, env=environment
        )
        peaks = Peaks(process.pid)
        killer = Kills(psutil.Process(process.pid), kills, seed)
        peaks.start()
        killer.start()
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        usages = [used, *left_children()]
        out.seek(0)
        err.seek(0)
        try:
            printed = json.load(out)
            documents = printed["documents"]
        except (ValueError, KeyError):
            raise SystemExit(f"{name}: {err.read().decode()[-2000:]}") from None
    return {
        "wall": wall,
        "cpu": sum(one.ru_utime + one.ru_stime for one in usages),
        "parent": peaks.parent / 2**20,
        "worker": peaks.worker / 2**20,
        "kills": killer.done,
        "documents": sum(one["error"] is None for one in documents),
        "failed": sorted((Path(one["source"]).name, one["error"]) for one in documents
                         if one["error"]),
        "passages": printed["chunks_total"],
    }  # fmt: skip


def content(workspace: Path) -> str:
    """A digest of all passages: document, id, text, pages, section."""
    command = [*_COMMAND, "inspect", "-p", "bench", "--sample", "all", "--json"]
    done = subprocess.run(
        [*command, "--workspace", str(workspace)], capture_output=True, check=True
    )
    samples = sorted(
        (one["document_id"], one["chunk_id"], one["text"], one["page_span"], one["section"])
        for one in json.loads(done.stdout)["samples"]
    )
    return hashlib.sha256(json.dumps(samples).encode()).hexdigest()


def shown(name: str, row: dict[str, Any], digest: str, first: str) -> str:
    same = "the first" if not first else "equal" if digest == first else "DIFFERS"
    return (
        f"| {name} | {row['wall']:.0f} | {row['cpu']:.0f} | {row['documents']} | "
        f"{len(row['failed'])} | {row['passages']} | {row['documents'] / row['wall'] * 60:.1f} | "
        f"{row['parent']:.0f} | {row['worker']:.0f} | {same} |"
    )


def runs(rounds: int, *, single: bool) -> Iterator[str]:
    for number in range(rounds):
        yield from (POOL, CLUSTER) if number % 2 == 0 else (CLUSTER, POOL)
        if single and number == 0:
            yield from ("pool, 1 process", "cluster, 1 worker")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("places", nargs="+", metavar="PLACE[:COUNT]")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--single", action="store_true")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    ctypes.CDLL(None).prctl(_SUBREAPER, 1)
    files = [path for place in options.places for path in papers(place)]
    print(f"{len(files)} files, {platform.platform()}, {os.cpu_count()} cores, load "
          f"{os.getloadavg()[0]:.1f}\n")  # fmt: skip
    print("| | wall s | CPU s | documents | failed | passages | documents/min | parent MB | "
          "largest child MB | content |\n|---|" + "---:|" * 8 + "---|", flush=True)  # fmt: skip
    rows: dict[str, list[dict[str, Any]]] = {}
    first, failed = "", []
    with tempfile.TemporaryDirectory() as temporary:
        for number, name in enumerate(runs(options.rounds, single=options.single)):
            workspace = Path(temporary) / str(number)
            row = ingest(name, files, workspace)
            digest = content(workspace)
            print(shown(name, row, digest, first), flush=True)
            if not first:
                first, failed = digest, row["failed"]
            elif row["failed"] != failed:
                print(f"other failures: {row['failed']} instead of {failed}")
            rows.setdefault(name, []).append(row)
        for figure in ("wall", "cpu"):
            pool, cluster = (
                statistics.median(row[figure] for row in rows[name]) for name in (POOL, CLUSTER)
            )
            print(f"\n{figure} of the cluster to the pool's: {cluster / pool:.2f}", flush=True)
        if options.kills:
            dice = random.Random(options.seed)
            length = max(row["wall"] for row in rows[CLUSTER])
            moments = sorted(dice.uniform(0, length) for _ in range(options.kills))
            workspace = Path(temporary) / "killed"
            row = ingest(CLUSTER, files, workspace, moments, options.seed)
            name = f"cluster, {row['kills']} workers killed"
            print(f"\n{shown(name, row, content(workspace), first)}")
            if row["failed"] != failed:
                print(f"failed besides: {[one for one in row['failed'] if one not in failed]}")
            again = ingest(CLUSTER, files, workspace)
            print(shown("… and run again", again, content(workspace), first))


if __name__ == "__main__":
    main()
