"""Train the reranker: on generated queries, then on claims.

    python train.py --data ../../../shared/data --work /tmp/reranker --start FOLDER

writes under ``--work``: what the first stage finds; ``general.pt``; the two branches that go on
from it with groups of their own, ``branch-0.pt`` and ``branch-1.pt``; ``generated.pt``, the mean
of their weights, which has seen no claim; and ``final.pt``, trained further on all of SciFact's
claims. With ``--only-folds N ...`` instead of the last ``fold-N.pt``, the same without the
claims of fold N, and ``fold-N.npz``, the logits of these. What is there is not made again, and
a stopped stage goes on from its last ``.part``. Groups come from ``--seed``, dropout from
torch's own: each branch and fold may be a process of its own (``--only-branch N``), with the
same result.
"""

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

import corpus as corpora
import groups as made
from evaluate import report, table
from fitting import Stage, fit
from folds import by_document, plain
from general import General
from groups import Group
from model import CrossEncoder, Shape, from_minilm
from pairs import PairTokens, logits

GENERAL_TOKENS = 176
# More titles in the second round: they are the nearest to a claim that an abstract has.
TITLES, MORE_TITLES = 0.2, 0.3
BRANCHES = 2


def main() -> None:
    options = _options()
    torch.set_num_threads(options.threads)
    options.work.mkdir(parents=True, exist_ok=True)
    if not (options.work / "sf.json").exists():
        import features

        features.write(options.data, options.work, options.citint)
    run = Run(options)
    general = run.general()
    for number in range(BRANCHES) if options.only_branch is None else [options.only_branch]:
        run.branch(number, general)
    generated = run.generated()
    if generated is None:
        return
    if options.only_folds is None:
        run.final(generated)
    for number in options.only_folds or ():
        run.fold(number, generated)


class Run:
    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._corpus = corpora.load(options.work / "sf.json")
        self._tokens = PairTokens(options.start / "tokenizer.json")
        self._short = PairTokens(options.start / "tokenizer.json", GENERAL_TOKENS)
        split = plain if options.plain_folds else by_document
        self._folds = split(self._corpus.queries, options.folds, options.seed)

    def general(self) -> Path:
        """Generated queries and FEVER's claims; knows nothing of SciFact's claims."""
        path = self._options.work / "general.pt"
        if not path.exists():
            torch.manual_seed(self._options.seed)
            weights = self._options.start / "model.safetensors"
            model = from_minilm(weights, Shape(), self._options.dropout)
            groups = self._generated(self._options.seed, TITLES, *self._options.general)
            fit(model, self._short, groups, self._stage("general", head=5.0), self._options.work)
            torch.save(model.state_dict(), path)
        return path

    def branch(self, number: int, general: Path) -> None:
        path = self._options.work / f"branch-{number}.pt"
        if not path.exists():
            model = self._loaded(general)
            groups = self._generated(
                self._options.seed + 1 + number, MORE_TITLES, *self._options.branch
            )
            fit(model, self._short, groups, self._stage(path.stem, head=1.0), self._options.work)
            torch.save(model.state_dict(), path)

    def generated(self) -> Path | None:
        """The mean of the branches' weights (Wortsman et al. 2022a), once all are there."""
        paths = [self._options.work / f"branch-{number}.pt" for number in range(BRANCHES)]
        if not all(path.exists() for path in paths):
            return None
        torch.save(_mean([torch.load(path) for path in paths]), self._options.work / "generated.pt")
        return self._options.work / "generated.pt"

    def final(self, generated: Path) -> None:
        path = self._options.work / "final.pt"
        if not path.exists():
            model = self._claims(range(len(self._corpus.queries)), "claims", generated)
            torch.save(model.state_dict(), path)

    def fold(self, number: int, generated: Path) -> None:
        path = self._options.work / f"fold-{number}.npz"
        if path.exists():
            return
        held_out = self._folds[number]
        rest = sorted(q for other in self._folds if other is not held_out for q in other)
        model = self._claims(rest, path.stem, generated)
        torch.save(model.state_dict(), path.with_suffix(".pt"))
        queries = [self._corpus.queries[place] for place in held_out]
        rows = [self._logits(model.bfloat16(), query) for query in queries]
        np.savez(path, queries=held_out, logits=np.array(rows, dtype=np.float32))
        print(*report(f"fold {number}", table(queries, rows)), sep="\n", flush=True)

    def _claims(self, queries: Sequence[int], name: str, generated: Path) -> CrossEncoder:
        rng = random.Random(f"{self._options.seed} {name}")
        groups: list[Group] = []
        for _ in range(self._options.epochs):
            groups += made.claims(self._corpus, queries, self._options.negatives, rng)
        model = self._loaded(generated)
        stage = Stage(name, self._options.claims_rate, 2, 1.0, self._options.pointwise)
        fit(model, self._tokens, groups, stage, self._options.work)
        return model

    def _generated(self, seed: int, titles: float, documents: int, fever: int) -> list[Group]:
        vectors = self._options.work / "sf.npz"
        kinds = General(self._corpus, vectors, self._options.data, random.Random(seed))
        return kinds.groups(documents, titles, fever)

    def _stage(self, name: str, head: float) -> Stage:
        return Stage(name, self._options.rate, 4, head, self._options.pointwise)

    def _loaded(self, path: Path) -> CrossEncoder:
        torch.manual_seed(self._options.seed)
        model = CrossEncoder(Shape(), self._options.dropout)
        model.load_state_dict(torch.load(path))
        return model

    def _logits(self, model: CrossEncoder, query: corpora.Query) -> Sequence[float]:
        documents = query.documents[: self._options.candidates]
        pairs = [(query.text, self._corpus.text(query, document)) for document in documents]
        return logits(model, self._tokens, pairs)


def _mean(states: Sequence[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    return {name: torch.stack([state[name] for state in states]).mean(0) for name in states[0]}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with scifact/, claims/")
    parser.add_argument("--work", type=Path, required=True, help="where all results go")
    parser.add_argument("--start", type=Path, required=True, help="folder of the start weights")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument(
        "--general", type=int, nargs=2, default=[2200, 400], help="documents, FEVER's claims"
    )
    parser.add_argument(
        "--branch", type=int, nargs=2, default=[2200, 100], help="the same, for each branch"
    )
    parser.add_argument("--only-branch", type=int, help="one of the two")
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--pointwise", type=float, default=0.1)
    parser.add_argument("--only-folds", type=int, nargs="*", help="in place of all claims")
    parser.add_argument("--plain-folds", action="store_true", help="that may share documents")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--claims-rate", type=float, default=4e-5)
    parser.add_argument("--negatives", type=int, default=6)
    parser.add_argument("--candidates", type=int, default=30)
    parser.add_argument("--citint", type=int, default=320, help="claims for the test elsewhere")
    return parser.parse_args()


if __name__ == "__main__":
    main()
