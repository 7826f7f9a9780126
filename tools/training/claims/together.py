"""All of it within a limit: pairs, candidates, their mean, students; writes the best of each start.

Reads DATA (folder with ``data.json.xz`` and ``tokenizer.json``), START (folder with start weights,
``NAME.npz``), OUT, LIMIT (seconds) and SCALE (1 for all).
"""

import json
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import torch

from network import start
from parts import Encoder, load
from scores import figures
from train import put

HERE = Path(__file__).parent
T0 = float(os.environ.get("T0") or time.time())
LIMIT = float(os.environ.get("LIMIT", "520"))
SCALE = float(os.environ.get("SCALE", "1"))
DATA = Path(os.environ["DATA"]) / "data.json.xz"
TOKENIZER = DATA.parent / "tokenizer.json"
START, OUT = Path(os.environ["START"]), Path(os.environ["OUT"])
WORK = Path(os.environ.get("WORK", "/tmp/judge-work"))
# Shares of the limit at which pairs, candidates and students have to be there.
MADE, TAUGHT, LEARNT = 0.14, 0.62, 0.92
MAKERS = int(os.environ.get("MAKERS", "5"))
# Of twelve layers, and the shipped one of six.
LARGE, SMALL = "bge", "six"
CANDIDATES: list[dict[str, Any]] = [
    {"name": "large1", "start": LARGE, "seed": 11, "rate": 2e-4},
    {"name": "small1", "start": SMALL, "seed": 14, "rate": 2.5e-4},
    {"name": "large2", "start": LARGE, "seed": 12, "rate": 4e-4},
    {"name": "large3", "start": LARGE, "seed": 13, "rate": 3e-4, "mixes": ["base", "heavy"]},
]
STUDENTS: list[dict[str, Any]] = [
    {"name": "student1", "start": LARGE, "seed": 31, "rate": 1.5e-4, "mixes": ["last", "heavy"]},
    {"name": "student2", "start": LARGE, "seed": 32, "rate": 3e-4, "mixes": ["base", "last"]},
    {"name": "pupil", "start": SMALL, "seed": 33, "rate": 2e-4, "mixes": ["last", "heavy"]},
]
if only := os.environ.get("ONLY"):
    CANDIDATES, STUDENTS = CANDIDATES[: int(only)], STUDENTS[::2]
LOG: dict[str, Any] = {"candidates": {}, "notes": []}


def gone() -> float:
    return time.time() - T0


def note(text: str) -> None:
    LOG["notes"].append(f"{gone():.0f} s: {text}")
    print(LOG["notes"][-1], flush=True)


def run(commands: list[list[str]], names: list[str], until: float) -> None:
    """All at once; killed ``until`` seconds after the start."""
    some = []
    for name, command in zip(names, commands, strict=True):
        log = (WORK / f"{name}.log").open("w")
        some.append(subprocess.Popen([sys.executable, *command], cwd=HERE, stdout=log,
                                     stderr=subprocess.STDOUT, start_new_session=True))  # fmt: skip
    for name, one in zip(names, some, strict=True):
        try:
            code = one.wait(timeout=max(0.1, until - gone()))
        except subprocess.TimeoutExpired:
            os.killpg(one.pid, signal.SIGKILL)
            code = "killed"
        if code:
            tail = (WORK / f"{name}.log").read_text()[-600:]
            note(f"{name}: ended with {code}: {tail}")


def train(options: list[dict[str, Any]], begin_limit: float, end: float) -> list[str]:
    common = {"work": str(WORK), "data": str(DATA), "tokenizer": str(TOKENIZER),
              "until": T0 + end, "seconds": end - begin_limit, "turn": 0.5}  # fmt: skip
    if SCALE < 1:
        common |= {"steps": max(3, int(1500 * SCALE)), "batch": 4}
    commands = [
        ["train.py", json.dumps(common | one | {"start": str(START / f"{one['start']}.npz")})]
        for one in options
    ]
    step = int(os.environ.get("AT_ONCE", "8"))
    for first in range(0, len(options), step):
        names = [one["name"] for one in options[first : first + step]]
        run(commands[first : first + step], names, end + 0.04 * LIMIT)
    done = []
    for one in options:
        path = WORK / f"{one['name']}.json"
        if path.exists():
            LOG["candidates"][one["name"]] = json.loads(path.read_text()) | {"start": one["start"]}
            done.append(one["name"])
    return done


