"""A project that follows a large Zotero library: first sync, unchanged, ten items changed.

usage: python benchmarks/zotero_sync.py [--items 10000] [--files 1.0] [--folder FOLDER]

The library is generated; its files are small texts, read by the plain converter, and vectors
are hashed words: what is measured is all that is not conversion and embedding. Each phase is
a process of its own. ``touched`` is a database whose bytes changed and whose items did not.
"""

import argparse
import dataclasses
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PHASES = ("first", "unchanged", "touched", "changed", "unchanged again")
CHANGED = 10


def library(items: int, files: float, data: Path, *, changed: int = 0) -> None:
    """Write the database, and the files that are not there yet."""
    sys.path.insert(0, str(ROOT / "tests"))
    from support.zotero.library import many, write_database

    made = many(items)
    raw: list[dict[str, Any]] = []
    for number, entry in enumerate(made.items):
        entry = dict(entry)
        if entry["itemType"] == "attachment":
            entry.update(filename="paper.txt", contentType="text/plain")
            path = data / "storage" / entry["key"] / "paper.txt"
            if entry["version"] < items * files and not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"Of pond {entry['version']} this says that it freezes from above.")
        elif entry["itemType"] == "journalArticle" and entry["version"] < changed:
            entry.update(title=f"Corrected: {entry['title']}", volume=str(number))
        raw.append(entry)
    write_database(data / "zotero.sqlite", [dataclasses.replace(made, items=raw)])


def phase(data: Path, workspace: Path) -> dict[str, Any]:
    """One sync, in this process."""
    from support.in_memory.converter import PlainTextConverter
    from support.in_memory.embedder import HashingEmbedder

    from citeloom.domain.library import SyncRequest
    from citeloom.domain.projects.project import ProjectId
    from citeloom.infrastructure.composition.application import open_application
    from citeloom.infrastructure.composition.workspace import Overrides

    overrides = Overrides(converter=PlainTextConverter(), embedder=HashingEmbedder)
    flags = {"zotero": {"data_dir": str(data)}}
    opened = open_application(workspace, flags, overrides=overrides)
    source = opened.library.source
    began = time.perf_counter(), time.process_time()
    source.status()
    status = time.perf_counter() - began[0]
    result = opened.ingest.library(source, SyncRequest(project_id=ProjectId.parse("bench")))
    seconds, cpu = time.perf_counter() - began[0] - status, time.process_time() - began[1]
    opened.close()
    statuses = [document.status.value for document in result.documents]
    return {
        "status_seconds": round(status, 2),
        "seconds": round(seconds, 2),
        "cpu_seconds": round(cpu, 2),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        **{name: statuses.count(name) for name in sorted(set(statuses))},
        "quick": bool(result.library and result.library.unchanged),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--files", type=float, default=1.0, help="share of items with a file")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--phase", action="store_true", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=wanted.folder) as made:
        folder = wanted.folder if wanted.phase else Path(made)
        data, workspace = folder / "Zotero", folder / "workspace"
        if wanted.phase:
            print(json.dumps(phase(data, workspace)))
            return
        library(wanted.items, wanted.files, data)
        print(f"{wanted.items} items, Python {platform.python_version()}", flush=True)
        for name in PHASES:
            if name == "touched":
                library(wanted.items, wanted.files, data)
            elif name == "changed":
                library(wanted.items, wanted.files, data, changed=CHANGED)
            command = [sys.executable, __file__, "--phase", "--folder", str(folder)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(done.stderr)
            print(f"{name}: {done.stdout.strip()}", flush=True)


if __name__ == "__main__":
    main()
