"""Train the reranker: general stage, then claims; by folds for its figure, and once on all.

    python train.py --data ../../../shared/data --work /tmp/reranker --start FOLDER

writes under ``--work``: the features of the corpora, ``general.pt``, ``fold-N.pt`` with
``fold-N.npz`` (logits of the claims held out), ``final.pt``. What is there is not made again,
and a stopped stage goes on from its last ``.part``. Everything random comes from ``--seed``.
"""

import argparse
import json
import random
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import corpus as corpora
from evaluate import candidates, figures, texts
from folds import by_document
from groups import ClaimGroups, GeneralGroups, GeneratedGroups, Group
from model import CrossEncoder, Shape, from_minilm
from pairs import PairTokens, logits

T = TypeVar("T")

BATCH = 8
TOGETHER = 4
CHECKPOINT = 50


def main() -> None:
    options = _options()
    torch.set_num_threads(options.threads)
    if not (options.work / "sf" / "s.npy").exists():
        import features

        features.write(options.data, options.work)
    run = Run(options)
    general = run.general()
    wanted = range(options.folds) if options.only is None else options.only
    for number in wanted:
        run.fold(number, general)
    if options.final:
        run.final(general)


class Run:
    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._corpus = corpora.load(options.work / "sf")
        self._tokens = PairTokens(options.start / "tokenizer.json")
        claims = _rationales(options.data / "scifact" / "claims.jsonl")
        self._claims = ClaimGroups(self._corpus, claims, options.negatives)
        self._folds = by_document(self._corpus.queries, options.folds, options.seed)

    def model(self) -> CrossEncoder:
        torch.manual_seed(self._options.seed)
        keep = tuple(int(number) for number in self._options.layers.split(","))
        weights = self._options.start / "model.safetensors"
        return from_minilm(weights, Shape(layers=len(keep)), self._options.dropout, keep)

    def general(self) -> Path:
        """Generated queries and FEVER's claims; knows nothing of SciFact's claims."""
        path = self._options.work / "general.pt"
        if not path.exists():
            rng = random.Random(self._options.seed)
            generated = GeneratedGroups(self._corpus, 3)
            fever = GeneralGroups(self._options.data / "claims" / "fever_pairs.jsonl", 3)
            count = self._options.general
            groups = [*generated.draw(count, rng), *fever.draw(count, rng)]
            rng.shuffle(groups)
            model = self.model()
            self._fit(model, groups, self._options.general_rate, "general")
            torch.save(model.state_dict(), path)
        return path

    def fold(self, number: int, general: Path) -> None:
        path = self._options.work / f"fold-{number}.npz"
        if path.exists():
            return
        held_out = self._folds[number]
        rest = sorted(q for other in self._folds if other is not held_out for q in other)
        model = self._claims_model(rest, general, f"fold {number}")
        torch.save(model.state_dict(), path.with_suffix(".pt"))
        places = [candidates(self._corpus, query) for query in held_out]
        pairs = [
            pair
            for q, c in zip(held_out, places, strict=True)
            for pair in texts(self._corpus, q, c)
        ]
        found = logits(model.bfloat16(), self._tokens, pairs)
        scores = np.array(found, dtype=np.float32)
        scores = scores.reshape(len(held_out), -1)
        np.savez(path, queries=held_out, candidates=places, logits=scores)
        for name, value in figures(self._corpus, held_out, places, scores).items():
            print(f"fold {number}: {name} {value:.4f}", flush=True)

    def final(self, general: Path) -> None:
        path = self._options.work / "final.pt"
        if not path.exists():
            everything = sorted(query for fold in self._folds for query in fold)
            torch.save(self._claims_model(everything, general, "final").state_dict(), path)

    def _claims_model(self, queries: list[int], general: Path, name: str) -> CrossEncoder:
        rng = random.Random(f"{self._options.seed} {name}")
        groups: list[Group] = []
        for _ in range(self._options.epochs):
            groups += self._claims.epoch(queries, rng)
        keep = int(self._options.replay * len(groups))
        generated = GeneratedGroups(self._corpus, self._options.negatives)
        for group in generated.draw(keep, rng):
            groups.insert(rng.randrange(len(groups)), group)
        model = self.model()
        model.load_state_dict(torch.load(general))
        self._fit(model, groups, self._options.rate, name)
        return model

    def _fit(self, model: CrossEncoder, groups: list[Group], rate: float, name: str) -> None:
        """AdamW with a linear rise over a tenth of the steps and a linear fall.

        Forward and backward run in bfloat16, for which recent processors have matrix units
        (three times float32 here); weights and the sum of gradients are kept in float32. Word
        embeddings stay as they are: words that no claim has must not fall behind.
        """
        model.train()
        model.words.weight.requires_grad_(False)
        model.bfloat16()
        running = [p for p in model.parameters() if p.requires_grad]
        learnt = [nn.Parameter(p.detach().float()) for p in running]
        optimiser = torch.optim.AdamW(learnt, lr=rate, weight_decay=0.01, fused=True)
        steps = (len(groups) + BATCH - 1) // BATCH
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimiser, lambda step: min((step + 1) / (0.1 * steps), (steps - step) / (0.9 * steps))
        )
        began, losses = time.monotonic(), []
        checkpoint = self._options.work / f"{name.replace(' ', '-')}.part"
        done = 0
        if checkpoint.exists():
            saved = torch.load(checkpoint)
            done = saved["done"]
            optimiser.load_state_dict(saved["optimiser"])
            schedule.load_state_dict(saved["schedule"])
            torch.set_rng_state(saved["random"])
            _copy(saved["learnt"], learnt)
            _copy(learnt, running)
        for step, part in enumerate(_batches(groups, BATCH)):
            if step < done:
                continue
            encoded = [[self._tokens.encode(g.query, p) for p in g.passages] for g in part]
            encoded.sort(key=lambda pairs: max(len(ids) for ids, _ in pairs))
            total = 0.0
            for some in _batches(encoded, TOGETHER):
                loss = self._loss(model, some) * len(some) / len(part)
                loss.backward()
                total += loss.item()
                _collect(running, learnt)
            torch.nn.utils.clip_grad_norm_(learnt, 1.0)
            optimiser.step()
            schedule.step()
            optimiser.zero_grad(set_to_none=True)
            _copy(learnt, running)
            losses.append(total)
            if step % CHECKPOINT == CHECKPOINT - 1:
                torch.save(
                    {
                        "done": step + 1,
                        "learnt": [p.detach() for p in learnt],
                        "optimiser": optimiser.state_dict(),
                        "schedule": schedule.state_dict(),
                        "random": torch.get_rng_state(),
                    },
                    checkpoint,
                )
            if step % 10 == 9 or step + 1 == steps:
                spent = time.monotonic() - began
                mean = float(np.mean(losses[-10:]))
                print(
                    f"{name}: {step + 1}/{steps} loss {mean:.3f} {spent:.0f} s "
                    f"cpu {time.process_time():.0f} s",
                    flush=True,
                )

        model.float()
        _copy(learnt, [p for p in model.parameters() if p.requires_grad])
        checkpoint.unlink(missing_ok=True)

    def _loss(self, model: CrossEncoder, groups: list[list[tuple[list[int], int]]]) -> torch.Tensor:
        """Listwise cross-entropy, and a part of pointwise so that a score means something
        without the others."""
        pairs = [pair for group in groups for pair in group]
        found = model(*self._tokens.batch(pairs)).float()
        losses, start = [], 0
        for group in groups:
            scores = found[start : start + len(group)]
            start += len(group)
            truth = torch.zeros_like(scores)
            truth[0] = 1.0
            listwise = -functional.log_softmax(scores, dim=0)[0]
            pointwise = functional.binary_cross_entropy_with_logits(scores, truth)
            losses.append(listwise + self._options.pointwise * pointwise)
        return torch.stack(losses).mean()


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


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    stream = iter(items)
    while part := list(islice(stream, size)):
        yield part


def _rationales(path: Path) -> dict[tuple[str, str], list[int]]:
    found: dict[tuple[str, str], list[int]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for document, sets in row["evidence"].items():
            places = {place for one in sets for place in one["sentences"]}
            found[str(row["id"]), document] = sorted(places)
    return found


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with scifact/, claims/")
    parser.add_argument("--work", type=Path, required=True, help="where all results go")
    parser.add_argument("--start", type=Path, required=True, help="folder of the start weights")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--layers", default="0,1,2,3,4,5", help="which of the six to keep")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--general", type=int, default=500, help="groups of each general kind")
    parser.add_argument("--general-rate", type=float, default=1e-4)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rate", type=float, default=6e-5)
    parser.add_argument("--negatives", type=int, default=4)
    parser.add_argument("--replay", type=float, default=0.1, help="generated groups per claim's")
    parser.add_argument("--pointwise", type=float, default=0.3)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--only", type=int, nargs="*", help="folds to run; all where not given")
    parser.add_argument("--final", action="store_true", help="train on all claims as well")
    return parser.parse_args()


if __name__ == "__main__":
    main()
