"""One stage of training: groups in, weights out, and on from where it was stopped."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from groups import Group
from model import CrossEncoder
from pairs import PairTokens

# Tokens of a product of matrices: more is not faster on a CPU.
TOGETHER = 2600
CHECKPOINT = 25
# The factor of the first stage's scores (0..1) that makes the best of logits of them, alone:
# 12, by the likelihood of the relevant documents among the first 20; a little less beside others.
FIRST_STAGE = 10.0


@dataclass(frozen=True)
class Stage:
    """``batch`` is a number of groups, ``head`` a factor on the rate of the head's weights,
    ``pointwise`` the share of the pointwise loss."""

    name: str
    rate: float
    batch: int
    head: float
    pointwise: float


def fit(
    model: CrossEncoder, tokens: PairTokens, groups: Sequence[Group], stage: Stage, work: Path
) -> None:
    """AdamW with a linear rise over a tenth of the steps and a linear fall.

    Forward and backward run in bfloat16, for which recent processors have instructions of
    their own; weights and the sum of gradients are kept in float32. Word embeddings stay
    as they are: words that no claim has must not fall behind. So do those of places.
    """
    model.train()
    model.words.weight.requires_grad_(False)
    model.places.weight.requires_grad_(False)
    model.bfloat16()
    running = [p for p in model.parameters() if p.requires_grad]
    learnt = [nn.Parameter(p.detach().float()) for p in running]
    optimiser = _optimiser(model, learnt, stage)
    steps = (len(groups) + stage.batch - 1) // stage.batch
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / (0.1 * steps), (steps - step) / (0.9 * steps))
    )
    checkpoint = work / f"{stage.name}.part"
    done, losses = _resumed(checkpoint, optimiser, schedule, learnt, running), []
    for step in range(done, steps):
        part = groups[step * stage.batch : (step + 1) * stage.batch]
        loss = _loss(model, tokens, part, stage.pointwise)
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
                f"{stage.name}: {step + 1}/{steps} loss {float(np.mean(losses[-10:])):.3f} "
                f"cpu {time.process_time():.0f} s",
                flush=True,
            )
    model.float()
    _copy(learnt, [p for p in model.parameters() if p.requires_grad])
    checkpoint.unlink(missing_ok=True)


def _loss(
    model: CrossEncoder, tokens: PairTokens, groups: Sequence[Group], pointwise_share: float
) -> Tensor:
    """Listwise cross-entropy, half of it with the first stage's scores added where they are
    known, so that the model learns what these miss; and a part of pointwise, so that a score
    means something without the others. Pairs of like length are computed together."""
    pairs = [tokens.encode(group.query, text) for group in groups for text in group.passages]
    order = sorted(range(len(pairs)), key=lambda place: len(pairs[place][0]))
    parts = [
        model(*tokens.batch([pairs[place] for place in part])).float()
        for part in _alike(order, [len(ids) for ids, _ in pairs])
    ]
    found = torch.cat(parts)[torch.tensor(order).argsort()]
    losses = []
    sizes = [len(group.passages) for group in groups]
    for group, scores in zip(groups, found.split(sizes), strict=True):
        truth = torch.zeros_like(scores)
        truth[0] = 1.0
        listwise = -functional.log_softmax(scores, dim=0)[0]
        if group.scores is not None:
            mixed = scores + FIRST_STAGE * torch.tensor(group.scores)
            listwise = 0.5 * (listwise - functional.log_softmax(mixed, dim=0)[0])
        pointwise = functional.binary_cross_entropy_with_logits(scores, truth)
        losses.append(listwise + pointwise_share * pointwise)
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


def _optimiser(
    model: CrossEncoder, learnt: Sequence[nn.Parameter], stage: Stage
) -> torch.optim.Optimizer:
    names = [name for name, p in model.named_parameters() if p.requires_grad]
    head, trunk = [], []
    for name, parameter in zip(names, learnt, strict=True):
        of_head = name in ("pool.weight", "score.weight", "score.bias", "factor")
        (head if of_head else trunk).append(parameter)
    groups = [{"params": trunk, "lr": stage.rate}, {"params": head, "lr": stage.head * stage.rate}]
    return torch.optim.AdamW(groups, weight_decay=0.01, fused=True)


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
