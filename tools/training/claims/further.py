"""Train a judge further on one core of a CPU, from weights of any depth.

python further.py --data data.json.xz --tokenizer FILE --from six.npz --seconds 2700 --rate 1e-4
    --frozen 1 --seed 7 --out weights.npz

``--from`` is what ``starts.py`` or a run of this program wrote; the first ``--frozen`` layers and
the embeddings stay as they are.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from making import Maker
from network import Verdicts, start
from parts import Encoder, load

BATCH, AHEAD = 32, 8
MIX = {"written": .74, "sentences": .06, "several": .02, "titles": .04, "entailments": .05,
       "claims": .03, "fever": .02, "findings": .02, "answers": .01, "conclusions": .01
}  # fmt: skip


class Shared(nn.Dropout):
    """Drops the same channels at all tokens of a pair: on a CPU a number for each is dear."""

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim < 3 or not self.training:
            return super().forward(input)
        ones = input.new_ones(input.shape[0], 1, input.shape[-1])
        return input * functional.dropout(ones, self.p, True)


def started(path: Path, frozen: int) -> Verdicts:
    model = start(path, 0)
    for layer in [*model.layers, model]:
        layer.dropout = Shared(layer.dropout.p)
    for one in (model.words, model.places, model.segments, model.norm, *model.layers[:frozen]):
        one.requires_grad_(False)
    return model.train()


def batches(o: argparse.Namespace) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Token ids, segments, and labels, of ``BATCH`` pairs of like length."""
    maker = Maker(load(o.data), f"further {o.seed}")
    kinds = [maker.pairs(kind) for kind in MIX]
    encode, rng = Encoder(o.tokenizer), np.random.RandomState(o.seed)
    shares = np.array(list(MIX.values()))
    while True:
        counts = rng.multinomial(AHEAD * BATCH, shares / shares.sum())
        made = [next(k)[0] for k, count in zip(kinds, counts, strict=True) for _ in range(count)]
        ids, borders = encode([(one.claim, one.evidence) for one in made])
        order = np.argsort([len(one) for one in ids], kind="stable").reshape(AHEAD, BATCH)
        for part in order[rng.permutation(AHEAD)]:
            longest = max(len(ids[n]) for n in part)
            block = torch.zeros(BATCH, longest + -longest % 8, dtype=torch.long)
            segments = torch.zeros_like(block)
            for row, n in enumerate(part):
                block[row, : len(ids[n])] = torch.tensor(ids[n])
                segments[row, borders[n] : len(ids[n])] = 1
            yield block, segments, torch.tensor([made[n].label for n in part])


def main() -> None:
    o = _options()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    torch.manual_seed(o.seed)
    model = started(o.start, o.frozen)
    learnt = [(name, one) for name, one in model.named_parameters() if one.requires_grad]
    plain = [one for name, one in learnt if one.ndim < 2 or "norm" in name]
    matrices = [one for name, one in learnt if one.ndim > 1 and "norm" not in name]
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=o.rate, betas=(0.9, 0.98), fused=True)
    made = batches(o)
    step, began = 0, time.time()
    while (gone := (time.time() - began) / o.seconds) < 1:
        ids, segments, labels = next(made)
        for group in optimiser.param_groups:
            group["lr"] = o.rate * min(gone / 0.04 + 0.01, (1 - gone) / 0.96 + 1e-3)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(ids, segments)
        loss = functional.cross_entropy(logits, labels, label_smoothing=0.05)
        loss.backward()
        nn.utils.clip_grad_norm_([one for _, one in learnt], 1.0)
        optimiser.step()
        optimiser.zero_grad()
        step += 1
        if step % 50 == 0:
            rate = step * BATCH / (time.time() - began)
            print(f"{step} loss {loss.item():.3f}, {rate:.0f} pairs/s", flush=True)
    np.savez(o.out, **{name: value.numpy() for name, value in model.state_dict().items()})


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("data", "tokenizer", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--from", dest="start", type=Path, required=True)
    for name in ("frozen", "seed"):
        parser.add_argument(f"--{name}", type=int, required=True)
    for name in ("seconds", "rate"):
        parser.add_argument(f"--{name}", type=float, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
