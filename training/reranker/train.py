"""Train the reranker: general stage, then claims; by folds for its figure, and once on all.

    python train.py --data ../../../shared/data --work /tmp/reranker --start FOLDER

writes under ``--work``: what the first stage finds, ``general.pt``, ``fold-N.pt`` with
``fold-N.npz`` (logits of the claims held out), and ``final.pt``, the mean of the folds'
weights. What is there is not made again, and a stopped stage goes on from its last ``.part``.
Groups come from ``--seed`` and ``--draw``, dropout from
torch's own seed: a fold is repeated in a process of its own (``--only N``).
"""

import argparse
import random
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

import corpus as corpora
import groups as made
from citeloom.domain.reranking import CANDIDATES
from evaluate import figures
from folds import by_document
from groups import General, Group
from model import CrossEncoder, Shape, from_minilm
from pairs import PairTokens, logits

BATCH = 8
# Tokens of a product of matrices: more is not faster on a CPU.
TOGETHER = 2600
CHECKPOINT = 25
GENERAL_TOKENS = 128


def main() -> None:
    options = _options()
    torch.set_num_threads(options.threads)
    options.work.mkdir(parents=True, exist_ok=True)
    if not (options.work / "sf.json").exists():
        import features

        features.write(options.data, options.work, options.citint)
    run = Run(options)
    general = run.general()
    wanted = range(options.folds) if options.only is None else options.only
    for number in wanted:
        run.fold(number, general)
    if options.final:
        run.final()


class Run:
    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._corpus = corpora.load(options.work / "sf.json")
        self._tokens = PairTokens(options.start / "tokenizer.json")
        self._folds = by_document(self._corpus.queries, options.folds, options.seed)

    def general(self) -> Path:
        """Generated queries and FEVER's claims; knows nothing of SciFact's claims."""
        path = self._options.work / "general.pt"
        if not path.exists():
            torch.manual_seed(self._options.seed)
            model = from_minilm(
                self._options.start / "model.safetensors", Shape(), self._options.dropout
            )
            kinds = General(self._options.data, random.Random(self._options.seed))
            groups = kinds.groups(*self._options.general)[: self._options.general_limit]
            tokens = PairTokens(self._options.start / "tokenizer.json", GENERAL_TOKENS)
            self._fit(model, tokens, groups, self._options.general_rate, "general", frozen=0)
            torch.save(model.state_dict(), path)
        return path

    def fold(self, number: int, general: Path) -> None:
        path = self._options.work / f"fold-{number}.npz"
        if path.exists():
            return
        held_out = self._folds[number]
        rest = sorted(q for other in self._folds if other is not held_out for q in other)
        rng = random.Random(f"{self._options.draw}{number}")
        groups: list[Group] = []
        for _ in range(self._options.epochs):
            groups += made.claims(self._corpus, rest, self._options.negatives, rng)
        model = CrossEncoder(Shape(), self._options.dropout)
        model.load_state_dict(torch.load(general))
        frozen = self._options.frozen
        self._fit(model, self._tokens, groups, self._options.rate, f"fold {number}", frozen)
        torch.save(model.state_dict(), path.with_suffix(".pt"))
        queries = [self._corpus.queries[place] for place in held_out]
        rows = [
            logits(
                model.bfloat16(),
                self._tokens,
                [
                    (query.text, self._corpus.text(query, document))
                    for document in query.documents[: self._options.candidates]
                ],
            )
            for query in queries
        ]
        np.savez(path, queries=held_out, logits=np.array(rows, dtype=np.float32))
        for name, value in figures(queries, rows).items():
            print(f"fold {number}: {name} {value:.4f}", flush=True)

    def final(self) -> None:
        """The mean of the folds' weights: they come from the same general stage."""
        paths = [self._options.work / f"fold-{n}.pt" for n in range(self._options.folds)]
        states = [torch.load(path) for path in paths]
        mean = {name: torch.stack([s[name] for s in states]).mean(0) for name in states[0]}
        torch.save(mean, self._options.work / "final.pt")

    def _fit(
        self,
        model: CrossEncoder,
        tokens: PairTokens,
        groups: Sequence[Group],
        rate: float,
        name: str,
        frozen: int,
    ) -> None:
        """AdamW with a linear rise over a tenth of the steps and a linear fall.

        Forward and backward run in bfloat16, for which recent processors have instructions of
        their own; weights and the sum of gradients are kept in float32. Word embeddings stay
        as they are: words that no claim has must not fall behind. So do the first ``frozen``
        layers and what is below them.
        """
        model.train()
        _freeze(model, frozen)
        model.bfloat16()
        running = [p for p in model.parameters() if p.requires_grad]
        learnt = [nn.Parameter(p.detach().float()) for p in running]
        optimiser = torch.optim.AdamW(learnt, lr=rate, weight_decay=0.01)
        steps = (len(groups) + BATCH - 1) // BATCH
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimiser, lambda step: min((step + 1) / (0.1 * steps), (steps - step) / (0.9 * steps))
        )
        checkpoint = self._options.work / f"{name.replace(' ', '-')}.part"
        done, losses = _resumed(checkpoint, optimiser, schedule, learnt, running), []
        for step in range(done, steps):
            part = groups[step * BATCH : (step + 1) * BATCH]
            loss = self._loss(model, tokens, part)
            loss.backward()
            _collect(running, learnt)
            torch.nn.utils.clip_grad_norm_(learnt, 1.0)
            optimiser.step()
            schedule.step()
            optimiser.zero_grad(set_to_none=True)
            _copy(learnt, running)
            losses.append(loss.item())
            if step % CHECKPOINT == CHECKPOINT - 1:
                _save(checkpoint, step + 1, optimiser, schedule, learnt)
            if step % 10 == 9 or step + 1 == steps:
                print(
                    f"{name}: {step + 1}/{steps} loss {float(np.mean(losses[-10:])):.3f} "
                    f"cpu {time.process_time():.0f} s",
                    flush=True,
                )
        model.float()
        _copy(learnt, [p for p in model.parameters() if p.requires_grad])
        checkpoint.unlink(missing_ok=True)

    def _loss(self, model: CrossEncoder, tokens: PairTokens, groups: Sequence[Group]) -> Tensor:
        """Listwise cross-entropy, and a part of pointwise so that a score means something
        without the others. Pairs of like length are computed together."""
        pairs = [tokens.encode(group.query, text) for group in groups for text in group.passages]
        order = sorted(range(len(pairs)), key=lambda place: len(pairs[place][0]))
        parts = [
            model(*tokens.batch([pairs[place] for place in part])).float()
            for part in _alike(order, [len(ids) for ids, _ in pairs])
        ]
        found = torch.cat(parts)[torch.tensor(order).argsort()]
        losses = []
        for scores in found.split([len(group.passages) for group in groups]):
            truth = torch.zeros_like(scores)
            truth[0] = 1.0
            listwise = -functional.log_softmax(scores, dim=0)[0]
            pointwise = functional.binary_cross_entropy_with_logits(scores, truth)
            losses.append(listwise + self._options.pointwise * pointwise)
        return torch.stack(losses).mean()


