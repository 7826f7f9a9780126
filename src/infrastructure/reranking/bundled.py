"""The cross-encoder that comes with the package; ``models/MODEL_CARD.md`` says what it is.

Its tokenizer is all-MiniLM-L6-v2's, which the package has for its embedding model already.
"""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from citeloom.domain.errors import ModelUnavailable

NAME = "citeloom-reranker-minilm"
ALIASES = frozenset({NAME, "bundled"})
WEIGHTS_SHA256 = "3b5e284cd502e83aa0f7b7a2f7ebc10ffc0aa9643c3bc3c497521f904cfd3568"
SIZE_MB = 24
MAX_TOKENS = 144
QUERY_TOKENS = 64


@dataclass(frozen=True, slots=True)
class Calibration:
    """``1 / (1 + exp(-(scale * logit + offset)))`` is the probability that a pair belongs
    together, as far as claims and candidates like those of the training data go (Platt 1999)."""

    scale: float
    offset: float


CALIBRATION = Calibration(scale=0.826, offset=-1.259)


def folder() -> Path:
    return Path(__file__).parent / "models"


@cache
def weights_path() -> Path:
    """The ONNX file, after its sha256 was checked. Raises ModelUnavailable."""
    return checked(folder() / "model.onnx", WEIGHTS_SHA256)


def checked(path: Path, sha256: str) -> Path:
    """``path``, if it holds what ``sha256`` says. Raises ModelUnavailable."""
    try:
        digest = file_sha256(path)
    except OSError as error:
        raise ModelUnavailable(
            f"{path}: the weights of {NAME} cannot be read ({error.strerror}); reinstall citeloom"
        ) from error
    if digest != sha256:
        raise ModelUnavailable(
            f"{path}: these are not the weights of {NAME} (sha256 {digest[:16]}…, expected "
            f"{sha256[:16]}…); reinstall citeloom"
        )
    return path


def file_sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
