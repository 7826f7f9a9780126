"""Train the cross-encoder of claims and evidence: general stage, claims by folds, all claims.

    python train.py --data ../../../shared/data --work WORK --start FOLDER [--only N] [--final]

writes under ``--work``: ``general.json`` (the pairs), ``general.pt``, ``fold-N.npz`` (readings of
the pairs held out), ``final.pt``, and the readings of ``NAME.pt`` of the sets as
``NAME-SET.npz``. What is there is not made again, and a stage goes on from its last ``.part``.
Everything random comes from ``--seed``.
"""

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import torch

import general
import labelled
import titles
from encoder import Verdicts, fit, probabilities, start, tokens
from labelled import Labelled
from pair import CONTRADICT, NEI, SUPPORT, Pair
from perturbing import denied, reversed_direction
from reading import READ, asked

# Groups of each kind in the general stage.
GROUPS = {"fever": 4000, "findings": 1900, "negations": 2400, "sentences": 1900}
# How many of their pairs are read together with the titles.
REPEATED = 8400


def main() -> None:
    options = _options()
    torch.set_num_threads(options.threads)
    options.work.mkdir(parents=True, exist_ok=True)
    run = Run(options)
    run.general()
    run.elsewhere("general", ("sf", "hv", "ci"))
    if options.final:
        run.final()
        run.elsewhere("final", ("hv", "ci"))
    for number in options.only:
        run.fold(number)


class Run:
    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._work: Path = options.work
        self._words = tokens(options.start)

    @cached_property
    def _claims(self) -> tuple[list[Labelled], list[np.ndarray]]:
        return self._set("sf")

    def general(self) -> None:
        """Two parts: all kinds of pairs, then titles with as many again of the others."""
        path = self._work / "general.pt"
        if path.exists():
            return
        rng = random.Random(self._options.seed)
        made = general.pairs(self._options.data, rng, **GROUPS)
        stated = titles.pairs(general.abstracts(self._options.data / "scifact"), rng)
        first, last = made[: len(made) - REPEATED], made[-REPEATED:]
        kept = self._work / "general.json"
        kept.write_text(json.dumps([*made, *stated]), encoding="utf-8")
        last += stated
        rng.shuffle(last)
        model = start(self._options.start, self._options.seed)
        for name, lessons, rate in (("first", first, 1.5e-4), ("titles", last, 1.1e-4)):
            fit(
                model, self._words, lessons, rate=rate, name=name, seed=self._options.seed,
                part=self._work / f"{name}.part",
            )  # fmt: skip
        torch.save(model.state_dict(), path)

    def fold(self, number: int) -> None:
        path = self._work / f"fold-{number}.npz"
        if path.exists():
            return
        rows, _ = self._claims
        train, test = list(labelled.folds(rows))[number]
        model = self._learnt(train, f"fold-{number}")
        np.savez(path, places=test, found=self._read(model, *_at(self._claims, test)))

    def final(self) -> None:
        path = self._work / "final.pt"
        if not path.exists():
            model = self._learnt(range(len(self._claims[0])), "final")
            torch.save(model.state_dict(), path)

    def elsewhere(self, name: str, sets: Sequence[str]) -> None:
        """What weights make of sets that they were not trained on."""
        for one in sets:
            path = self._work / f"{name}-{one}.npz"
            if not path.exists():
                model = self._load(f"{name}.pt")
                np.savez(path, found=self._read(model, *self._set(one)))

    def _learnt(self, places: Sequence[int], name: str) -> Verdicts:
        rng = random.Random(f"{self._options.seed} {name}")
        lessons: list[Pair] = []
        kept = json.loads((self._work / "general.json").read_text(encoding="utf-8"))
        rows, scores = self._claims
        for _ in range(self._options.epochs):
            some = [pair for place in places for pair in _lessons(rows[place], scores[place], rng)]
            some += [Pair(*one) for one in rng.sample(kept, k=2 * len(some) // 5)]
            rng.shuffle(some)
            lessons += some
        model = self._load("general.pt")
        fit(
            model, self._words, lessons, rate=self._options.rate, name=name,
            seed=self._options.seed, frozen=self._options.frozen, part=self._work / f"{name}.part",
        )  # fmt: skip
        return model

    def _load(self, name: str) -> Verdicts:
        model = start(self._options.start, self._options.seed)
        model.load_state_dict(torch.load(self._work / name))
        return model

    def _read(
        self, model: Verdicts, rows: Sequence[Labelled], scores: Sequence[np.ndarray]
    ) -> np.ndarray:
        """Pairs x ``READ`` x classes."""
        found = probabilities(model.bfloat16(), self._words, asked(rows, scores))
        return found.reshape(-1, READ, 3)

    def _set(self, name: str) -> tuple[list[Labelled], list[np.ndarray]]:
        rows = labelled.named(self._options.data, name)
        return rows, labelled.closeness(rows, self._work / f"{name}.npz")


def _at(
    found: tuple[list[Labelled], list[np.ndarray]], places: Sequence[int]
) -> tuple[list[Labelled], list[np.ndarray]]:
    rows, scores = found
    return [rows[place] for place in places], [scores[place] for place in places]


def _lessons(row: Labelled, scores: np.ndarray, rng: random.Random) -> Iterator[Pair]:
    """Rationales with their label, and with the contrary of the claim; sentences that are none;
    the nearest sentences of abstracts that do not settle it."""
    order = np.argsort(-scores).tolist()
    near = " ".join(row.sentences[place].strip() for place in sorted(order[:3]))
    if row.label == NEI:
        for place in rng.sample(order[:4], k=min(2, len(order))):
            yield Pair(row.claim, row.sentences[place].strip(), NEI)
        if rng.random() < 0.5:
            yield Pair(row.claim, near, NEI)
        return
    settled = {place for one in row.rationales for place in one}
    for one in rng.sample(row.rationales, k=min(2, len(row.rationales))):
        text = " ".join(row.sentences[place].strip() for place in one)
        yield Pair(row.claim, text, row.label)
        turn = rng.choice((reversed_direction, reversed_direction, denied))
        if rng.random() < 0.5 and (turned := turn(row.claim, rng)):
            yield Pair(turned, text, CONTRADICT if row.label == SUPPORT else SUPPORT)
    if settled & set(order[:3]) and rng.random() < 0.5:
        yield Pair(row.claim, near, row.label)
    others = [place for place in order if place not in settled][1:]
    if others:
        yield Pair(row.claim, row.sentences[rng.choice(others)].strip(), NEI)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with scifact/, claims/")
    parser.add_argument("--work", type=Path, required=True, help="where all results go")
    parser.add_argument("--start", type=Path, required=True, help="folder of the start weights")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--frozen", type=int, default=2, help="lowest layers left as they are")
    parser.add_argument("--only", type=int, nargs="*", default=range(5), help="folds to run")
    parser.add_argument("--final", action="store_true", help="train on all claims as well")
    return parser.parse_args()


if __name__ == "__main__":
    main()
