"""All of it within a limit: pairs, candidates, their mean, students; writes the best two.

Reads DATA (folder with ``data.json.z``), START, OUT, LIMIT (seconds) and SCALE (1 for all).
"""

import json
import os
import signal
import subprocess
import sys
import time
import traceback
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import torch

from network import start
from parts import Encoder, load
from scores import figures, probabilities
from train import put

HERE = Path(__file__).parent
T0 = float(os.environ.get("T0") or time.time())
LIMIT = float(os.environ.get("LIMIT", "520"))
SCALE = float(os.environ.get("SCALE", "1"))
DATA = Path(os.environ["DATA"]) / "data.json.z"
START, OUT = Path(os.environ["START"]), Path(os.environ["OUT"])
WORK = Path(os.environ.get("WORK", "/tmp/judge-work"))
# Shares of the limit at which pairs, candidates and students have to be there.
MADE, TAUGHT, LEARNT = 0.13, 0.64, 0.93
MAKERS = int(os.environ.get("MAKERS", "9"))
CANDIDATES: list[dict[str, Any]] = [
    *({"name": f"fold{n}", "fold": n, "seed": 10 + n} for n in range(5)),
    {"name": "unclaimed", "fold": -2, "seed": 21, "mixes": ["rules", "last"]},
    {"name": "fast", "seed": 22, "rate": 6e-4},
    {"name": "heavy", "seed": 23, "mixes": ["base", "heavy"]},
]
STUDENTS: list[dict[str, Any]] = [
    {"name": "student1", "seed": 31, "rate": 1.5e-4, "mixes": ["base", "last"], "turn": 0.4},
    {"name": "student2", "seed": 32, "rate": 3e-4, "mixes": ["base", "last"], "turn": 0.4},
    {"name": "student3", "seed": 33, "rate": 1.5e-4, "mixes": ["last", "heavy"], "turn": 0.5},
]
if only := os.environ.get("ONLY"):
    CANDIDATES, STUDENTS = CANDIDATES[: int(only)], STUDENTS[:1]
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
    common = {"work": str(WORK), "data": str(DATA), "start": str(START), "until": T0 + end,
              "seconds": end - begin_limit}  # fmt: skip
    if SCALE < 1:
        common |= {"steps": max(3, int(1500 * SCALE)), "batch": 4}
    commands = [["train.py", json.dumps(common | one)] for one in options]
    step = int(os.environ.get("AT_ONCE", "8"))
    for first in range(0, len(options), step):
        names = [one["name"] for one in options[first : first + step]]
        run(commands[first : first + step], names, end + 0.04 * LIMIT)
    done = []
    for one in options:
        path = WORK / f"{one['name']}.json"
        if path.exists():
            LOG["candidates"][one["name"]] = json.loads(path.read_text())
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
        self._model = start(START, 0).to(self._device).eval()
        self._encode = Encoder(START / "tokenizer.json")
        self._data = load(DATA)

    def measure(self, name: str, **more: Any) -> float:
        put(self._model, WORK / f"{name}.npz")
        found = figures(self._model, self._data, self._encode, self._device, -1)
        LOG["candidates"][name] = found | more
        note(f"{name}: score {found['score']:.4f}")
        return float(found["score"])

    def read_extra(self) -> None:
        """Readings of pairs that play no part in choosing, by the two that are written."""
        path = DATA.parent / "extra.z"
        if not path.exists():
            return
        extra = json.loads(zlib.decompress(path.read_bytes()))
        pairs = [(extra["claims"][a], extra["texts"][b]) for a, b in extra["pairs"]]
        for name in [LOG["ranked"][0], *LOG.get("second", [])]:
            put(self._model, WORK / f"{name}.npz")
            shares = probabilities(self._model, pairs, self._encode, self._device)
            LOG.setdefault("extra", {})[name] = np.round(10000 * shares[:, 1:]).astype(int).tolist()
            note(f"read {len(pairs)} pairs by {name}")


