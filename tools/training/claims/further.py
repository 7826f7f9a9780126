"""Train the shipped judge further on one core of a CPU: claims over papers, with the old ones.

python further.py --data data.json.z --from model.onnx --texts blocks.json --tokenizer FILE
    --steps 800 --rate 1e-4 --seed 1 --out weights.npz

``--from`` is the shipped file, or weights of a run before. ``--texts`` has paragraphs of the
papers, ``[paper, [sentence, ...]]``.
"""

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn
from torch.nn import functional

from making import Maker
from network import HEADS, LAYERS, WIDTH, Verdicts
from parts import Encoder, load

BATCH, AHEAD = 32, 8
# Kinds of pairs, of the papers and of the older material, with their shares in the two runs.
PAPERS = {"wild": "written", "paragraphs": "sentences", "several": "several"}
FIRST = {"wild": .50, "paragraphs": .08, "several": .03, "written": .19, "claims": .08,
         "sentences": .04, "titles": .04, "fever": .02, "findings": .02}  # fmt: skip
THEN = {"wild": .52, "paragraphs": .12, "several": .03, "written": .15, "claims": .06,
        "sentences": .05, "titles": .03, "fever": .02, "findings": .02}  # fmt: skip
MIXES = {"first": FIRST, "then": THEN}


class Shared(nn.Dropout):
    """Drops the same channels at all tokens of a pair: on a CPU a number for each is dear."""

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim < 3 or not self.training:
            return super().forward(input)
        ones = input.new_ones(input.shape[0], 1, input.shape[-1])
        return input * functional.dropout(ones, self.p, True)


def unpacked(path: Path) -> dict[str, np.ndarray]:
    """The weights of a judge's ONNX file as floats; matrices are outputs x inputs."""
    held = [numpy_helper.to_array(one) for one in onnx.load(path).graph.initializer]
    values = iter([one for one in held if one.dtype in (np.float32, np.int8)])

    def linear() -> tuple[np.ndarray, np.ndarray]:
        weight = next(values)
        if weight.dtype == np.int8:
            weight = weight.astype(np.float32) * next(values)
        return weight.T.copy(), next(values).copy()

    found = {"places.weight": np.zeros((512, WIDTH), np.float32)}
    places = next(values)
    found["places.weight"][: len(places)] = places
    found["words.weight"] = next(values).astype(np.float32) * next(values)
    found["segments.weight"] = next(values)
    found["norm.weight"], found["norm.bias"] = next(values), next(values)
    # What hides absent tokens.
    next(values), next(values)
    parts = ("qkv", "out", "out_norm", "up", "down", "down_norm")
    for name in [*(f"layers.{n}.{part}" for n in range(LAYERS) for part in parts), "pool", "score"]:
        weight, bias = (next(values), next(values)) if "norm" in name else linear()
        if name.endswith("qkv"):
            # The scaling of attention lies in the query's weights there.
            weight[:WIDTH] *= (WIDTH // HEADS) ** 0.5
            bias[:WIDTH] *= (WIDTH // HEADS) ** 0.5
        found[f"{name}.weight"], found[f"{name}.bias"] = weight, bias
    return found


def started(path: Path) -> Verdicts:
    state = unpacked(path) if path.suffix == ".onnx" else dict(np.load(path))
    model = Verdicts()
    for layer in [*model.layers, model]:
        layer.dropout = Shared(layer.dropout.p)
    model.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in state.items()})
    for one in (model.words, model.places, model.segments):
        one.weight.requires_grad_(False)
    return model


def batches(data: dict[str, Any], o: argparse.Namespace) -> Iterator[tuple[Tensor, ...]]:
    """Token ids, segments, and labels, of ``BATCH`` pairs of like length."""
    rows = [row for row in data["written"] if row["source"].startswith("wild:")]
    texts = json.loads(o.texts.read_text())
    new = Maker(data | {"written": rows, "abstracts": texts}, f"new{o.seed}")
    rows = [row for row in data["written"] if not row["source"].startswith("wild:")]
    old = Maker(data | {"written": rows}, f"old{o.seed}")
    mix = MIXES[o.mix]
    pairs = [new.pairs(PAPERS[k]) if k in PAPERS else old.pairs(k) for k in mix]
    encode, rng = Encoder(o.tokenizer), np.random.RandomState(o.seed)
    while True:
        counts = rng.multinomial(AHEAD * BATCH, list(mix.values()))
        made = [
            next(kind)[0] for kind, count in zip(pairs, counts, strict=True) for _ in range(count)
        ]
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
    model = started(o.start).train()
    learnt = [(name, one) for name, one in model.named_parameters() if one.requires_grad]
    plain = [one for name, one in learnt if one.ndim < 2 or "norm" in name]
    matrices = [one for name, one in learnt if one.ndim > 1 and "norm" not in name]
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=o.rate, betas=(0.9, 0.98), fused=True)
    began = time.time()
    made = batches(load(o.data), o)
    for step in range(o.steps):
        ids, segments, labels = next(made)
        gone = step / o.steps
        for group in optimiser.param_groups:
            group["lr"] = o.rate * min(gone / 0.05 + 0.01, (1 - gone) / 0.95 + 1e-3)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(ids, segments)
        loss = functional.cross_entropy(logits, labels, label_smoothing=0.05)
        loss.backward()
        nn.utils.clip_grad_norm_([one for _, one in learnt], 1.0)
        optimiser.step()
        optimiser.zero_grad()
        if step % 25 == 24:
            rate = (step + 1) * BATCH / (time.time() - began)
            print(f"{step + 1} loss {loss.item():.3f}, {rate:.0f} pairs/s", flush=True)
    np.savez(o.out, **{name: value.numpy() for name, value in model.state_dict().items()})


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("data", "texts", "tokenizer", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--from", dest="start", type=Path, required=True)
    parser.add_argument("--mix", choices=sorted(MIXES), default="first")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
