"""Train, compare and mix rerankers within a wall-clock budget.

python train.py all|one NAME|student NAME|bi NAME
"""

import json
import os
import queue
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from bank import DEVICE, WORK, Bank, Sets, auto, batch_of, summary
from network import Network, learnt, mixed, started

START, OUT = (Path(os.environ[x]) for x in ("START", "OUT"))
BEGAN = float(os.environ.get("BEGAN", time.time()))
LIMIT = float(os.environ.get("LIMIT", "520"))
GROUPS = int(os.environ.get("GROUPS", "24" if DEVICE == "cuda" else "4"))
NEGATIVES, HARD, FIRST = 7, 8, 10.0
GENERAL = {
    "made": 0.34,
    "paper": 0.12,
    "title": 0.05,
    "fever": 0.07,
    "trial": 0.08,
    "summary": 0.05,
    "written": 0.15,
    "unanswered": 0.03,
    "pubmedqa": 0.05,
    "scifact": 0.06,
    "claimed": 0.06,
    "own": 0.04,
}
TARGET = {
    "made": 0.12,
    "paper": 0.08,
    "title": 0.02,
    "fever": 0.03,
    "trial": 0.05,
    "summary": 0.05,
    "written": 0.38,
    "unanswered": 0.07,
    "pubmedqa": 0.08,
    "scifact": 0.12,
    "claimed": 0.12,
    "own": 0.1,
}
ASKED = (
    GENERAL | {"scifact": 0.0, "title": 0.0},
    TARGET | {"scifact": 0.0, "title": 0.0, "claimed": 0.05, "written": 0.5, "own": 0.15},
)
CLAIMS = GENERAL, TARGET | {"scifact": 0.3, "claimed": 0.25, "written": 0.2}
BROAD = GENERAL | {"made": 0.5, "paper": 0.2}, TARGET | {"made": 0.3, "paper": 0.2, "written": 0.25}
#: name: mixtures (first part, last part), rate, seed, dropout
RECIPES = {
    "r0": ((GENERAL, TARGET), 1e-4, 1, 0.1),
    "r1": ((GENERAL, TARGET), 2e-4, 2, 0.1),
    "r2": (ASKED, 1.2e-4, 3, 0.1),
    "r3": (CLAIMS, 1.2e-4, 4, 0.1),
    "r4": (BROAD, 1.5e-4, 5, 0.1),
}
STUDENTS = {"s0": 1.0e-4, "s1": 1.0e-4}


def elapsed() -> float:
    return time.time() - BEGAN


def log(*told) -> None:
    print(f"[{elapsed():6.1f}]", *told, flush=True)


