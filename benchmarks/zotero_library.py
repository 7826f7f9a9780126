"""How long a large Zotero library takes: its status, all of it, and the memory that needs.

usage: python benchmarks/zotero_library.py [--items N] [--database PATH]

Makes a database of N items (10,000), each with a file, every third with an annotation and
every fifth with a note, or takes the one that is named. Prints wall and processor time of
the best of three, and the most memory that was in use (resident set, Linux and macOS).
"""

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from citeloom.domain.library import LibraryScope
from citeloom.infrastructure.library.database import ZoteroDatabase, find_zotero

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from support.zotero.library import many, write_database

MIB = 2**20


def best(what: Callable[[], object]) -> tuple[float, float]:
    """Wall and processor time in seconds, each the least of three runs."""
    runs = []
    for _ in range(3):
        wall, processor = time.perf_counter(), time.process_time()
        what()
        runs.append((time.perf_counter() - wall, time.process_time() - processor))
    return min(run[0] for run in runs), min(run[1] for run in runs)


def memory() -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MIB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--database", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = options.database
        if database is None:
            database = Path(folder) / "zotero.sqlite"
            write_database(database, [many(options.items)])
        source = ZoteroDatabase(find_zotero(str(database)))
        empty = memory()
        status = source.status()
        print(f"{database.stat().st_size / MIB:.0f} MiB, {status.items:,} items")
        for name, what in (
            ("status", source.status),
            ("all items", lambda: source.snapshot(LibraryScope(groups=("*",)))),
        ):
            wall, processor = best(what)
            print(f"{name}: {wall:.2f} s ({processor:.2f} s of processor), {memory():.0f} MiB")
        print(f"before: {empty:.0f} MiB")


if __name__ == "__main__":
    main()
