"""The bundled embedding model: all-MiniLM-L6-v2, loaded without a network.

Weights and tokenizer are package data: the weights with matrix products of int8
(``tools/training/embedding``), the tokenizer from upstream with ``model_max_length`` 256, the
length the model was trained for.
"""

import hashlib
from functools import cache
from pathlib import Path

from citeloom.infrastructure.models.weights import checked, file_sha256

NAME = "all-MiniLM-L6-v2"
ALIASES = frozenset({NAME.lower(), f"fastembed/{NAME}".lower()})
DIMENSION = 384
MAX_TOKENS = 256
SIZE_MB = 23
WEIGHTS_SHA256 = "1a3ced595371ba8797659099603189b01484d11b3a7b2a58d2de3c388fd646f9"


def tokenizer_folder() -> Path:
    return Path(__file__).parent / "data" / "all-minilm-l6-v2"


@cache
def weights_path() -> Path:
    """The ONNX file with verified sha256. Raises ModelUnavailable."""
    return checked(tokenizer_folder() / "model.onnx", WEIGHTS_SHA256, NAME)


def digest(weights_sha256: str, tokenizer: Path, prefix: str = "") -> str:
    """Fingerprint of a model's vectors: weights, tokenizer files, and the prefix of passages."""
    parts = [weights_sha256]
    parts += [
        file_sha256(tokenizer / name)
        for name in ("tokenizer.json", "tokenizer_config.json")
        if (tokenizer / name).exists()
    ]
    parts += [prefix] if prefix else []
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
