"""The cross-encoder of claim and evidence: NEI, SUPPORT, CONTRADICT; its training loop.

The layers are the reranker's (``../reranker/model.py``). What is read off them are the first token,
the means of claim and of evidence, their difference and their product (Conneau et al. 2017).
"""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

sys.path.append(str(Path(__file__).parent.parent / "reranker"))

from model import CrossEncoder, Shape, from_minilm, mean
from pair import Pair
from pairs import PairTokens

CLASSES = 3
MAX_TOKENS = 128
BATCH = 32


class Verdicts(CrossEncoder):
    """``forward`` gives logits, batch x 3."""

    def __init__(self, shape: Shape, dropout: float = 0.1) -> None:
        super().__init__(shape, dropout)
        del self.factor
        self.pool = nn.Linear(5 * shape.width, shape.width)
        self.score = nn.Linear(shape.width, CLASSES)

    def forward(self, ids: Tensor, segments: Tensor) -> Tensor:
        x = self.states(ids, segments)
        behind = (segments == 1).to(x.dtype)[:, :, None]
        before = (ids != 0).to(x.dtype)[:, :, None] - behind
        claim, evidence = mean(x, before), mean(x, behind)
        read = [x[:, 0], claim, evidence, (claim - evidence).abs(), claim * evidence]
        pooled = torch.tanh(self.pool(torch.cat(read, dim=-1)))
        scores: Tensor = self.score(self.dropout(pooled))
        return scores


def start(folder: Path, seed: int, dropout: float = 0.1) -> Verdicts:
    torch.manual_seed(seed)
    shape = Shape()
    found = Verdicts(shape, dropout)
    state = from_minilm(folder / "model.safetensors", shape, dropout).state_dict()
    layers = {k: v for k, v in state.items() if not k.startswith(("pool", "score", "factor"))}
    found.load_state_dict(layers, strict=False)
    return found


def tokens(folder: Path) -> PairTokens:
    return PairTokens(folder / "tokenizer.json", MAX_TOKENS)


def fit(
    model: Verdicts,
    words: PairTokens,
    pairs: Sequence[Pair],
    *,
    rate: float,
    name: str,
    seed: int,
    frozen: int = 0,
    part: Path | None = None,
) -> None:
    """One pass over ``pairs``; repeat them for more. AdamW, linear rise over a tenth of the
    steps, linear fall. Word embeddings and the ``frozen`` lowest layers stay as they are.

    Forward and backward run in bfloat16, weights and their optimiser in float32."""
    model.train()
    for fixed in (model.words, *(list(model.layers)[:frozen])):
        fixed.requires_grad_(False)
    if frozen:
        for fixed in (model.places, model.segments, model.norm):
            fixed.requires_grad_(False)
    model.bfloat16()
    running = [p for p in model.parameters() if p.requires_grad]
    learnt = [nn.Parameter(p.detach().float()) for p in running]
    optimiser = torch.optim.AdamW(learnt, lr=rate, weight_decay=0.01, fused=True)
    batches = _batches(words, pairs, seed)
    steps = len(batches)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / (0.1 * steps), (steps - step) / (0.9 * steps))
    )
    done = 0
    if part and part.exists():
        saved = torch.load(part)
        done = saved["done"]
        optimiser.load_state_dict(saved["optimiser"])
        schedule.load_state_dict(saved["schedule"])
        _copy(saved["learnt"], learnt)
        _copy(learnt, running)
    began, losses, seen = time.process_time(), [], 0
    for step, batch in enumerate(batches):
        if step < done:
            continue
        ids, segments = words.batch([pair for pair, _ in batch])
        truth = torch.tensor([label for _, label in batch])
        seen += ids.numel()
        logits = model(ids, segments).float()
        loss = functional.cross_entropy(logits, truth, label_smoothing=0.05)
        loss.backward()
        for parameter, exact in zip(running, learnt, strict=True):
            exact.grad = parameter.grad.float()
            parameter.grad = None
        torch.nn.utils.clip_grad_norm_(learnt, 1.0)
        optimiser.step()
        schedule.step()
        _copy(learnt, running)
        right = (logits.argmax(1) == truth).float().mean().item()
        losses.append((loss.item(), right))
        if step % 25 == 24 or step + 1 == steps:
            mean, share = np.mean(losses[-25:], axis=0)
            spent = time.process_time() - began
            print(
                f"{name}: {step + 1}/{steps} loss {mean:.3f} right {share:.3f} "
                f"cpu {spent:.0f} s, {seen / spent:.0f} tokens/s",
                flush=True,
            )
        if part and step % 100 == 99:
            saved = {
                "done": step + 1,
                "learnt": [p.detach() for p in learnt],
                "optimiser": optimiser.state_dict(),
                "schedule": schedule.state_dict(),
            }
            torch.save(saved, part)
    model.float()
    _copy(learnt, running)
    if part:
        part.unlink(missing_ok=True)


@torch.inference_mode()
def probabilities(
    model: Verdicts, words: PairTokens, asked: Sequence[tuple[str, str]]
) -> np.ndarray:
    """Pairs x (NEI, SUPPORT, CONTRADICT), in their order."""
    model.eval()
    encoded = [words.encode(*pair) for pair in asked]
    order = sorted(range(len(encoded)), key=lambda place: len(encoded[place][0]))
    found = np.zeros((len(encoded), CLASSES), dtype=np.float32)
    for first in range(0, len(order), BATCH):
        part = order[first : first + BATCH]
        logits = model(*words.batch([encoded[place] for place in part])).float()
        found[part] = functional.softmax(logits, dim=-1).numpy()
    return found


Encoded = tuple[tuple[list[int], int], int]


def _batches(words: PairTokens, pairs: Sequence[Pair], seed: int) -> list[list[Encoded]]:
    """Of like length within a stretch of sixteen batches, in random order."""
    rng = np.random.RandomState(seed)
    encoded = [(words.encode(one.claim, one.evidence), one.label) for one in pairs]
    found = []
    for first in range(0, len(encoded), 16 * BATCH):
        some = sorted(encoded[first : first + 16 * BATCH], key=lambda one: len(one[0][0]))
        found += [some[k : k + BATCH] for k in range(0, len(some), BATCH)]
    return [found[place] for place in rng.permutation(len(found))]


def _copy(source: Sequence[torch.Tensor], target: Sequence[torch.Tensor]) -> None:
    with torch.no_grad():
        for one, other in zip(source, target, strict=True):
            other.copy_(one)
