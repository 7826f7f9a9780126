"""Train the cross-encoder of claims and evidence: general stage, claims by folds, all claims.

    python train.py --data ../../../shared/data --work WORK --start FOLDER [--final]

writes under ``--work``: ``general.json`` (the pairs), ``general.pt``, ``fold-N.pt`` with
``fold-N.npz`` (probabilities of the pairs held out), ``final.pt``. What is there is not made
again, and the general stage goes on from its last ``.part``. Everything random comes from
``--seed``.
"""

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch

from core import folds
from encoder import Verdicts, fit, probabilities, start, tokens
from general import CONTRADICT, NEI, SUPPORT, Pair, pairs
from labelled import Labelled, closeness, scifact
from perturbing import denied, reversed_direction
from stack import READ, readings


def main() -> None:
    options = _options()
    torch.set_num_threads(options.threads)
    options.work.mkdir(parents=True, exist_ok=True)
    run = Run(options)
    run.general()
    if options.zero:
        run.without_claims()
    for number in options.only:
        run.fold(number)
    if options.final:
        run.final()


class Run:
    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._words = tokens(options.start)
        self._rows = scifact(options.data / "scifact")
        self._scores = closeness(self._rows, options.work / "sf.npz")

    def general(self) -> None:
        path, kept = self._options.work / "general.pt", self._options.work / "general.json"
        if path.exists():
            return
        if not kept.exists():
            rng = random.Random(self._options.seed)
            made = pairs(self._options.data, rng, *self._options.groups)
            kept.write_text(json.dumps(made), encoding="utf-8")
        lessons = [Pair(*one) for one in json.loads(kept.read_text(encoding="utf-8"))]
        model = start(self._options.start, self._options.seed)
        fit(
            model, self._words, lessons, rate=1.5e-4, name="general", seed=self._options.seed,
            part=path.with_suffix(".part"),
        )  # fmt: skip
        torch.save(model.state_dict(), path)

    def without_claims(self) -> None:
        """What the general stage alone makes of all pairs."""
        path = self._options.work / "zero.npz"
        if not path.exists():
            np.savez(path, found=self._read(self._load("general.pt"), range(len(self._rows))))

    def fold(self, number: int) -> None:
        path = self._options.work / f"fold-{number}.npz"
        if path.exists():
            return
        train, test = list(folds(self._rows))[number]
        model = self._learnt(train, f"fold {number}")
        torch.save(model.state_dict(), path.with_suffix(".pt"))
        np.savez(path, places=test, found=self._read(model, test))

    def final(self) -> None:
        path = self._options.work / "final.pt"
        if not path.exists():
            model = self._learnt(range(len(self._rows)), "final")
            torch.save(model.state_dict(), path)

    def _learnt(self, places: Sequence[int], name: str) -> Verdicts:
        rng = random.Random(f"{self._options.seed} {name}")
        lessons: list[Pair] = []
        kept = json.loads((self._options.work / "general.json").read_text(encoding="utf-8"))
        for _ in range(self._options.epochs):
            some = [
                pair
                for place in places
                for pair in _lessons(self._rows[place], self._scores[place], rng)
            ]
            some += [Pair(*one) for one in rng.sample(kept, k=len(some) // 10)]
            rng.shuffle(some)
            lessons += some
        model = self._load("general.pt")
        fit(
            model, self._words, lessons, rate=self._options.rate, name=name,
            seed=self._options.seed, frozen=self._options.frozen,
        )  # fmt: skip
        return model

    def _load(self, name: str) -> Verdicts:
        model = start(self._options.start, self._options.seed)
        model.load_state_dict(torch.load(self._options.work / name))
        return model

    def _read(self, model: Verdicts, places: Sequence[int]) -> np.ndarray:
        """Pairs x ``READ`` x classes."""
        asked = [
            (self._rows[place].claim, text)
            for place in places
            for text in readings(self._rows[place], self._scores[place])
        ]
        return probabilities(model.bfloat16(), self._words, asked).reshape(-1, READ, 3)


def _lessons(row: Labelled, scores: np.ndarray, rng: random.Random) -> Iterator[Pair]:
    """Rationales with their label, and with the contrary of the claim; sentences that are none;
    the nearest sentences of abstracts that do not settle it."""
    order = np.argsort(-scores).tolist()
    joined = " ".join(row.sentences[place].strip() for place in sorted(order[:3]))
    if row.label == NEI:
        for place in rng.sample(order[:4], k=min(2, len(order))):
            yield Pair(row.claim, row.sentences[place].strip(), NEI)
        if rng.random() < 0.5:
            yield Pair(row.claim, joined, NEI)
        return
    settled = {place for one in row.rationales for place in one}
    for one in rng.sample(row.rationales, k=min(2, len(row.rationales))):
        text = " ".join(row.sentences[place].strip() for place in one)
        yield Pair(row.claim, text, row.label)
        turn = rng.choice((reversed_direction, reversed_direction, denied))
        if rng.random() < 0.5 and (turned := turn(row.claim, rng)):
            yield Pair(turned, text, CONTRADICT if row.label == SUPPORT else SUPPORT)
    if settled & set(order[:3]) and rng.random() < 0.5:
        yield Pair(row.claim, joined, row.label)
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
    parser.add_argument(
        "--groups", type=int, nargs=3, default=(2600, 700, 2600), help="FEVER, titles, sentences"
    )
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rate", type=float, default=8e-5)
    parser.add_argument("--frozen", type=int, default=2, help="lowest layers left as they are")
    parser.add_argument("--only", type=int, nargs="*", default=range(5), help="folds to run")
    parser.add_argument("--zero", action="store_true", help="read all pairs untrained on claims")
    parser.add_argument("--final", action="store_true", help="train on all claims as well")
    return parser.parse_args()


if __name__ == "__main__":
    main()
