"""Ingest of a folder of PDFs from nothing, beside an older tree and peers, in turns.

usage: python benchmarks/ingest_speed.py FOLDER [--references FILE] [--first N] [--copies N]
           [--before PYTHON|TREE] [--peers PYTHON --model FOLDER] [--rounds N] [--searchable]
           [--only-first]

--first takes the first so many PDFs by name; --copies makes so many of them (ingest_copies.py).
--before is a checkout, run by this interpreter, or an interpreter with CiteLoom in it. --peers is
the interpreter of an environment with benchmarks/requirements.txt, which needs no CiteLoom; what
its rows are stands in ingest_peers.py; --model is a folder with model.onnx and its tokenizer.
Each contender runs once a round, in a new workspace; the tables show medians of the rounds. Peers
have no vectors of sentences, so beside them this tree runs without them too.

CPU is the time of all processes; peaks are of resident memory, of the process and of the largest
below it. Ratios are wall and CPU time to those of this tree. *again* is a second run with nothing
changed, *second project* the same files in another project of the workspace.
--searchable adds runs of their own: a process beside the ingest asks four times a second, and the
time is told when it has found a passage. --only-first leaves out *again* and *second project*.
"""

import argparse
import ctypes
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ingest_copies import copies, papers
from ingest_runs import Contender, ingest, measured, searchable

HERE = Path(__file__).resolve().parent
PEERS = ("zotero-mcp", "passages", "fastembed", "llamaindex", "chroma", "paperqa")
LABELS = {"passages": "zotero-mcp, passages"}
# Runs of CiteLoom in one workspace, and their project.
RUNS = (("first", "bench"), ("again", "bench"), ("second", "second"))
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: workers that outlive their parent become our children


@dataclass
class Rounds:
    """What one contender's runs measured, by run (first, again …), one row a round."""

    rows: dict[str, list[dict[str, float]]] = field(default_factory=dict)
    versions: str = ""

    def median(self, run: str, figure: str) -> float | None:
        found = [row[figure] for row in self.rows.get(run, []) if figure in row]
        return statistics.median(found) if found else None

    def shown(self, run: str, figure: str, places: int) -> str:
        value = self.median(run, figure)
        return "–" if value is None else f"{value:.{places}f}"


def product(name: str, place: Path, packages: Path, *options: str) -> Contender:
    """CiteLoom of a checkout, or of an interpreter's environment; ``options`` of its ingest."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CITELOOM_")}
    environment.pop("PYTHONPATH", None)
    python = str(place)
    if place.is_dir():
        folder = packages / name
        folder.mkdir()
        (folder / "citeloom").symlink_to((place / "src").absolute(), target_is_directory=True)
        environment["PYTHONPATH"], python = str(folder), sys.executable
    return Contender(name, [python, "-m", "citeloom"], environment, options)


def run_round(
    contenders: Sequence[Contender], folder: Path, options: argparse.Namespace
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Name, run and figures."""
    arguments = [str(folder)]
    arguments += ["--references", str(options.references)] if options.references else []
    for contender in contenders:
        with tempfile.TemporaryDirectory() as temporary:
            work = Path(temporary) / "work"
            if contender.options is None:
                row = measured([*contender.command, str(work)], contender.environment)
                yield contender.name, "first", row | row.pop("printed")
                continue
            asked = [*arguments, *contender.options]
            for run, project in RUNS[: 1 if options.only_first else None]:
                yield contender.name, run, ingest(contender, asked, work, project)
            if options.searchable:
                found = searchable(contender, asked, Path(temporary) / "searched")
                yield contender.name, "searchable", found


