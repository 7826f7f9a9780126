"""Fit what moves the vector of a question towards those of what answers it (decision 0102).

    python asked.py CANDIDATES.npz --out asked.npy

``CANDIDATES.npz`` has, for n questions with k passages each that the first order finds (a right one
first):

``questions``  (n, 384)     vectors of the bundled model
``passages``   (n, k, 384)  .42 of a passage's vector and .58 of its best sentence's
``words``      (n, k)       .4 of BM25, of the question's highest
``right``      (n, k)       bool; ``real`` (n, k): false where a question has fewer passages
``kinds``      (n,)         names of kinds, each weighted by ``SHARES``
``titles``     (m, 384)     texts whose vectors are to stay where they are

Vectors of passages are constants, so that a run takes seconds. The result is a share of the mean of
two runs.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, normalize

SHARES = {
    "paper": 2.5,
    "abstract": 2.0,
    "covid": 1.5,
    "scifact": 1.5,
    "pubmedqa": 1.0,
    "own": 1.0,
    "claim": 1.0,
    "abstract-claim": 0.7,
    "paper-claim": 0.7,
    "trial": 0.6,
    "summary": 0.5,
    "tldr": 0.4,
}
_FACTOR = 25.0  # of scores, in the softmax
_TIE = 10.0  # of one less the cosine with the vector before
_SAME = 0.85  # cosine from which two right passages count as one


class Moved(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.matrix = nn.Parameter(torch.zeros(384, 384))
        self.constant = nn.Parameter(torch.zeros(384))

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        return normalize(vectors + vectors @ self.matrix + self.constant, dim=-1)


def listwise(scores: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    return (scores.logsumexp(1) - scores.masked_fill(~right, -1e4).logsumexp(1)).mean()


def fit(data: dict[str, torch.Tensor], odds: torch.Tensor, options: argparse.Namespace) -> Moved:
    moved = Moved()
    optimizer = torch.optim.AdamW(
        moved.parameters(), lr=options.rate, weight_decay=0.0, betas=(0.9, 0.98)
    )
    for step in range(options.steps):
        done = step / options.steps
        for group in optimizer.param_groups:
            group["lr"] = options.rate * max(0.02, min((done + 0.01) / 0.08, (1 - done) / 0.92))
        drawn = torch.multinomial(odds, options.batch)
        titles = data["titles"][torch.randperm(len(data["titles"]))[:32]].float()
        before = data["questions"][drawn].float()
        asked = moved(before)
        passages, right = data["passages"][drawn].float(), data["right"][drawn]
        unreal = ~data["real"][drawn]
        near = torch.einsum("bd,bkd->bk", asked, passages)
        mixed = _FACTOR * (near + data["words"][drawn])
        first = passages[:, 0]
        same = (first @ first.T > _SAME) & ~torch.eye(len(drawn), dtype=torch.bool)
        others = (_FACTOR * asked @ first.T).masked_fill(same, -1e4)
        kept = [(asked * before).sum(1), (moved(titles) * titles).sum(1)]
        loss = (
            listwise(mixed.masked_fill(unreal, -1e4), right)
            + 0.5 * listwise((_FACTOR * near).masked_fill(unreal, -1e4), right)
            + 0.5 * cross_entropy(others, torch.arange(len(drawn)))
            + _TIE * options.tie * (1 - torch.cat(kept)).mean()
        )
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(moved.parameters(), 1.0)
        optimizer.step()
    return moved


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("candidates", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch", type=int, default=192)
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--tie", type=float, default=0.12)
    parser.add_argument("--share", type=float, default=0.7)
    options = parser.parse_args()
    read = np.load(options.candidates)
    data = {name: torch.from_numpy(read[name]) for name in read.files if name != "kinds"}
    names, kinds, counts = np.unique(read["kinds"], return_inverse=True, return_counts=True)
    # A kind is drawn as often as the root of its size says, times its share.
    shares = np.array([SHARES[str(name)] for name in names]) / np.sqrt(counts)
    odds = torch.from_numpy(shares[kinds])
    runs = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        run = fit(data, odds, options)
        runs.append(torch.cat([run.matrix, run.constant[None]]).detach())
    moved = options.share * torch.stack(runs).mean(0)
    np.save(options.out, moved.to(torch.float16).numpy())


if __name__ == "__main__":
    main()
