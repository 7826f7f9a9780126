"""Ingest of a folder: time, pages a second, peak memory of parent and workers, second run.

usage: python benchmarks/ingest_speed.py FOLDER [--references FILE]
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil


class Peaks(threading.Thread):
    """Samples resident memory of a process and of its largest child, ten times a second."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._process = psutil.Process(pid)
        self.parent = self.worker = 0

    def run(self) -> None:
        while True:
            try:
                self.parent = max(self.parent, self._process.memory_info().rss)
                for child in self._process.children(recursive=True):
                    self.worker = max(self.worker, child.memory_info().rss)
            except psutil.NoSuchProcess:
                if not self._process.is_running():
                    return
            time.sleep(0.1)


def ingest(folder: Path, references: Path | None, workspace: Path) -> dict[str, Any]:
    command = [
        sys.executable, "-m", "citeloom", "ingest", str(folder), "-p", "bench", "--json",
        "--workspace", str(workspace),
    ]  # fmt: skip
    if references:
        command += ["--references", str(references)]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    peaks = Peaks(process.pid)
    peaks.start()
    out, _ = process.communicate()
    seconds = time.perf_counter() - began
    result = json.loads(out)
    pages = sum(document["pages"] for document in result["documents"])
    return {
        "seconds": round(seconds, 2),
        "documents": len(result["documents"]),
        "converted": result["documents_converted"],
        "pages": pages,
        "pages_per_second": round(pages / seconds, 1),
        "chunks_written": result["chunks_written"],
        "chunks_total": result["chunks_total"],
        "peak_parent_mb": peaks.parent // 2**20,
        "peak_worker_mb": peaks.worker // 2**20,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--references", type=Path)
    options = parser.parse_args()
    print(f"{datetime.now(UTC):%Y-%m-%d} {platform.platform()} {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as workspace:
        for name in ("first", "second"):
            row = ingest(options.folder, options.references, Path(workspace))
            print(json.dumps({"run": name, **row}))


if __name__ == "__main__":
    main()
