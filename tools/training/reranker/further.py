"""Train the shipped weights further on questions to papers and abstracts, on a thread of a CPU.

    python further.py --shipped DATA --tokenizer tokenizer.json --rows ROWS --out OUT

DATA and OUT are folders with the two graphs. ROWS, of ``rows.py`` and ``pools.py``: questions with
the first passages of a first order. A group is a passage that answers and three that do not, two of
them from the first four; an unanswered question has its first two and two others. Beside the order
a group learns whether anything in it answers, which the warning reads. The head after ``EXIT``
layers learns the same, and the logits of the whole. The embeddings stay as they are; products are
bfloat16. After the mean with the weights before, the early head alone learns for ``--head`` minutes
more.
"""

import argparse
import hashlib
import json
import random
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor
from torch.nn import functional

import network
from graph import EXIT, NAMES, build
from model import CrossEncoder, Shape
from pairs import PairTokens

GROUPS, SIZE, FIRST, POINTWISE, ANY, EARLY, TOWARDS = 8, 4, 10.0, 0.35, 0.5, 0.4, 0.5
SINGLE = 0.1
MIXTURE = {
    "paper": 0.49, "paper unanswered": 0.25, "asked": 0.10, "unanswered": 0.06,
    "abstract": 0.31, "abstract unanswered": 0.19, "claim": 0.11, "covid": 0.03, "covid gone": 0.02,
    "trial": 0.02, "old": 0.03, "old unanswered": 0.01, "scifact": 0.05,
}  # fmt: skip
PLACES = 192


def shipped(folder: Path) -> dict[str, Tensor]:
    """The weights of the two ONNX files that ``graph.build`` made, as floats."""
    first = weights_of(onnx.load(folder / "model.onnx").graph, "exit.", range(EXIT))
    rest = weights_of(onnx.load(folder / "rest.onnx").graph, "", range(EXIT, 6))
    return {name: torch.from_numpy(np.array(x, np.float32)) for name, x in (first | rest).items()}


def weights_of(made: onnx.GraphProto, prefix: str, layers: range) -> dict[str, np.ndarray]:
    values = {one.name: numpy_helper.to_array(one) for one in made.initializer}
    kinds = defaultdict(list)
    for node in made.node:
        kinds[node.op_type].append(node)
    found: dict[str, np.ndarray] = {}
    parts = [f"layers.{n}.{x}" for n in layers for x in ("qkv", "out", "up", "down")]
    for node, name in zip(kinds["DynamicQuantizeMatMul"], parts, strict=True):
        weight = values[node.input[1]].astype(np.float32) * values[node.input[2]][None]
        bias = values[node.input[4]]
        if name.endswith("qkv"):  # the scaling of attention lies in the query's weights
            factor = np.r_[np.full(384, 32**-0.5), np.ones(768)].astype(np.float32)
            weight, bias = weight / factor, bias / factor
        found[f"{name}.weight"], found[f"{name}.bias"] = weight.T, bias
    norms = [f"layers.{n}.{x}_norm" for n in layers for x in ("out", "down")]
    norms = norms if layers.start else ["norm", *norms]
    for node, name in zip(kinds["LayerNormalization"], norms, strict=True):
        found[f"{name}.weight"], found[f"{name}.bias"] = (values[x] for x in node.input[1:])
    (pool,) = kinds["DequantizeLinear"]
    found[f"{prefix}pool.weight"] = (values[pool.input[0]] * values[pool.input[1]][None]).T
    heads = [one for one in kinds["MatMul"] if one.input[1] in (pool.output[0], *values)]
    for node, name in zip(heads, ("pool", "score"), strict=True):
        add = next(one for one in kinds["Add"] if one.input[0] == node.output[0])
        found[f"{prefix}{name}.bias"] = values[add.input[1]]
    found[f"{prefix}score.weight"] = values[heads[1].input[1]].T
    scaled = [one for one in kinds["Mul"] if values.get(one.input[1], np.zeros(0)).shape == (1,)]
    found[f"{prefix}factor"] = values[scaled[-1].input[1]]
    if not layers.start:
        tables = {one.shape: one for one in values.values() if one.ndim == 2}
        found["words.weight"] = tables[30522, 384].astype(np.float32) * tables[30522, 1]
        found["segments.weight"], found["places.weight"] = tables[2, 384], tables[PLACES, 384]
    return found


class Groups:
    """Groups of passages, drawn by the mixture; each question once before any comes again."""

    def __init__(self, rows: list[dict], seed: int) -> None:
        self.rng, self.waiting = random.Random(seed), defaultdict(list)
        self.rows = defaultdict(list)
        for row in rows:
            wrong = [one for one in row["cands"] if not one["right"]]
            right = [one for one in row["cands"] if one["right"]]
            if len(wrong) >= SIZE and (right or row["kind"].endswith(("unanswered", "gone"))):
                self.rows[row["kind"]].append((row["text"], right, wrong))

    def draw(self) -> tuple[list[tuple[str, str]], list[float], bool]:
        rng, kinds = self.rng, list(self.rows)
        kind = rng.choices(kinds, [MIXTURE[one] for one in kinds])[0]
        if not self.waiting[kind]:
            self.waiting[kind] = rng.sample(self.rows[kind], len(self.rows[kind]))
        question, right, wrong = self.waiting[kind].pop()
        if right:
            picked = rng.sample(wrong[:4], 2)
            others = [one for one in wrong[:12] if one not in picked]
            picked = [rng.choice(right), *picked, *rng.sample(others, SIZE - 3)]
        else:
            picked = wrong[:2] + rng.sample(wrong[2:8], SIZE - 2)
        if rng.random() < 0.3:
            question = question.removesuffix("?")
        name = "single" if rng.random() < SINGLE else "text"
        low = min(one["score"] for one in picked)
        spread = max(one["score"] for one in picked) - low or 1.0
        pairs = [(question, one[name]) for one in picked]
        return pairs, [(one["score"] - low) / spread for one in picked], bool(right)


