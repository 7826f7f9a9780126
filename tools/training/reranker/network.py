"""MiniLM's layers as a cross-encoder (the shipped shape) and as a bi-encoder."""

from itertools import accumulate
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from graph import EXIT

FACTOR, USUAL_COSINE, HEAD_SHARE = 20.0, 0.84, 0.3
LAYERS, WIDTH, INNER, HEADS, WORDS, PLACES, EPS = (
    6,
    384,
    1536,
    12,
    30522,
    512,
    1e-12,
)


class Layer(nn.Module):
    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.out_norm = nn.LayerNorm(WIDTH, eps=EPS)
        self.up = nn.Linear(WIDTH, INNER)
        self.down = nn.Linear(INNER, WIDTH)
        self.down_norm = nn.LayerNorm(WIDTH, eps=EPS)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        batch, length, _ = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        seen = seen.transpose(1, 2).reshape(batch, length, WIDTH)
        x = self.out_norm(x + self.dropout(self.out(seen)))
        return self.down_norm(x + self.dropout(self.down(functional.gelu(self.up(x)))))


class Head(nn.Module):
    """What a logit is made of, of the states of the tokens."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.pool = nn.Linear(2 * WIDTH, WIDTH)
        self.score = nn.Linear(WIDTH, 1)
        self.factor = nn.Parameter(torch.tensor([FACTOR]))
        self.dropout = nn.Dropout(dropout)
        with torch.no_grad():
            self.score.weight *= HEAD_SHARE
            self.score.bias.fill_(-FACTOR * USUAL_COSINE)


class Network(nn.Module):
    """``forward`` gives logits (batch), ``both`` also those after ``EXIT`` layers (2 x batch);
    ``vectors`` the normed means of the tokens."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Embedding(PLACES, WIDTH)
        self.segments = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=EPS)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS))
        self.pool = nn.Linear(2 * WIDTH, WIDTH)
        self.score = nn.Linear(WIDTH, 1)
        self.factor = nn.Parameter(torch.tensor([FACTOR]))
        self.exit = Head(dropout)
        self.dropout = nn.Dropout(dropout)
        self.words.weight.requires_grad_(False)
        self.places.weight.requires_grad_(False)

    def states(self, ids: Tensor, segments: Tensor) -> list[Tensor]:
        """After each layer, batch x length x width."""
        real = ids != 0
        x = self.words(ids) + self.places.weight[: ids.shape[1]] + self.segments(segments)
        x = self.dropout(self.norm(x))
        mask = real[:, None, None, :].expand(-1, -1, ids.shape[1], -1)
        return list(accumulate(self.layers, lambda x, layer: layer(x, mask), initial=x))[1:]

    def forward(self, ids: Tensor, segments: Tensor) -> Tensor:
        return logit(self, self.states(ids, segments)[-1], ids, segments)

    def both(self, ids: Tensor, segments: Tensor) -> Tensor:
        after = self.states(ids, segments)
        early = logit(self.exit, after[EXIT - 1], ids, segments)
        return torch.stack([early, logit(self, after[-1], ids, segments)])

    def vectors(self, ids: Tensor) -> Tensor:
        x = self.states(ids, torch.zeros_like(ids))[-1].float()
        return functional.normalize(mean(x, (ids != 0).float()[:, :, None]), dim=-1)


def logit(head: Head | Network, x: Tensor, ids: Tensor, segments: Tensor) -> Tensor:
    real = (ids != 0).float()[:, :, None]
    behind = (segments == 1).float()[:, :, None]
    exact = x.float()
    pooled = torch.tanh(head.pool(torch.cat([exact[:, 0], mean(exact, real)], dim=-1)))
    alike = functional.cosine_similarity(mean(exact, real - behind), mean(exact, behind), dim=-1)
    return head.score(head.dropout(pooled)).squeeze(-1).float() + head.factor * alike


def mean(x: Tensor, weights: Tensor) -> Tensor:
    return (x * weights).sum(1) / weights.sum(1).clamp(min=1)


def started(folder: Path, dropout: float, seed: int = 0) -> Network:
    torch.manual_seed(seed)
    model = Network(dropout)
    source = {
        k.removeprefix("bert."): v.float()
        for k, v in load_file(folder / "model.safetensors").items()
    }
    state = model.state_dict()
    for ours, theirs in {"words": "word", "places": "position", "segments": "token_type"}.items():
        state[f"{ours}.weight"] = source[f"embeddings.{theirs}_embeddings.weight"]
    for part in ("weight", "bias"):
        state[f"norm.{part}"] = source[f"embeddings.LayerNorm.{part}"]
        for n in range(LAYERS):
            at = f"encoder.layer.{n}"
            state[f"layers.{n}.qkv.{part}"] = torch.cat(
                [source[f"{at}.attention.self.{x}.{part}"] for x in ("query", "key", "value")]
            )
            for ours, theirs in {
                "out": "attention.output.dense",
                "out_norm": "attention.output.LayerNorm",
                "up": "intermediate.dense",
                "down": "output.dense",
                "down_norm": "output.LayerNorm",
            }.items():
                state[f"layers.{n}.{ours}.{part}"] = source[f"{at}.{theirs}.{part}"]
    state["score.weight"] = HEAD_SHARE * state["score.weight"]
    state["score.bias"] = torch.full_like(state["score.bias"], -FACTOR * USUAL_COSINE)
    model.load_state_dict(state)
    return model


def learnt(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """What training changes: all but the embeddings of words and places."""
    return {
        k: v.detach().float().cpu()
        for k, v in state.items()
        if k not in ("words.weight", "places.weight")
    }


def mixed(states: list[dict[str, Tensor]], shares: list[float] | None = None) -> dict[str, Tensor]:
    shares = shares or [1 / len(states)] * len(states)
    return {k: sum(w * s[k] for w, s in zip(shares, states, strict=False)) for k in states[0]}
