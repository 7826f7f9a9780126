"""Train a judge further on exchanged roles, without losing what it knows; two cores of a CPU.

python roles.py --exchanged FILE ... --written written.jsonl --data DATA --abstracts SCITLDR
    --tokenizer FILE --from six.npz --seconds 1750 --rate 8e-5 --out weights.npz

``--exchanged`` are the pairs of ``exchanging.py`` and ``repeating.py``. Of other pairs the target
is the mean of the label (0.4) and of the probabilities of the weights at the start (0.6).
"""

import argparse
import json
import random
import time
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from further import started
from network import Verdicts, start
from pack import _is_held
from parts import Encoder

LABELS: Final = {"NEI": 0, "SUPPORT": 1, "CONTRADICT": 2}
BATCH, AHEAD = 32, 8
EXCHANGED, WRITTEN = 0.48, 0.46
OF_LABEL = 0.4
SHARES: Final = {
    1: {
        "active": 0.27, "passive": 0.06, "clause": 0.09, "coordination": 0.09, "same": 0.09,
        "repeated": 0.4,
    },
    2: {
        "active": 0.3, "passive": 0.07, "inner": 0.18, "subject": 0.11, "clause": 0.07,
        "turned": 0.27,
    },
}  # fmt: skip


class Pair(NamedTuple):
    claim: str
    evidence: str
    label: int
    kind: str


class Written(NamedTuple):
    evidence: Sequence[str]
    document: Sequence[str]
    pair: Pair


def _lines(path: Path) -> Iterator[list]:
    return (json.loads(row) for row in path.read_text(encoding="utf-8").splitlines())


def written(o: argparse.Namespace, *, is_held: bool) -> list[Written]:
    """Claims over the abstracts and texts that are there."""
    parts = {
        f"scifact:{one['_id']}": [one["text"][a:b].strip() for a, b in one["sentence_spans"]]
        for one in _lines(o.data / "scifact" / "corpus.jsonl")
    }
    for name in ("train", "dev", "test"):
        for one in _lines(o.abstracts / f"{name}.jsonl"):
            parts[f"abs:{one['paper_id']}"] = [text.strip() for text in one["source"]]
    found = []
    for source, places, *rest in _lines(o.written):
        if places == "text":
            parts[source] = rest
        elif source in parts and _is_held(source) == is_held:
            label, kind, claim = rest
            evidence = [parts[source][place] for place in places]
            pair = Pair(claim, " ".join(evidence), LABELS[label], kind)
            found.append(Written(evidence, parts[source], pair))
    return found


def read(one: Written, rng: random.Random) -> Pair:
    """With the sentence before its evidence, or another sentence of the document, at times."""
    first = one.document.index(one.evidence[0]) if one.evidence else 0
    text = one.pair.evidence
    if rng.random() < 0.3 and first:
        text = f"{one.document[first - 1]} {text}"
    if not one.evidence or rng.random() < 0.06:
        other = rng.choice(one.document)
        if other not in one.evidence:
            return one.pair._replace(evidence=other, label=0)
    return one.pair._replace(evidence=text)


def exchanged(paths: Sequence[Path]) -> tuple[dict[tuple[str, int], list[Pair]], list[Pair]]:
    """By kind and label; and a fortieth, by evidence, for measuring."""
    learnt: dict[tuple[str, int], list[Pair]] = {}
    held = []
    for kind, evidence, claim, label in (row for path in paths for row in _lines(path)):
        pair = Pair(claim, evidence, label, kind)
        if int(sha256(evidence.encode()).hexdigest(), 16) % 40 == 0:
            held.append(pair)
        else:
            learnt.setdefault((kind, label), []).append(pair)
    return learnt, held


