"""The verdict model that comes with the package; ``models/MODEL_CARD.md`` says what it is.

Its tokenizer is all-MiniLM-L6-v2's, which the package has for its embedding model already.
"""

from functools import cache
from pathlib import Path

from citeloom.infrastructure.cross_encoding import checked

NAME = "citeloom-verdict-minilm"
WEIGHTS_SHA256 = ""
MAX_TOKENS = 128
CLAIM_TOKENS = 64


def folder() -> Path:
    return Path(__file__).parent / "models"


@cache
def weights_path() -> Path:
    """The ONNX file, after its sha256 was checked. Raises ModelUnavailable."""
    return checked(folder() / "model.onnx", WEIGHTS_SHA256, NAME)
