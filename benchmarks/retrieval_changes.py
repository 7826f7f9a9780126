"""Whether retrieval is as good as in an older tree: one table of both.

usage: python benchmarks/retrieval_changes.py BEFORE DATASET... [--keep FOLDER] [--terms 200]
           [--documents N] [--within 0.002]

BEFORE is a checkout, or an interpreter with CiteLoom in it; DATASET a folder in BEIR layout
(citint_beir.py makes one of Citation-Integrity). benchmarks/retrieval.py runs in both, dense,
sparse and hybrid, on the judged questions and on exact terms. With --keep their projects stay in
FOLDER, and the next run embeds nothing. Exits with 1 where a figure fell by more than --within.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from ingest_speed import HERE, product, revision

MODES = ("dense", "sparse", "hybrid")
Figures = Mapping[tuple[str, str], Sequence[str]]


def figures(printed: str) -> Figures:
    """The cells of each row of retrieval.py's tables that is one of the modes, by table and
    mode."""
    found: dict[tuple[str, str], Sequence[str]] = {}
    title = ""
    for line in printed.splitlines():
        if line.startswith("### "):
            title = line.removeprefix("### ").split(",")[0]
        elif line.startswith("|"):
            name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
            if name in MODES:
                found[title, name] = cells
    return found


def retrieval(command: Sequence[str], environment: Mapping[str, str]) -> Figures:
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=dict(environment))
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}")
    return figures(done.stdout)


def rows(dataset: str, before: Figures, now: Figures) -> tuple[list[str], list[float]]:
    """Lines of the table, and the change of nDCG@10 in each."""
    lines, changes = [], []
    for key, cells in now.items():
        change = float(cells[0]) - float(before[key][0])
        title, mode = key
        what = title if "exact terms" in title else "questions"
        lines.append(
            f"| {dataset} | {what} | {mode} | {before[key][0]} | {cells[0]} | {change:+.4f} | "
            f"{before[key][1]} | {cells[1]} |"
        )
        changes.append(change)
    return lines, changes


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("datasets", type=Path, nargs="+")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--terms", type=int, default=200)
    parser.add_argument("--documents", type=int)
    parser.add_argument("--within", type=float, default=0.002)
    options = parser.parse_args()
    print(f"{datetime.now(UTC):%Y-%m-%d} {platform.platform()} {os.cpu_count()} processors; "
          f"before {revision(options.before)}, this tree {revision(HERE.parent)}\n\n"
          "| data | | mode | nDCG@10 before | now | change | recall@10 before | now |\n"
          "|---|---|---|---:|---:|---:|---:|---:|", flush=True)  # fmt: skip
    worst = 0.0
    with tempfile.TemporaryDirectory() as name:
        trees = [
            product("before", options.before, Path(name)),
            product("this-tree", HERE.parent, Path(name)),
        ]
        for dataset in options.datasets:
            found = []
            for tree in trees:
                began = time.perf_counter()
                keep = (options.keep or Path(name) / "kept") / f"{dataset.name}-{tree.name}"
                command = [
                    tree.command[0], str(HERE / "retrieval.py"), str(dataset), "--untuned",
                    "--modes", ",".join(MODES), "--keep", str(keep), "--terms", str(options.terms),
                ]  # fmt: skip
                command += ["--documents", str(options.documents)] if options.documents else []
                found.append(retrieval(command, tree.environment))
                seconds = time.perf_counter() - began
                print(f"{dataset.name}, {tree.name}: {seconds:.0f} s", file=sys.stderr)
            lines, changes = rows(dataset.name, *found)
            print("\n".join(lines), flush=True)
            worst = min(worst, *changes)
    return 1 if round(worst, 4) < -options.within else 0


if __name__ == "__main__":
    sys.exit(main())