class Batches:
    def __init__(self, o: argparse.Namespace) -> None:
        self._rng = random.Random(o.seed)
        self._encode = Encoder(o.tokenizer)
        self._exchanged, self.held_exchanged = exchanged(o.exchanged)
        self._written = written(o, is_held=False)
        self.held_written = [one.pair for one in written(o, is_held=True)]
        self._others = [
            Pair(row["claim"], row["evidence"][:400], LABELS.get(row["label"], 0), "other")
            for name in ("fever_pairs", "nli_negation")
            for row in _lines(o.data / "claims" / f"{name}.jsonl")
        ]

    def __iter__(self) -> Iterator[list[tuple[Pair, bool]]]:
        """Pairs of like length, with whether their label is all that counts."""
        while True:
            found = [self._one() for _ in range(BATCH * AHEAD)]
            found.sort(key=lambda one: len(one[0].claim) + len(one[0].evidence))
            parts = [found[at : at + BATCH] for at in range(0, len(found), BATCH)]
            self._rng.shuffle(parts)
            yield from parts

    def _one(self) -> tuple[Pair, bool]:
        chance = self._rng.random()
        if chance < WRITTEN:
            return read(self._rng.choice(self._written), self._rng), False
        if chance > 1 - EXCHANGED:
            shares = SHARES[self._rng.choice((1, 2))]
            label = 1 if "same" in shares else 2
            kind = self._rng.choices([*shares], [*shares.values()])[0]
            return self._rng.choice(self._exchanged[kind, label]), True
        return self._rng.choice(self._others), False

    def tensors(self, pairs: Sequence[Pair]) -> tuple[Tensor, Tensor]:
        ids, borders = self._encode([(one.claim, one.evidence) for one in pairs])
        longest = max(map(len, ids))
        block = torch.zeros(len(ids), longest + -longest % 8, dtype=torch.long)
        segments = torch.zeros_like(block)
        for row, one in enumerate(ids):
            block[row, : len(one)] = torch.tensor(one)
            segments[row, borders[row] : len(one)] = 1
        return block, segments


def support(model: Verdicts, made: Batches, pairs: Sequence[Pair]) -> np.ndarray:
    model.eval()
    with torch.no_grad():
        found = [
            torch.softmax(model(*made.tensors(pairs[at : at + 64])), -1)
            for at in range(0, len(pairs), 64)
        ]
    model.train()
    return torch.cat(found).numpy()[:, 1]


def area(true: np.ndarray, wrong: np.ndarray) -> float:
    above = (true[:, None] > wrong[None]).mean()
    return float(above + (true[:, None] == wrong[None]).mean() / 2)


def report(model: Verdicts, made: Batches, when: str) -> None:
    """AUC of support, of held written claims and exchanged roles."""
    figures = []
    for pairs in (made.held_written, made.held_exchanged):
        labels, said = np.array([one.label for one in pairs]), support(model, made, pairs)
        figures.append(area(said[labels == 1], said[labels != 1]))
    print(f"{when}: written {figures[0]:.3f}, exchanged {figures[1]:.3f}", flush=True)


def main() -> None:
    o = _options()
    torch.manual_seed(o.seed)
    torch.set_flush_denormal(True)
    made = Batches(o)
    model, before = started(o.start, 1), start(o.start, 0).eval()
    report(model, made, "start")
    learnt = [one for one in model.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(learnt, lr=o.rate, betas=(0.9, 0.98), weight_decay=0.01)
    batches, began = iter(made), time.time()
    while (gone := (time.time() - began) / o.seconds) < 1:
        rows = next(batches)
        for group in optimiser.param_groups:
            group["lr"] = o.rate * max(1e-3, min(gone / 0.04 + 0.01, (1 - gone) / 0.96))
        ids, segments = made.tensors([pair for pair, _ in rows])
        others = torch.tensor([not is_sure for _, is_sure in rows])
        known = torch.zeros(len(rows), len(LABELS))
        with torch.no_grad():
            if others.any():
                known[others] = torch.softmax(before(ids[others], segments[others]), -1)
        labels = (
            functional.one_hot(torch.tensor([pair.label for pair, _ in rows]), 3) * 0.95 + 0.05 / 3
        )
        weights = (1 - (1 - OF_LABEL) * others.float())[:, None]
        target = weights * labels + (1 - weights) * known
        loss = -(target * torch.log_softmax(model(ids, segments), -1)).sum(-1).mean()
        loss.backward()
        nn.utils.clip_grad_norm_(learnt, 1.0)
        optimiser.step()
        optimiser.zero_grad()
    report(model, made, "end")
    np.savez(o.out, **{name: value.numpy() for name, value in model.state_dict().items()})


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--exchanged", type=Path, nargs="+", required=True)
    parser.add_argument("--from", dest="start", type=Path, required=True)
    for name in ("written", "data", "abstracts", "tokenizer", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    for name in ("seconds", "rate"):
        parser.add_argument(f"--{name}", type=float, required=True)
    parser.add_argument("--seed", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    main()
