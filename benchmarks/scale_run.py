"""One store of the scale benchmark, in a process of its own.

usage: python benchmarks/scale_run.py fill|ask|optimize|drop STORE FOLDER

FOLDER is what ``scale_data`` made; the store keeps its files beside. Prints one JSON document.
"""

import importlib.metadata
import json
import os
import re
import resource
import sys
import threading
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

BATCH = 1000
WARM_UP = 5


def store(name: str, folder: Path) -> Any:
    from scale_peers import PEERS

    filled_by = getattr(PEERS.get(name), "filled_by", name)
    place = folder / "-".join(re.findall(r"\w+", filled_by))
    place.mkdir(exist_ok=True)
    if name.startswith("citeloom"):
        from scale_product import Product

        return Product(place)
    return PEERS[name](place)


def fill(name: str, folder: Path) -> dict[str, Any]:
    import numpy as np
    from scale_data import passages

    opened = store(name, folder)
    if name.startswith("citeloom"):
        seconds = opened.fill(folder)
        opened.close()
    else:
        dense, rows = np.load(folder / "dense.npy"), passages(folder)
        seconds = 0.0
        while batch := list(islice(rows, BATCH)):
            filled = [
                (p["number"], p["year"], " ".join(p["sentences"]), dense[p["number"]])
                for p in batch
            ]
            seconds += _timed(lambda filled=filled: opened.fill(filled))
        seconds += _timed(opened.finish)
    versions = [f"{p} {importlib.metadata.version(p)}" for p in opened.packages]
    return {"versions": versions, "fill_s": seconds, "fill_mb": _peak()}


def ask(name: str, folder: Path) -> dict[str, Any]:
    import numpy as np
    from scale_data import FILTER

    texts = json.loads((folder / "queries.json").read_text("utf-8"))
    vectors, truth = np.load(folder / "queries.npy"), np.load(folder / "truth.npy")
    opened: Any = None

    def first() -> None:
        nonlocal opened
        opened = store(name, folder)
        opened.hybrid(vectors[0], texts[0])

    seconds = _timed(first)
    kinds: dict[str, Callable[[int], object]] = {
        "dense": lambda n: opened.dense(vectors[n]),
        "sparse": lambda n: opened.sparse(texts[n]),
        "hybrid": lambda n: opened.hybrid(vectors[n], texts[n]),
        "filtered": lambda n: opened.hybrid(vectors[n], texts[n], FILTER),
    }
    if hasattr(opened, "query"):
        kinds["query"] = lambda n: opened.query(texts[n])
    times: dict[str, list[float]] = {kind: [] for kind in kinds}
    spent = dict.fromkeys(kinds, 0.0)
    for number in range(len(texts)):
        for kind, run in kinds.items():
            began = time.process_time()
            took = _timed(lambda run=run, number=number: run(number))
            if number >= WARM_UP:
                times[kind].append(took)
                spent[kind] += time.process_time() - began
    found = [
        len({*opened.nearest(v)} & {*t.tolist()}) / len(t)
        for v, t in zip(vectors, truth, strict=True)
    ]
    rows = {f"{kind}_{p}": _percentile(t, p) for kind, t in times.items() for p in (50, 95)}
    rows |= {f"{kind}_cpu": spent[kind] / len(times[kind]) * 1000 for kind in kinds}
    return {"open_ms": seconds * 1000, "recall": sum(found) / len(found), "mb": _peak(), **rows}


def optimize(name: str, folder: Path) -> dict[str, Any]:
    """Build the graph while queries go on; nothing if it is not wanted."""
    import numpy as np

    opened = store(name, folder)
    texts = json.loads((folder / "queries.json").read_text("utf-8"))
    vectors = np.load(folder / "queries.npy")
    ended, waits = threading.Event(), []

    def stream() -> None:
        number = 0
        while not ended.wait(0.1):
            n = number % len(texts)
            waits.append(_timed(lambda n=n: opened.hybrid(vectors[n], texts[n])))
            number += 1

    opened.hybrid(vectors[0], texts[0])
    asking = threading.Thread(target=stream)
    asking.start()
    began = time.perf_counter()
    built = opened.optimize()
    seconds = time.perf_counter() - began
    ended.set()
    asking.join()
    opened.close()
    if not built:
        return {}
    child = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "optimize_s": seconds,
        "optimize_cpu_s": child.ru_utime + child.ru_stime,
        "optimize_mb": child.ru_maxrss / 1024,
        "meanwhile_queries": len(waits),
        "meanwhile_50": _percentile(waits, 50),
        "meanwhile_longest": max(waits) * 1000,
    }


def drop(name: str, folder: Path) -> dict[str, Any]:
    """Remove what a server holds for the store."""
    opened = store(name, folder)
    opened.drop()
    opened.close()
    return {}


def disk(folder: Path) -> float:
    """MB that all files of the folder take."""
    files = (Path(base) / name for base, _, names in os.walk(folder) for name in names)
    return sum(path.stat().st_blocks for path in files) * 512 / 2**20


def _timed(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def _percentile(times: Sequence[float], percent: int) -> float:
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, percent * len(ordered) // 100)] * 1000


def _peak() -> float:
    """MB. Where the system tells it, of this program alone: what ``getrusage`` knows begins with
    the size of the process that started it."""
    status = Path("/proc/self/status")
    if status.is_file():
        return float(re.findall(r"VmHWM:\s*(\d+)", status.read_text())[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    step, name, place = sys.argv[1:]
    run = {"fill": fill, "ask": ask, "optimize": optimize, "drop": drop}[step]
    sys.stdout.write(json.dumps(run(name, Path(place))) + "\n")