def _alike(order: Sequence[int], lengths: Sequence[int]) -> list[list[int]]:
    """The order in parts of at most TOGETHER tokens, none longer by an eighth than the first."""
    parts: list[list[int]] = []
    for place in order:
        length = lengths[place]
        if (
            not parts
            or (len(parts[-1]) + 1) * length > TOGETHER
            or length > 1.12 * lengths[parts[-1][0]] + 2
        ):
            parts.append([])
        parts[-1].append(place)
    return parts


def _freeze(model: CrossEncoder, layers: int) -> None:
    kept = [model.words, model.places]
    if layers:
        kept += [model.segments, model.norm, *model.layers[:layers]]
    for part in kept:
        part.requires_grad_(False)


def _save(
    path: Path,
    done: int,
    optimiser: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler,
    learnt: Iterable[nn.Parameter],
) -> None:
    torch.save(
        {
            "done": done,
            "learnt": [p.detach() for p in learnt],
            "optimiser": optimiser.state_dict(),
            "schedule": schedule.state_dict(),
            "random": torch.get_rng_state(),
        },
        path,
    )


def _resumed(
    path: Path,
    optimiser: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler,
    learnt: Iterable[nn.Parameter],
    running: Iterable[nn.Parameter],
) -> int:
    """How many steps a stopped stage had done; 0 where there is none."""
    if not path.exists():
        return 0
    saved = torch.load(path)
    optimiser.load_state_dict(saved["optimiser"])
    schedule.load_state_dict(saved["schedule"])
    torch.set_rng_state(saved["random"])
    _copy(saved["learnt"], learnt)
    _copy(learnt, running)
    return saved["done"]


def _copy(source: Iterable[torch.Tensor], target: Iterable[torch.Tensor]) -> None:
    with torch.no_grad():
        for one, other in zip(source, target, strict=True):
            other.copy_(one)


def _collect(running: list[nn.Parameter], learnt: list[nn.Parameter]) -> None:
    """Add the gradients of the bfloat16 weights to those of the float32 ones."""
    for parameter, exact in zip(running, learnt, strict=True):
        found = parameter.grad.float()
        exact.grad = found if exact.grad is None else exact.grad.add_(found)
        parameter.grad = None


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with scifact/, claims/")
    parser.add_argument("--work", type=Path, required=True, help="where all results go")
    parser.add_argument("--start", type=Path, required=True, help="folder of the start weights")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument(
        "--general", type=int, nargs=3, default=[550, 350, 600], help="titles, sentences, FEVER"
    )
    parser.add_argument("--general-limit", type=int, default=832, help="groups that are used")
    parser.add_argument("--general-rate", type=float, default=8e-5)
    parser.add_argument("--draw", default="a", help="names a draw of the claims' groups")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--rate", type=float, default=6e-5)
    parser.add_argument("--negatives", type=int, default=4)
    parser.add_argument("--frozen", type=int, default=2, help="layers kept in the second stage")
    parser.add_argument("--pointwise", type=float, default=0.2)
    parser.add_argument("--candidates", type=int, default=CANDIDATES)
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--only", type=int, nargs="*", help="folds to run; all where not given")
    parser.add_argument("--final", action="store_true", help="the mean of the folds' weights")
    parser.add_argument("--citint", type=int, default=300, help="claims for the test elsewhere")
    return parser.parse_args()


if __name__ == "__main__":
    main()