def table(results: Mapping[str, Rounds]) -> str:
    lines = [
        "| | wall s | CPU s | documents | pages | passages | pages/s | passages/s | "
        "CPU ms a passage | parent MB | worker MB | wall ratio | CPU ratio |",
        "|---|" + "---:|" * 12,
    ]
    wall, cpu = (results["this tree"].median("first", figure) or 0 for figure in ("wall", "cpu"))
    for name, rounds in results.items():
        row = {
            figure: rounds.median("first", figure) or 0
            for figure in ("wall", "cpu", "documents", "pages", "passages", "parent", "worker")
        }
        cells = [
            f"{row['wall']:.1f}", f"{row['cpu']:.1f}", f"{row['documents']:.0f}",
            f"{row['pages']:.0f}", f"{row['passages']:.0f}", f"{row['pages'] / row['wall']:.1f}",
            f"{row['passages'] / row['wall']:.1f}", f"{row['cpu'] / row['passages'] * 1000:.0f}",
            f"{row['parent']:.0f}", f"{row['worker']:.0f}" if row["worker"] else "–",
            f"{row['wall'] / wall:.2f}", f"{row['cpu'] / cpu:.2f}",
        ]  # fmt: skip
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += [
        "",
        "| | again s | converted, written | second project s | CPU s | searchable after s |",
        "|---|" + "---:|" * 5,
    ]
    for name, rounds in results.items():
        if rounds.median("first", "converted") is None:  # a peer
            continue
        anew = [rounds.shown("again", figure, 0) for figure in ("converted", "written")]
        cells = [
            rounds.shown("again", "wall", 2),
            ", ".join(anew),
            rounds.shown("second", "wall", 1),
            rounds.shown("second", "cpu", 1),
            rounds.shown("searchable", "wall", 1),
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def chosen(options: argparse.Namespace, temporary: Path) -> Path:
    """The folder to ingest."""
    if not options.first and not options.copies:
        return options.folder
    folder = temporary / "papers"
    folder.mkdir()
    if options.copies:
        copies(options.folder, folder, options.copies)
    else:
        for paper in papers(options.folder)[: options.first]:
            shutil.copyfile(paper, folder / paper.name)
    return folder


def revision(tree: Path) -> str:
    command = ["git", "-C", str(tree), "describe", "--always", "--dirty"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() or "no revision"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--references", type=Path)
    parser.add_argument("--first", type=int)
    parser.add_argument("--copies", type=int)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--peers")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--searchable", action="store_true")
    parser.add_argument("--only-first", action="store_true")
    options = parser.parse_args()
    if options.peers and not options.model:
        parser.error("--peers needs --model")
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    print(f"{datetime.now(UTC):%Y-%m-%d} {platform.platform()} {os.cpu_count()} processors, "
          f"Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}")  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        temporary = Path(name)
        folder = chosen(options, temporary)
        contenders = [product("before", options.before, temporary)] if options.before else []
        contenders.append(product("this tree", HERE.parent, temporary))
        if options.peers:
            alone = product("without sentences", HERE.parent, temporary, "--no-sentences")
            contenders.append(alone)
        results = {contender.name: Rounds() for contender in contenders}
        for peer in PEERS if options.peers else ():
            command = [options.peers, str(HERE / "ingest_peers.py"), peer, str(folder)]
            command += [str(options.model)]
            contenders.append(Contender(LABELS.get(peer, peer), command, os.environ))
            results[contenders[-1].name] = Rounds()
        for number in range(options.rounds):
            # Every other round backwards, so that a machine that slows down favours nobody.
            order = contenders[:: -1 if number % 2 else 1]
            for contender, run, row in run_round(order, folder, options):
                results[contender].versions = row.pop("versions", "")
                results[contender].rows.setdefault(run, []).append(row)
                shown = {"who": contender, "run": run} | {k: round(v, 2) for k, v in row.items()}
                print(json.dumps(shown), file=sys.stderr)
        trees = [f"before {revision(options.before)}"] if options.before else []
        trees += [f"this tree {revision(HERE.parent)}"]
        print("; ".join([*trees, *(r.versions for r in results.values() if r.versions)]))
        print(f"\n{table(results)}")
        if options.peers:
            command = [options.peers, str(HERE / "ingest_peers.py"), "coverage", str(folder)]
            done = subprocess.run([*command, str(options.model)], capture_output=True, check=True)
            shares = json.loads(done.stdout).items()
            embedded = ", ".join(f"{LABELS.get(peer, peer)} {share:.0%}" for peer, share in shares)
            print(f"\nOf the text that it reads, vectors stand for: {embedded}.")


if __name__ == "__main__":
    main()
