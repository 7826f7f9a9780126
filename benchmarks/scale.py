"""How the index grows: speed, recall, memory and disk by size, side by side with peers.

usage: python benchmarks/scale.py DATASET [--sizes 10000] [--peers PYTHON] [--only STORE]...
           [--server URL] [--queries 60] [--sentences 20000] [--run 4] [--cache FOLDER]
           [--keep FOLDER]
       python benchmarks/scale.py --documents 1000,10000 [--keep FOLDER]

With --documents it measures what grows with the documents of a project (see scale_documents.py).

DATASET is a folder in BEIR layout (corpus.jsonl, queries.jsonl). Its sentences are embedded
once and kept in the cache; passages are mixed from them (see scale_data.py). PYTHON is the
interpreter of an environment with benchmarks/requirements.txt; without it, only CiteLoom is
measured; with --server also with its index on that Qdrant server, which is waited for until it
has nothing left to do (RAM and disk are then those of CiteLoom alone). --run is the number of
sentences in each of a passage's two runs. All stores get the same vectors, texts, questions and
filter, one after another on the same machine, each filled and asked in a process of its own.
Prints Markdown tables.

insert/s   passages a second until all can be searched, indexes included
open       from nothing open to the first hybrid answer, libraries' imports included
dense, sparse, hybrid, filtered
           p50 / p95 in ms of the ten best with their texts; the question is embedded before.
           Hybrid takes 100 candidates a side; the filter lets a fifth of the passages through.
           CiteLoom scores and stores the sentences (8 a passage) besides, which no other does.
CPU        processor ms of a hybrid query, which other users of the machine disturb less
ratio      of the hybrid p50, and of its CPU, to CiteLoom's (above 1: slower)
recall     share of the ten nearest vectors among the first ten of hybrid's hundred candidates
query      the whole verb, with embedding the question, folding of copies and citation
RAM, disk  peak MB of the asking process, memory maps included; MB of the store's files
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scale_data import RUN, embed_dataset, make_passages
from scale_documents import documents_table
from scale_peers import PEERS
from scale_run import disk

from citeloom.infrastructure.settings.sections import IndexSettings

HERE = Path(__file__).resolve().parent
PRODUCT, ON_SERVER = "citeloom", "citeloom on a server"
URL_SETTING = "CITELOOM_INDEX__URL"
KINDS = ("dense", "sparse", "hybrid", "filtered")
Measured = dict[str, Any]


def measure(
    name: str, folder: Path, peers: str | None, measured: Mapping[str, Measured]
) -> dict[str, Measured]:
    """The store's row by its label; two for CiteLoom where it builds a graph."""
    python = sys.executable if name.startswith(PRODUCT) else peers
    before = disk(folder)
    filled = measured.get(getattr(PEERS.get(name), "filled_by", ""))
    row = dict(filled) if filled else _run(python, "fill", name, folder)
    row |= _run(python, "ask", name, folder)
    if not filled:
        row["disk"] = disk(folder) - before
    if name == ON_SERVER:
        _run(python, "drop", name, folder)
    if name != PRODUCT:
        return {name: row}
    built = _run(python, "optimize", name, folder)
    if not built:
        return {name: row}
    again = row | built | _run(python, "ask", name, folder)
    again["disk"] = disk(folder) - before
    again["fill_s"] += built["optimize_s"]
    return {"citeloom, exact": row, name: again}


def _run(python: str | None, step: str, name: str, folder: Path) -> Measured:
    command = [str(python), str(HERE / "scale_run.py"), step, name, str(folder)]
    quiet = {**os.environ, "RUST_LOG": "error", "LANCE_LOG": "error"}
    if name != ON_SERVER:
        quiet.pop(URL_SETTING, None)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=quiet)
    found: Measured = json.loads(done.stdout.splitlines()[-1])
    return found


def table(size: int, rows: Mapping[str, Measured]) -> str:
    own = rows.get(PRODUCT)
    lines = [
        f"### {size:,} passages",
        "",
        "| store | insert/s | open ms | dense | sparse | hybrid | filtered | ratio | CPU | ratio | "
        "recall | RAM | disk |",
        "|---|" + "---:|" * 12,
    ]
    for name, row in rows.items():
        ratios = [f"{row[k] / own[k]:.1f}" if own else "–" for k in ("hybrid_50", "hybrid_cpu")]
        cells = [
            name,
            f"{size / row['fill_s']:.0f}",
            f"{row['open_ms']:.0f}",
            *(f"{row[f'{k}_50']:.1f} / {row[f'{k}_95']:.1f}" for k in KINDS),
            ratios[0],
            f"{row['hybrid_cpu']:.1f}",
            ratios[1],
            f"{row['recall']:.3f}",
            f"{row['mb']:.0f}",
            f"{row['disk']:.0f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *map(_remark, [row for name, row in rows.items() if name.startswith(PRODUCT)])]
    return "\n".join(lines)


def _remark(row: Mapping[str, Any]) -> str:
    text = f"query p50 {row['query_50']:.0f}, p95 {row['query_95']:.0f} ms"
    if "optimize_s" in row:
        text += (
            f" with the graph; it took {row['optimize_s']:.0f} s ({row['optimize_cpu_s']:.0f} s of "
            f"processor time, {row['optimize_mb']:.0f} MB) to build, while "
            f"{row['meanwhile_queries']} queries were answered, p50 {row['meanwhile_50']:.0f} ms, "
            f"the longest after {row['meanwhile_longest'] / 1000:.1f} s"
        )
    return f"CiteLoom: {text}."


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dataset", type=Path, nargs="?")
    parser.add_argument("--documents", help="measure projects of so many documents instead")
    parser.add_argument("--sizes", default="10000")
    parser.add_argument("--peers", help="interpreter with the peers")
    parser.add_argument("--only", action="append", choices=[PRODUCT, *PEERS])
    parser.add_argument("--server", help="URL of a Qdrant server that has no project bench")
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--run", type=int, default=RUN)
    parser.add_argument(
        "--cache", type=Path, default=Path(tempfile.gettempdir()) / "citeloom-scale"
    )
    parser.add_argument("--keep", type=Path, help="keep the stores in this folder")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    print(f"{datetime.now(UTC):%Y-%m-%d} {platform.platform()} {os.cpu_count()} processors, "
          f"load {load:.1f}, graph above {IndexSettings().exact_up_to:,} passages\n")  # fmt: skip
    if options.documents:
        print(documents_table([int(size) for size in options.documents.split(",")], options.keep))
        return
    if options.dataset is None:
        parser.error("name a DATASET, or --documents")
    embed_dataset(options.dataset, options.cache, options.sentences, options.queries)
    if options.server:
        os.environ[URL_SETTING] = options.server
    names = [PRODUCT, *([ON_SERVER] if options.server else ()), *(PEERS if options.peers else ())]
    for size in map(int, options.sizes.split(",")):
        with ExitStack() as stack:
            if options.keep:
                folder = options.keep / str(size)
                folder.mkdir(parents=True)
            else:
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            make_passages(options.cache, folder, size, run=options.run)
            rows: dict[str, Measured] = {}
            for name in names:
                if name in (options.only or names) or name == ON_SERVER:
                    rows |= measure(name, folder, options.peers, rows)
        print(table(size, rows), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
