"""The bundled entailment model, described in ``data/MODEL_CARD.md``.

Its tokenizer is that of all-MiniLM-L6-v2, which is part of the embedding model.
"""

from functools import cache
from pathlib import Path
from typing import Final

from citeloom.infrastructure.models.judging.labels import LabelPlaces
from citeloom.infrastructure.models.weights import checked

NAME: Final = "citeloom-judge-minilm"
WEIGHTS_SHA256: Final = "48c77eff927ad21a937f2febdf8a0f8c292b1293e0335f52ae1d06375ef4f359"
MAX_TOKENS: Final = 128
CLAIM_TOKENS: Final = 64
LABELS: Final = LabelPlaces(support=1, contradict=2, outputs=3)


@cache
def weights_path() -> Path:
    """The ONNX file with verified sha256. Raises ModelUnavailable."""
    return checked(Path(__file__).parent / "data" / "model.onnx", WEIGHTS_SHA256, NAME)
