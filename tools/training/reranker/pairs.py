"""Token ids for pairs, and logits of a model over many of them."""

from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor

from model import CrossEncoder

MAX_TOKENS = 192
QUERY_TOKENS = 64


class PairTokens:
    """``[CLS] query [SEP] passage [SEP]``, the query cut first, then the passage."""

    def __init__(self, path: Path, max_tokens: int = MAX_TOKENS) -> None:
        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._start = self._tokenizer.token_to_id("[CLS]")
        self._stop = self._tokenizer.token_to_id("[SEP]")
        self._max_tokens = max_tokens

    def encode(self, query: str, passage: str) -> tuple[list[int], int]:
        """The ids, and how many of them belong to the query's segment."""
        first = self._tokenizer.encode(query, add_special_tokens=False).ids[:QUERY_TOKENS]
        room = self._max_tokens - len(first) - 3
        second = self._tokenizer.encode(passage, add_special_tokens=False).ids[:room]
        return [self._start, *first, self._stop, *second, self._stop], len(first) + 2

    def batch(self, pairs: Sequence[tuple[list[int], int]]) -> tuple[Tensor, Tensor]:
        """Ids and segments, padded with 0 to the longest."""
        longest = max(len(ids) for ids, _ in pairs)
        ids = torch.zeros(len(pairs), longest, dtype=torch.long)
        segments = torch.zeros_like(ids)
        for row, (tokens, border) in enumerate(pairs):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            segments[row, border : len(tokens)] = 1
        return ids, segments


@torch.inference_mode()
def logits(
    model: CrossEncoder, tokens: PairTokens, pairs: Sequence[tuple[str, str]], batch: int = 20
) -> list[float]:
    """One number a pair, in their order; in batches of like length, as exact as the weights."""
    model.eval()
    encoded = [tokens.encode(query, passage) for query, passage in pairs]
    order = sorted(range(len(encoded)), key=lambda place: len(encoded[place][0]))
    scores = [0.0] * len(encoded)
    for start in range(0, len(order), batch):
        part = order[start : start + batch]
        found = model(*tokens.batch([encoded[place] for place in part]))
        for place, score in zip(part, found.float().tolist(), strict=True):
            scores[place] = score
    return scores
