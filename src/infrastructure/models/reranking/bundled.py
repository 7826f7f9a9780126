"""The bundled cross-encoder, described in ``data/MODEL_CARD.md``.

Its tokenizer is that of all-MiniLM-L6-v2, which is part of the embedding model.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from citeloom.infrastructure.models.weights import checked

NAME = "citeloom-reranker-minilm"
ALIASES = frozenset({NAME, "bundled"})
WEIGHTS_SHA256 = "bb44439ae80c396ca86d52846a89b2affe06d13827c6908a18ebdcbe0e897e1a"
SIZE_MB = 24
MAX_TOKENS = 192
QUERY_TOKENS = 64


@dataclass(frozen=True, slots=True)
class Calibration:
    """``1 / (1 + exp(-(scale * logit + offset)))`` is the probability that a pair is relevant, for
    claims and candidates like those of the training data (Platt 1999)."""

    scale: float
    offset: float


CALIBRATION = Calibration(scale=0.507, offset=-0.147)


def folder() -> Path:
    return Path(__file__).parent / "data"


@cache
def weights_path() -> Path:
    """The ONNX file with verified sha256. Raises ModelUnavailable."""
    return checked(folder() / "model.onnx", WEIGHTS_SHA256, NAME)
