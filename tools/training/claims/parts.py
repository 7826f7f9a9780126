"""Make one part of the pairs as token ids.

python parts.py DATA TOKENIZER OUT NUMBER OF SHARE UNTIL
"""

import json
import lzma
import os
import sys
import time
from itertools import islice
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from making import KINDS, Maker

MAX_TOKENS, CLAIM_TOKENS = 128, 64
ROUNDS = 20


class Encoder:
    """``[CLS] claim [SEP] evidence [SEP]``, the claim cut first, then the evidence."""

    def __init__(self, path: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def __call__(self, pairs: list[tuple[str, str]]) -> tuple[list[list[int]], list[int]]:
        ids, borders = [], []
        firsts = self._tokenizer.encode_batch([a for a, _ in pairs], add_special_tokens=False)
        seconds = self._tokenizer.encode_batch([b for _, b in pairs], add_special_tokens=False)
        for one, other in zip(firsts, seconds, strict=True):
            first = one.ids[:CLAIM_TOKENS]
            second = other.ids[: MAX_TOKENS - len(first) - 3]
            ids.append([101, *first, 102, *second, 102])
            borders.append(len(first) + 2)
        return ids, borders


def load(path: Path) -> dict:
    """With FEW in the environment only so many of what is measured, for a rehearsal."""
    found = json.loads(lzma.decompress(path.read_bytes()))
    if few := int(os.environ.get("FEW", "0")):
        found["product"] = found["product"][:: len(found["product"]) // few]
        held = [row for row in found["written"] if row["held"]]
        held = held[:: len(held) // few]
        found["written"] = [row for row in found["written"] if not row["held"]] + held
        one = found["sets"]["hv"]
        found["sets"]["hv"] = {k: v[: 4 * few if k == "pairs" else few] for k, v in one.items()}
    return found


def packed(ids: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    lengths = np.array([len(one) for one in ids])
    flat = np.fromiter((i for one in ids for i in one), dtype=np.int16, count=lengths.sum())
    return flat, lengths


def main() -> None:
    source, tokenizer, out = map(Path, sys.argv[1:4])
    number, of, share = int(sys.argv[4]), int(sys.argv[5]), float(sys.argv[6])
    until = float(sys.argv[7])
    began = time.time()
    data, encode = load(source), Encoder(tokenizer)
    maker = Maker(data, f"part {number}")
    for turn in range(ROUNDS):
        if time.time() > until - (time.time() - began) / max(1, turn):
            break
        count = write(maker, encode, out / f"part-{number}-{turn}.npz", share / of / ROUNDS)
        print(f"part {number}, {turn}: {count} pairs, {time.time() - began:.0f} s", flush=True)


def write(maker: Maker, encode: Encoder, path: Path, share: float) -> int:
    found = []
    for place, (kind, count) in enumerate(KINDS.items()):
        made = list(islice(maker.pairs(kind), int(count * share) + 1))
        ids, borders = encode([(pair.claim, pair.evidence) for pair, _ in made])
        labels, folds = [pair.label for pair, _ in made], [fold for _, fold in made]
        found.append((*packed(ids), borders, labels, folds, [place] * len(ids)))
    names = ("ids", "lengths", "borders", "labels", "folds", "kinds")
    columns = {n: np.concatenate(c) for n, c in zip(names, zip(*found, strict=True), strict=True)}
    np.savez(path.with_suffix(".tmp.npz"), **columns)
    path.with_suffix(".tmp.npz").rename(path)
    return len(columns["labels"])


if __name__ == "__main__":
    main()
