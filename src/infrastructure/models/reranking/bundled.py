"""The cross-encoder that comes with the package; ``data/MODEL_CARD.md`` says what it is.

Its tokenizer is all-MiniLM-L6-v2's, which the package has for its embedding model already.
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
    """``1 / (1 + exp(-(scale * logit + offset)))`` is the probability that a pair belongs
    together, as far as claims and candidates like those of the training data go (Platt 1999)."""

    scale: float
    offset: float


CALIBRATION = Calibration(scale=0.507, offset=-0.147)


def folder() -> Path:
    return Path(__file__).parent / "data"


@cache
def weights_path() -> Path:
    """The ONNX file, after its sha256 was checked. Raises ModelUnavailable."""
    return checked(folder() / "model.onnx", WEIGHTS_SHA256, NAME)
