"""Train a judge further on exchanged roles and claims over papers; two cores of a CPU.

python roles.py --exchanged FILE ... --passages passages.jsonl --written written.jsonl --data DATA
    --abstracts SCITLDR --tokenizer FILE --from six.npz --seconds 6000 --rate 1e-4 --out weights.npz

``--exchanged`` are the pairs of ``exchanging.py`` and ``repeating.py``, ``--passages`` those of
``passages.py``.
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
from network import Verdicts
from overlap import share
from pack import _is_held
from parts import Encoder

LABELS: Final = {"NEI": 0, "SUPPORT": 1, "CONTRADICT": 2}
BATCH, AHEAD = 32, 8
EXCHANGED, WRITTEN, OF_PASSAGES = 0.4, 0.27, 0.27
# Of the pairs of passages, those with the nearest other sentence.
OTHER_SENTENCE = 0.14
SMOOTHING = 0.09
FROZEN = 2
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


def passages(path: Path, *, is_held: bool) -> list[Written]:
    """Claims over passages of papers."""
    return [
        Written(evidence, passage, Pair(claim, " ".join(evidence), LABELS[label], kind))
        for source, evidence, passage, label, kind, claim in _lines(path)
        if _is_held(source.partition("#")[0]) == is_held
    ]


def read_beside(one: Written, rng: random.Random) -> Pair:
    """A claim over a passage, as ``read``, or with the nearest of some other sentences of it."""
    others = [text for text in one.document if text not in one.evidence]
    if others and rng.random() < OTHER_SENTENCE:
        some = rng.sample(others, min(4, len(others)))
        nearest = max(some, key=lambda text: share(one.pair.claim, text))
        return one.pair._replace(evidence=nearest, label=0)
    first = one.document.index(one.evidence[0]) if one.evidence[0] in one.document else 0
    if first and rng.random() < 0.3:
        return one.pair._replace(evidence=f"{one.document[first - 1]} {one.pair.evidence}")
    return one.pair


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
        self._passages = passages(o.passages, is_held=False)
        self.held_passages = [one.pair for one in passages(o.passages, is_held=True)]
        self._others = [
            Pair(row["claim"], row["evidence"][:400], LABELS.get(row["label"], 0), "other")
            for name in ("fever_pairs", "nli_negation")
            for row in _lines(o.data / "claims" / f"{name}.jsonl")
        ]

    def __iter__(self) -> Iterator[list[Pair]]:
        """Pairs of like length."""
        while True:
            found = [self._one() for _ in range(BATCH * AHEAD)]
            found.sort(key=lambda one: len(one.claim) + len(one.evidence))
            parts = [found[at : at + BATCH] for at in range(0, len(found), BATCH)]
            self._rng.shuffle(parts)
            yield from parts

    def _one(self) -> Pair:
        chance = self._rng.random()
        if chance < WRITTEN:
            return read(self._rng.choice(self._written), self._rng)
        if chance < WRITTEN + OF_PASSAGES:
            return read_beside(self._rng.choice(self._passages), self._rng)
        if chance > 1 - EXCHANGED:
            label = self._rng.choice((1, 2))
            kind = self._rng.choices([*SHARES[label]], [*SHARES[label].values()])[0]
            return self._rng.choice(self._exchanged[kind, label])
        return self._rng.choice(self._others)

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
    """AUC of support, of held written claims, passages and exchanged roles."""
    figures = []
    for pairs in (made.held_written, made.held_passages, made.held_exchanged):
        labels, said = np.array([one.label for one in pairs]), support(model, made, pairs)
        figures.append(area(said[labels == 1], said[labels != 1]))
    names = ("written", "passages", "exchanged")
    shown = ", ".join(f"{name} {one:.3f}" for name, one in zip(names, figures, strict=True))
    print(f"{when}: {shown}", flush=True)


def main() -> None:
    o = _options()
    torch.manual_seed(o.seed)
    torch.set_flush_denormal(True)
    made = Batches(o)
    model = started(o.start, FROZEN)
    report(model, made, "start")
    learnt = [one for one in model.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(learnt, lr=o.rate, betas=(0.9, 0.98), weight_decay=0.01)
    batches, began = iter(made), time.time()
    while (gone := (time.time() - began) / o.seconds) < 1:
        rows = next(batches)
        for group in optimiser.param_groups:
            group["lr"] = o.rate * max(1e-3, min(gone / 0.04 + 0.01, (1 - gone) / 0.96))
        ids, segments = made.tensors(rows)
        labels = functional.one_hot(torch.tensor([one.label for one in rows]), len(LABELS))
        target = labels * (1 - SMOOTHING) + SMOOTHING / len(LABELS)
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
    for name in ("passages", "written", "data", "abstracts", "tokenizer", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    for name in ("seconds", "rate"):
        parser.add_argument(f"--{name}", type=float, required=True)
    parser.add_argument("--seed", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    main()