def write() -> None:
    """The best as half-precision floats in two files, the next as 8-bit numbers, the log."""
    ranked = sorted(LOG["candidates"], key=score, reverse=True)
    ranked = [one for one in ranked if (WORK / f"{one}.npz").exists()]
    if ranked:
        best = dict(np.load(WORK / f"{ranked[0]}.npz"))
        names, half = sorted(best), sum(v.size for v in best.values()) / 2
        parts: list[dict[str, np.ndarray]] = [{}, {}]
        size = 0
        for name in names:
            parts[size >= half - 1e5][name] = best[name].astype(np.float16)
            size += best[name].size
        for number, part in enumerate(parts, 1):
            np.savez(OUT / f"judge-weights-{number}.npz", **part)
    learnt = ("student", "everyone")
    others = [n for n in ranked if n.startswith(learnt) != ranked[0].startswith(learnt)]
    if second := (others or ranked[1:])[:1]:
        LOG["second"] = second
        packed = {}
        for name, value in np.load(WORK / f"{second[0]}.npz").items():
            if value.ndim == 2:
                scale = np.abs(value).max(1, keepdims=True) / 127 + 1e-12
                packed[name] = np.round(value / scale).astype(np.int8)
                packed[f"{name}/scale"] = scale.astype(np.float32)
            else:
                packed[name] = value.astype(np.float32)
        np.savez(OUT / "judge-second.npz", **packed)
    LOG["ranked"] = ranked
    (OUT / "judge-log.json").write_text(json.dumps(LOG))


def main() -> None:
    WORK.mkdir(parents=True, exist_ok=True)
    OUT.mkdir(parents=True, exist_ok=True)
    for old in WORK.glob("*"):
        old.unlink()
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
    note(f"begins on {device}, {os.cpu_count()} cores")
    names = [f"make{n}" for n in range(MAKERS)]
    source, until = [str(DATA), str(START / "tokenizer.json"), str(WORK)], T0 + MADE * LIMIT - 4
    shares = [str(MAKERS), str(min(2.0, SCALE * 2)), str(until)]
    commands = [["parts.py", *source, str(n), *shares] for n in range(MAKERS)]
    run(commands, names, MADE * LIMIT)
    LOG["made"] = [(WORK / f"{name}.log").read_text()[-300:] for name in names]
    note(f"{len(list(WORK.glob('part-*.npz')))} parts of pairs")
    done = train(CANDIDATES, gone(), TAUGHT * LIMIT)
    note("candidates: " + ", ".join(f"{n} {score(n):.4f}" for n in done))
    write()
    judge = Judge()
    ranked = sorted(done, key=score, reverse=True)
    kept, best = ranked[:1], score(ranked[0])
    for count in (len(ranked), 5, 3):
        if 1 < count <= len(ranked):
            mean_of(ranked[:count], f"mean{count}")
            judge.measure(f"mean{count}", parts=ranked[:count])
    for name in ranked[1:]:
        mean_of([*kept, name], "greedy")
        found = judge.measure("greedy", parts=[*kept, name])
        if found > best:
            kept, best = [*kept, name], found
    mean_of(kept, "greedy")
    judge.measure("greedy", parts=kept)
    write()
    teachers = ranked[:6]
    init = max((n for n in LOG["candidates"]), key=score)
    note(f"students of {teachers} from {init}")
    more = {"teachers": [str(WORK / f"{n}.npz") for n in teachers],
            "init": str(WORK / f"{init}.npz")}  # fmt: skip
    taught = train([one | more for one in STUDENTS], gone(), LEARNT * LIMIT)
    note("students: " + ", ".join(f"{n} {score(n):.4f}" for n in taught))
    write()
    if len(taught) > 1:
        mean_of(taught, "students")
        judge.measure("students", parts=taught)
        mean_of([*taught, init], "everyone")
        judge.measure("everyone", parts=[*taught, init])
    write()
    try:
        judge.read_extra()
    except Exception:
        note(traceback.format_exc())
    note("ends")
    write()


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        note(traceback.format_exc())
        write()
        raise
