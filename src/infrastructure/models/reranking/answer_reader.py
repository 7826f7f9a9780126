"""The bundled reader of answers: how probably a sentence answers a question or fills a column.

Its first three layers are the reranker's, the others its own (``data/MODEL_CARD.md``).
"""

from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Final

from citeloom.infrastructure.models.cross_encoder import CrossEncoder
from citeloom.infrastructure.models.onnx import checked

from . import rerankers

NAME: Final = "citeloom-columns-minilm"
WEIGHTS_SHA256: Final = "46cd4c68617bf9cc83367aa392be34fe43713d45ec65b36ac87cb1948b881470"
MAX_TOKENS: Final = 128
QUESTION_TOKENS: Final = 64


@cache
def weights_path() -> Path:
    """The file of the last layers, with verified sha256. Raises ModelUnavailable."""
    return checked(rerankers.folder() / "columns.onnx", WEIGHTS_SHA256, NAME)


class BundledAnswerReader:
    """Loads the model with the first pair.

    ``tokenizer`` is the folder of all-MiniLM-L6-v2's ``tokenizer.json``; ``threads`` is the number
    of pairs read in parallel.
    """

    def __init__(self, tokenizer: Path, *, threads: int = 2) -> None:
        self._encoder = CrossEncoder(
            NAME,
            rerankers.weights_path,
            tokenizer,
            max_tokens=MAX_TOKENS,
            first_tokens=QUESTION_TOKENS,
            threads=threads,
            rest=weights_path,
        )

    @cached_property
    def fingerprint(self) -> str:
        first = rerankers.WEIGHTS["model.onnx"]
        return self._encoder.fingerprint(f"{first} {WEIGHTS_SHA256}", MAX_TOKENS, QUESTION_TOKENS)

    def odds(self, question: str, sentences: Sequence[str]) -> list[float]:
        begun = self._encoder.begun(question, sentences)
        return [logit for (logit,) in self._encoder.ended(begun)]
