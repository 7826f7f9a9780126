"""The cross-encoder: MiniLM's layers, and one number for a pair of query and passage.

The layers are BERT's (Devlin et al. 2019); weights start from all-MiniLM-L6-v2. The number is the
cosine of query and passage, each the mean of its tokens, times a learnt factor, and what a small
head makes of the first token and the mean of all. The start weights were trained for such cosines,
so that the untrained model puts the right one of five passages first in two cases of three to four
of five (short general groups); what is learnt is a correction.
"""

from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

# At the start: logits differ by about 1 within a group, and lie about 0.
FACTOR = 20.0
USUAL_COSINE = 0.84
HEAD_SHARE = 0.3


@dataclass(frozen=True)
class Shape:
    layers: int = 6
    width: int = 384
    inner: int = 1536
    heads: int = 12
    vocabulary: int = 30522
    positions: int = 512
    epsilon: float = 1e-12


class SharedDropout(nn.Module):
    """Drops the same channels at all tokens of a sequence (batch x ... x width).

    As Gal & Ghahramani (2016) do along time; on a CPU, drawing a number for each token costs
    as much as a fifth of the step.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.rate == 0.0:
            return x
        shape = (x.shape[0], *(1 for _ in x.shape[1:-1]), x.shape[-1])
        kept = (torch.rand(shape) >= self.rate).to(x.dtype) / (1.0 - self.rate)
        return x * kept


class Layer(nn.Module):
    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.heads = shape.heads
        self.qkv = nn.Linear(shape.width, 3 * shape.width)
        self.out = nn.Linear(shape.width, shape.width)
        self.out_norm = nn.LayerNorm(shape.width, eps=shape.epsilon)
        self.up = nn.Linear(shape.width, shape.inner)
        self.down = nn.Linear(shape.inner, shape.width)
        self.down_norm = nn.LayerNorm(shape.width, eps=shape.epsilon)
        self.dropout = SharedDropout(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        batch, length, width = x.shape
        parts = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        alike = q @ k.transpose(-1, -2) * (width // self.heads) ** -0.5 + mask
        seen = functional.softmax(alike, dim=-1) @ v
        seen = seen.transpose(1, 2).reshape(batch, length, width)
        x = self.out_norm(x + self.dropout(self.out(seen)))
        inner = functional.gelu(self.up(x))
        return self.down_norm(x + self.dropout(self.down(inner)))


class Head(nn.Module):
    """What a number is made of; the cross-encoder's own, or that after ``graph.EXIT`` layers."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.pool = nn.Linear(2 * width, width)
        self.score = nn.Linear(width, 1)
        self.factor = nn.Parameter(torch.tensor([FACTOR]))


class CrossEncoder(nn.Module):
    """``forward`` takes ids and segments (batch x length, 0-padded) and gives logits (batch)."""

    def __init__(self, shape: Shape, dropout: float = 0.1) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.places = nn.Embedding(shape.positions, shape.width)
        self.segments = nn.Embedding(2, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=shape.epsilon)
        self.layers = nn.ModuleList(Layer(shape, dropout) for _ in range(shape.layers))
        self.pool = nn.Linear(2 * shape.width, shape.width)
        self.score = nn.Linear(shape.width, 1)
        self.factor = nn.Parameter(torch.tensor([FACTOR]))
        self.exit = Head(shape.width)
        self.dropout = SharedDropout(dropout)

    def forward(self, ids: Tensor, segments: Tensor) -> Tensor:
        x = self.states(ids, segments)
        everywhere = (ids != 0).to(x.dtype)[:, :, None]
        behind = (segments == 1).to(x.dtype)[:, :, None]
        pooled = torch.tanh(self.pool(torch.cat([x[:, 0], mean(x, everywhere)], dim=-1)))
        head = self.score(self.dropout(pooled)).squeeze(-1)
        query, passage = mean(x, everywhere - behind).float(), mean(x, behind).float()
        alike = functional.cosine_similarity(query, passage, dim=-1)
        return head.float() + self.factor.float() * alike

    def states(self, ids: Tensor, segments: Tensor) -> Tensor:
        """Of each token, batch x length x width."""
        real = ids != 0
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.words(ids) + self.places(places) + self.segments(segments)
        x = self.dropout(self.norm(x))
        mask = torch.zeros(real.shape, dtype=x.dtype).masked_fill(~real, -1e4)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        return x


def mean(x: Tensor, weights: Tensor) -> Tensor:
    return (x * weights).sum(1) / weights.sum(1)


def from_minilm(path: Path, shape: Shape, dropout: float) -> CrossEncoder:
    """Start weights from a ``model.safetensors`` of BERT's layout."""
    model = CrossEncoder(shape, dropout)
    source = {name.removeprefix("bert."): value for name, value in load_file(path).items()}
    state = model.state_dict()
    embeddings = {"words": "word", "places": "position", "segments": "token_type"}
    for ours, theirs in embeddings.items():
        state[f"{ours}.weight"] = source[f"embeddings.{theirs}_embeddings.weight"]
    for part in ("weight", "bias"):
        state[f"norm.{part}"] = source[f"embeddings.LayerNorm.{part}"]
        for place in range(shape.layers):
            layer = f"encoder.layer.{place}"
            state[f"layers.{place}.qkv.{part}"] = torch.cat(
                [source[f"{layer}.attention.self.{x}.{part}"] for x in ("query", "key", "value")]
            )
            for ours, theirs in {
                "out": "attention.output.dense",
                "out_norm": "attention.output.LayerNorm",
                "up": "intermediate.dense",
                "down": "output.dense",
                "down_norm": "output.LayerNorm",
            }.items():
                state[f"layers.{place}.{ours}.{part}"] = source[f"{layer}.{theirs}.{part}"]
    state["score.weight"] = HEAD_SHARE * state["score.weight"]
    state["score.bias"] = torch.full_like(state["score.bias"], -FACTOR * USUAL_COSINE)
    model.load_state_dict(state)
    return model