def score(name: str) -> float:
    return float(LOG["candidates"][name]["score"])


def mean_of(names: list[str], to: str) -> None:
    parts = [dict(np.load(WORK / f"{name}.npz")) for name in names]
    np.savez(WORK / f"{to}.npz", **{k: np.mean([p[k] for p in parts], axis=0) for k in parts[0]})


class Judge:
    def __init__(self) -> None:
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._encode = Encoder(TOKENIZER)
        self._data = load(DATA)

    def measure(self, name: str, parts: list[str]) -> float:
        """Of the mean of the weights of ``parts``."""
        mean_of(parts, name)
        begun = LOG["candidates"][parts[0]]["start"]
        model = start(START / f"{begun}.npz", 0).to(self._device).eval()
        put(model, WORK / f"{name}.npz")
        found = figures(model, self._data, self._encode, self._device, -1)
        LOG["candidates"][name] = found | {"parts": parts, "start": begun}
        note(f"{name}: score {found['score']:.4f}")
        return float(found["score"])


def best_of(begun: str) -> list[str]:
    some = [name for name, one in LOG["candidates"].items() if one["start"] == begun]
    return sorted((n for n in some if (WORK / f"{n}.npz").exists()), key=score, reverse=True)


def write() -> None:
    """The best of each start as 8-bit numbers with a scale a row, and the log."""
    packed: dict[str, np.ndarray] = {}
    LOG["ranked"] = {begun: best_of(begun) for begun in (LARGE, SMALL)}
    for begun, names in LOG["ranked"].items():
        if not names:
            continue
        for name, value in np.load(WORK / f"{names[0]}.npz").items():
            if name.startswith("layers") and value.ndim == 2:
                scale = np.abs(value).max(1, keepdims=True) / 127 + 1e-12
                packed[f"{begun}/{name}"] = np.round(value / scale).astype(np.int8)
                packed[f"{begun}/{name}/scale"] = scale.astype(np.float32)
            else:
                packed[f"{begun}/{name}"] = value.astype(np.float16)
    np.savez_compressed(OUT / "next.npz", **packed)
    (OUT / "next.npz").rename(OUT / "final.npz")
    (OUT / "log.json").write_text(json.dumps(LOG))
    (OUT / "log.txt").write_text("\n".join(LOG["notes"]) + "\n")


def taught(options: list[dict[str, Any]], end: float, judge: Judge) -> None:
    done = train(options, gone(), end)
    note("trained: " + ", ".join(f"{n} {score(n):.4f}" for n in done))
    write()
    large = [one for one in best_of(LARGE) if one in done]
    for count in (3, 2):
        if len(large) >= count:
            judge.measure(f"mean of {', '.join(large[:count])}", large[:count])
    write()


def main() -> None:
    WORK.mkdir(parents=True, exist_ok=True)
    OUT.mkdir(parents=True, exist_ok=True)
    for old in WORK.glob("*"):
        old.unlink()
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
    note(f"begins on {device}, {os.cpu_count()} cores")
    names = [f"make{n}" for n in range(MAKERS)]
    source, until = [str(DATA), str(TOKENIZER), str(WORK)], T0 + MADE * LIMIT - 4
    shares = [str(MAKERS), str(min(2.0, SCALE * 2)), str(until)]
    commands = [["parts.py", *source, str(n), *shares] for n in range(MAKERS)]
    run(commands, names, MADE * LIMIT)
    LOG["made"] = [(WORK / f"{name}.log").read_text()[-300:] for name in names]
    note(f"{len(list(WORK.glob('part-*-[0-9].npz')))} parts of pairs")
    judge = Judge()
    taught(CANDIDATES, TAUGHT * LIMIT, judge)
    teachers = [n for n in best_of(LARGE) if "parts" not in LOG["candidates"][n]]
    more = {"teachers": [[str(START / f"{LARGE}.npz"), str(WORK / f"{n}.npz")] for n in teachers]}
    note(f"students of {teachers}")
    options = [
        one | more | {"init": str(WORK / f"{best_of(one['start'])[0]}.npz")}
        for one in STUDENTS
        if best_of(one["start"])
    ]
    taught(options, LEARNT * LIMIT, judge)
    note("ends")
    write()


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        note(traceback.format_exc())
        write()
        raise