def loss_of(logits: Tensor, scores: Tensor, answered: Tensor, offset: Tensor) -> Tensor:
    listwise = -0.5 * (
        functional.log_softmax(logits, 1)[:, 0]
        + functional.log_softmax(logits + FIRST * scores, 1)[:, 0]
    )
    truth = torch.zeros_like(logits)
    truth[:, 0] = answered.float()
    entropy = functional.binary_cross_entropy_with_logits
    point = entropy(logits, truth, reduction="none").mean(1)
    whole = entropy(torch.logsumexp(logits, 1) + offset, answered.float(), reduction="none")
    return (listwise * answered + POINTWISE * point + ANY * whole).mean()


def towards(early: Tensor, late: Tensor) -> Tensor:
    """How far the logits after ``EXIT`` layers are from those of the whole."""
    one, other = functional.log_softmax(early / 1.5, 1), functional.softmax(late / 1.5, 1)
    order = functional.kl_div(one, other, reduction="batchmean")
    return order + 0.03 * ((early - late) ** 2).mean()


def train(model: network.Network, groups: Groups, tokens: PairTokens, seconds: float,
          rate: float, fixed: tuple[str, ...]) -> None:  # fmt: skip
    """``fixed`` are the beginnings of the names of what stays as it is."""
    for name, value in model.named_parameters():
        value.requires_grad_(not name.startswith(fixed))
    offset = torch.tensor([2.8, 3.1], requires_grad=True)
    learnt = [(name, value) for name, value in model.named_parameters() if value.requires_grad]
    times = {"layers": 1, "exit": 8, "pool": 2, "score": 2, "factor": 2}
    parts = [{"params": [x], "of": times[name.split(".")[0]] * rate} for name, x in learnt]
    parts.append({"params": [offset], "of": 1e-2})
    optimiser = torch.optim.AdamW(parts, lr=rate, weight_decay=0.01)
    began = time.time()
    model.train()
    while (share := (time.time() - began) / seconds) < 1:
        for part in optimiser.param_groups:
            part["lr"] = part["of"] * max(0.02, min((share + 0.003) / 0.05, (1 - share) / 0.45, 1))
        drawn = [groups.draw() for _ in range(GROUPS)]
        encoded = [tokens.encode(*pair) for pairs, _, _ in drawn for pair in pairs]
        order = sorted(range(len(encoded)), key=lambda n: len(encoded[n][0]))
        found = []
        for at in range(0, len(order), 8):
            batch = tokens.batch([encoded[n] for n in order[at : at + 8]])
            with torch.autocast("cpu", dtype=torch.bfloat16):
                found.append(model.both(*batch).float())
        early, late = torch.cat(found, 1)[:, torch.tensor(order).argsort()].view(2, GROUPS, SIZE)
        scores = torch.tensor([its for _, its, _ in drawn])
        answered = torch.tensor([its for _, _, its in drawn])
        loss = loss_of(late, scores, answered, offset[1])
        loss = loss + EARLY * loss_of(early, scores, answered, offset[0])
        (loss + TOWARDS * towards(early, late.detach())).backward()
        torch.nn.utils.clip_grad_norm_([value for _, value in learnt], 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
    model.eval()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("shipped", "tokenizer", "rows", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=87)
    parser.add_argument("--head", type=float, default=4)
    parser.add_argument("--rate", type=float, default=4e-5)
    parser.add_argument("--share", type=float, default=0.7, help="of the new weights")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    torch.manual_seed(1)
    network.PLACES = PLACES
    before, model = shipped(options.shipped), network.Network(0.1)
    model.load_state_dict(before)
    rows = [json.loads(line) for line in options.rows.open(encoding="utf-8")]
    tokens, groups = PairTokens(options.tokenizer), Groups(rows, 1)
    fixed = ("words", "places", "segments", "norm")
    train(model, groups, tokens, 60 * options.minutes, options.rate, fixed)
    mean = network.mixed([model.state_dict(), before], [options.share, 1 - options.share])
    model.load_state_dict(mean)
    fixed = (*fixed, "layers", "pool", "score", "factor")
    train(model, groups, tokens, 60 * options.head, options.rate, fixed)
    exported = CrossEncoder(Shape(positions=PLACES), 0.0)
    exported.load_state_dict(model.state_dict())
    for name, built in zip(NAMES, build(exported.eval(), "dynamic"), strict=True):
        (options.out / name).write_bytes(built.SerializeToString())
        print(name, hashlib.sha256((options.out / name).read_bytes()).hexdigest())


if __name__ == "__main__":
    main()