class Groups:
    """Batches of groups, made in a thread: parts of like length, and where each pair belongs."""

    def __init__(self, bank: Bank, mixtures, seed: int, until: float, began: float) -> None:
        self.bank, self.mixtures, self.rng = bank, mixtures, random.Random(seed)
        self.until, self.began, self.size = until, began, GROUPS
        self.waiting: queue.Queue = queue.Queue(6)
        threading.Thread(target=self._fill, daemon=True).start()

    def _group(self, mixture) -> tuple[list, list[float], bool]:
        rng, bank = self.rng, self.bank
        kinds = [k for k in mixture if mixture[k] and bank.by_kind.get(k)]
        kind = rng.choices(kinds, [mixture[k] for k in kinds])[0]
        n = rng.choice(bank.by_kind[kind])
        right = int(bank.right[n])
        others = [s for s in range(right, bank.cands.shape[1]) if bank.cands[n, s] >= 0]
        want = NEGATIVES + (0 if right else 1)
        slots = rng.sample(others[:HARD], min(len(others[:HARD]), (want + 1) // 2))
        left = [s for s in others if s not in slots]
        slots += rng.sample(left, min(len(left), want - len(slots)))
        if right:
            slots = [rng.randrange(right), *slots]
        titled = rng.random() > 0.1
        return (
            [bank.pair(n, s, titled) for s in slots],
            [float(bank.scores[n, s]) for s in slots],
            bool(right),
        )

    def _fill(self) -> None:
        while True:
            share = (elapsed() - self.began) / max(1, self.until - self.began)
            groups = [self._group(self.mixtures[share > 0.5]) for _ in range(self.size)]
            size = NEGATIVES + 1
            pairs = [p for g, _, _ in groups for p in (g + [g[-1]] * (size - len(g)))]
            real = torch.tensor([[j < len(g) for j in range(size)] for g, _, _ in groups])
            scores = torch.tensor([s + [0.0] * (size - len(s)) for _, s, _ in groups])
            answered = torch.tensor([a for _, _, a in groups])
            order = sorted(range(len(pairs)), key=lambda p: len(pairs[p][0]))
            cut = -(-len(order) // 4)
            parts = [
                batch_of([pairs[p] for p in order[at : at + cut]])
                for at in range(0, len(order), cut)
            ]
            self.waiting.put((parts, torch.tensor(order).argsort(), real, scores, answered))

    def next(self):
        parts, back, *rest = self.waiting.get()
        return (
            [(i.to(DEVICE, non_blocking=True), s.to(DEVICE, non_blocking=True)) for i, s in parts],
            back.to(DEVICE),
            [x.to(DEVICE) for x in rest],
        )


def logits_of(model: Network, parts, back) -> torch.Tensor:
    with auto():
        return torch.cat([model(i, s) for i, s in parts])[back].view(-1, NEGATIVES + 1).float()


def loss_of(found, real, scores, answered, pointwise: float = 0.15) -> torch.Tensor:
    masked = found.masked_fill(~real, -1e4)
    mix = (found + FIRST * scores).masked_fill(~real, -1e4)
    listwise = 0.5 * (
        -functional.log_softmax(masked, 1)[:, 0] - functional.log_softmax(mix, 1)[:, 0]
    )
    truth = torch.zeros_like(found)
    truth[:, 0] = answered.float()
    point = functional.binary_cross_entropy_with_logits(found, truth, reduction="none")
    point = (point * real).sum(1) / real.sum(1)
    return (listwise * answered + pointwise * point).mean()


def step_loss(model: Network, teachers, parts, back, real, scores, answered) -> torch.Tensor:
    """The loss of a step; with teachers mostly to what these say together."""
    found = logits_of(model, parts, back)
    loss = loss_of(found, real, scores, answered)
    if not teachers:
        return loss
    with torch.no_grad():
        taught = sum(logits_of(t, parts, back) for t in teachers) / len(teachers)
    left, right = ((x.masked_fill(~real, -1e4) / 1.5) for x in (found, taught))
    soft = functional.kl_div(
        functional.log_softmax(left, 1), functional.softmax(right, 1), reduction="batchmean"
    )
    near = (((found - taught) ** 2) * real).sum() / real.sum()
    return 0.35 * loss + 2.0 * soft + 0.02 * near


def fit(
    name: str, model: Network, mixtures, rate: float, seed: int, until: float, teachers=()
) -> Network:
    bank, began = Bank(), elapsed()
    groups = Groups(bank, mixtures, seed, until, began)
    model.to(DEVICE).train()
    head = [
        p
        for k, p in model.named_parameters()
        if p.requires_grad and k.split(".")[0] in ("pool", "score", "factor")
    ]
    trunk = [
        p
        for k, p in model.named_parameters()
        if p.requires_grad and k.split(".")[0] not in ("pool", "score", "factor")
    ]
    optimiser = torch.optim.AdamW(
        [
            {"params": trunk, "lr": rate, "top": rate},
            {"params": head, "lr": 3 * rate, "top": 3 * rate},
        ],
        weight_decay=0.01,
        fused=DEVICE == "cuda",
    )
    step, losses, told, kept = 0, [], elapsed(), elapsed()
    slow, count = None, 0
    while elapsed() < until and (DEVICE == "cuda" or step < int(os.environ.get("STEPS", "6"))):
        share = (elapsed() - began) / max(1.0, until - began)
        for group in optimiser.param_groups:
            group["lr"] = group["top"] * max(0.02, min((share + 0.004) / 0.06, (1 - share) / 0.94))
        parts, back, (real, scores, answered) = groups.next()
        try:
            loss = step_loss(model, teachers, parts, back, real, scores, answered)
            loss.backward()
        except torch.cuda.OutOfMemoryError:
            optimiser.zero_grad(set_to_none=True)
            torch.cuda.empty_cache()
            groups.size = max(6, groups.size * 2 // 3)
            log(name, "no memory; groups a step", groups.size)
            time.sleep(1)
            continue
        torch.nn.utils.clip_grad_norm_([*trunk, *head], 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        step += 1
        if step % 20 == 0:
            losses.append(float(loss.detach()))
        if share > 0.8 and step % 10 == 0:
            now = learnt(model.state_dict())
            slow = (
                now
                if slow is None
                else {k: slow[k] + (now[k] - slow[k]) / (count + 1) for k in now}
            )
            count += 1
        if elapsed() - told > 20:
            told = elapsed()
            log(name, "steps", step, "loss", round(float(np.mean(losses[-10:] or [0])), 4))
        if elapsed() - kept > 60:
            kept = elapsed()
            torch.save(learnt(model.state_dict()), WORK / f"{name}.part")
    log(name, "ended", step, "steps", step * GROUPS, "groups")
    last = learnt(model.state_dict())
    torch.save(last, WORK / f"{name}.pt")
    if slow is not None and count > 3:
        torch.save(slow, WORK / f"{name}-slow.pt")
    return model


def restored(path: Path | dict) -> Network:
    model = started(START, 0.1)
    state = torch.load(path) if isinstance(path, Path) else path
    model.load_state_dict(state, strict=False)
    return model.to(DEVICE)


def measured(name: str, model: Network, sets: Sets) -> dict:
    logits = sets.logits(model)
    (WORK / f"{name}.logits.json").write_text(json.dumps(logits))
    return told(name, logits, sets)


def told(name: str, logits, sets: Sets) -> dict:
    figures = sets.figures(logits)
    score, weight = summary(figures)
    figures["best"] = [round(score, 4), weight]
    (WORK / f"{name}.figures.json").write_text(json.dumps(figures))
    log(
        name,
        "score",
        round(score, 4),
        "at",
        weight,
        {s: by.get(weight) for s, by in figures.items() if s not in ("auc", "best")},
        figures.get("auc"),
    )
    return figures


def written(states: dict[str, dict]) -> None:
    """The best as float16 without what was not trained, and all figures."""
    everything = {
        p.name.removesuffix(".figures.json"): json.loads(p.read_text())
        for p in sorted(WORK.glob("*.figures.json"))
    }
    order = sorted((n for n in states if n in everything), key=lambda n: -everything[n]["best"][0])
    log("order", order)
    (OUT / "figures.json").write_text(json.dumps({"order": order, "figures": everything}))
    if order:
        best = {k: v.numpy().astype(np.float16) for k, v in states[order[0]].items()}
        np.savez_compressed(OUT / "reranker.npz", **best)


def child(*what: str) -> subprocess.Popen:
    out = (WORK / f"{what[-1]}.out").open("w")
    return subprocess.Popen(
        [sys.executable, __file__, *what],
        stdout=out,
        stderr=subprocess.STDOUT,
        env=os.environ | {"BEGAN": str(BEGAN)},
    )


def wait(children: list[subprocess.Popen], until: float) -> None:
    while any(c.poll() is None for c in children) and elapsed() < until:
        time.sleep(0.5)
    for c in children:
        if c.poll() is None:
            c.kill()


def all_of_it() -> None:
    now = elapsed()
    one_until = now + 0.52 * (LIMIT - 45 - now)
    os.environ["ONE_UNTIL"] = str(one_until)
    log("prepared; candidates until", round(one_until))
    names = list(RECIPES) if DEVICE == "cuda" else list(RECIPES)[:1]
    wait([child("one", n) for n in names], one_until + 40)
    states = {p.stem: torch.load(p) for p in sorted(WORK.glob("r*.pt"))}
    sets = Sets(Bank())
    soups = (
        {"soup": mixed([states[n] for n in names if n in states])}
        if any(n in states for n in names)
        else {}
    )
    good = sorted(
        (n for n in names if n in states),
        key=lambda n: (
            -json.loads((WORK / f"{n}.figures.json").read_text())["best"][0]
            if (WORK / f"{n}.figures.json").exists()
            else 0
        ),
    )
    if len(good) > 2:
        soups["soup3"] = mixed([states[n] for n in good[:3]])
    for n, state in soups.items():
        torch.save(state, WORK / f"{n}.pt")
        measured(n, restored(state), sets)
        states[n] = state
    together = [
        json.loads((WORK / f"{n}.logits.json").read_text())
        for n in names
        if (WORK / f"{n}.logits.json").exists()
    ]
    if together:
        told(
            "ensemble",
            [
                [float(np.mean(x)) for x in zip(*rows, strict=False)]
                for rows in zip(*together, strict=False)
            ],
            sets,
        )
    written(states)
    two_until = LIMIT - 40
    os.environ["TWO_UNTIL"] = str(two_until)
    os.environ["TEACHERS"] = ",".join(names)
    os.environ["FROM"] = good[0] if good else "soup"
    log("students until", round(two_until))
    children = [child("student", n) for n in (STUDENTS if DEVICE == "cuda" else ["s0"])]
    wait(children, two_until + 20)
    for pattern in ("s?.pt", "s?-slow.pt"):
        states |= {p.stem: torch.load(p) for p in sorted(WORK.glob(pattern))}
    if "s0" in states and "s1" in states:
        states["s-mean"] = mixed([states["s0"], states["s1"]])
        measured("s-mean", restored(states["s-mean"]), sets)
    for n in list(states):
        if not (WORK / f"{n}.figures.json").exists() and elapsed() < LIMIT - 12:
            measured(n, restored(states[n]), sets)
    written(states)
    log("done")


def ended(name: str, model: Network) -> None:
    sets = Sets(Bank())
    measured(name, model, sets)
    if (WORK / f"{name}-slow.pt").exists():
        measured(f"{name}-slow", restored(WORK / f"{name}-slow.pt"), sets)


def main() -> None:
    if DEVICE == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = True
    else:
        torch.set_num_threads(1)
    what = sys.argv[1]
    if what == "all":
        all_of_it()
    elif what == "one":
        name = sys.argv[2]
        mixtures, rate, seed, dropout = RECIPES[name]
        model = fit(
            name,
            started(START, dropout, seed),
            mixtures,
            rate,
            seed,
            float(os.environ["ONE_UNTIL"]),
        )
        ended(name, model)
    elif what == "student":
        name = sys.argv[2]
        teachers = [
            restored(WORK / f"{n}.pt").eval()
            for n in os.environ["TEACHERS"].split(",")
            if (WORK / f"{n}.pt").exists()
        ]
        begin = WORK / ("soup.pt" if name == "s0" else f"{os.environ['FROM']}.pt")
        model = fit(
            name,
            restored(begin),
            (TARGET, TARGET),
            STUDENTS[name],
            11 if name == "s0" else 12,
            float(os.environ["TWO_UNTIL"]),
            teachers,
        )
        ended(name, model)


if __name__ == "__main__":
    main()
