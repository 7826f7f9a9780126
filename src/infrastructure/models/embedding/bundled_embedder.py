"""Embedder of the bundled model on onnxruntime, without the imports of fastembed.

Texts are cut at the model's window; the graph averages the vectors of their tokens and gives the
mean length 1. Each text is a call of its own, so that its vector does not depend on others: the
int8 scale of a layer's input is that of the whole call.

The bundled embedding model: all-MiniLM-L6-v2, loaded without a network. Weights and tokenizer are
package data: the weights with matrix products of int8 (``tools/training/embedding``), the tokenizer
from upstream with ``model_max_length`` 256, the length the model was trained for. The vector of an
English question is moved by a matrix of its own towards those of what answers; texts, statements
and questions in other languages have the vector of the model, so that stored vectors stay.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.domain.projects.project import EmbeddingModel
from citeloom.domain.search.ranking import asks_in_english
from citeloom.infrastructure.models.onnx import (
    BundledSession,
    checked,
    in_parallel,
    tokenizer_at,
)
from citeloom.infrastructure.system.files import file_sha256

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

_DEFAULT_WINDOW = 512


class HuggingFaceTokens:
    """Counts with the ``tokenizer.json`` of a model folder, without truncation."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def window(self) -> int:
        """Maximum input length in tokens, including the two special ones."""
        try:
            text = (self._folder / "tokenizer_config.json").read_text(encoding="utf-8")
            length = json.loads(text).get("model_max_length")
        except (OSError, ValueError):
            length = None
        return int(length) if isinstance(length, int | float) and length < 1e6 else _DEFAULT_WINDOW

    def count(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False))

    def ends(self, text: str) -> Sequence[int]:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return [end for _, end in encoding.offsets]

    def inputs(self, texts: Sequence[str], window: int) -> list[list[int]]:
        """Token ids of each text, cut to ``window`` including the two special tokens."""
        encoded = self._tokenizer.encode_batch(texts, add_special_tokens=True)
        return [
            ids if len(ids) <= window else [*ids[: window - 1], ids[-1]]
            for ids in (encoding.ids for encoding in encoded)
        ]

    @property
    def _tokenizer(self) -> "Tokenizer":
        return tokenizer_at(self._folder / "tokenizer.json")


NAME = "all-MiniLM-L6-v2"
#: The model to fetch for questions and papers that are not in English.
OF_MANY_LANGUAGES = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
ALIASES = frozenset({NAME.lower(), f"fastembed/{NAME}".lower()})
DIMENSION = 384
MAX_TOKENS = 256
SIZE_MB = 23
WEIGHTS_SHA256 = "1a3ced595371ba8797659099603189b01484d11b3a7b2a58d2de3c388fd646f9"
ASKED_SHA256 = "bf51b2a6d1471115e801373f72d25338593ee3e094acd9d02991c9aedeae3228"


def tokenizer_folder() -> Path:
    return Path(__file__).parent / "data" / "all-minilm-l6-v2"


@cache
def weights_path() -> Path:
    """The ONNX file with verified sha256. Raises ModelUnavailable."""
    return checked(tokenizer_folder() / "model.onnx", WEIGHTS_SHA256, NAME)


@cache
def towards_answers() -> "NDArray[np.float32]":
    """What is added to a question's vector (decision 0102): a matrix (384, 384) for the vector and,
    as the last row, a constant. Raises ModelUnavailable."""
    import numpy as np

    path = checked(tokenizer_folder() / "asked.npy", ASKED_SHA256, f"{NAME} for questions")
    return np.asarray(np.load(path), dtype=np.float32)


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


# Texts at a time; the longest first, so that all threads end together.
_WINDOW = 512


class BundledEmbedder:
    """Loads lazily. Raises ModelUnavailable where weights or tokenizer are missing or
    unexpected."""

    def __init__(self, *, threads: int = 2) -> None:
        self._threads = threads
        self._session = BundledSession(weights_path)

    def load_ahead(self) -> None:
        """Start loading the weights in the background."""
        self._session.open_ahead()

    @cached_property
    def model(self) -> EmbeddingModel:
        weights_path()
        return EmbeddingModel(
            name=NAME,
            dimension=DIMENSION,
            digest=digest(WEIGHTS_SHA256, tokenizer_folder()),
            max_tokens=MAX_TOKENS,
        )

    @cached_property
    def tokens(self) -> HuggingFaceTokens:
        return HuggingFaceTokens(tokenizer_folder())

    def embed(self, texts: Iterable[str]) -> Iterator[Sequence[float]]:
        stream = iter(texts)
        while window := list(islice(stream, _WINDOW)):
            inputs = self.tokens.inputs(window, MAX_TOKENS)
            order = sorted(range(len(inputs)), key=lambda i: -len(inputs[i]))
            made = in_parallel(self._vector, [inputs[i] for i in order], self._threads)
            vectors = dict(zip(order, made, strict=True))
            yield from (vectors[i] for i in range(len(window)))

    def embed_query(self, text: str, is_claim: bool = False) -> Sequence[float]:
        (ids,) = self.tokens.inputs([text], MAX_TOKENS)
        vector = self._vector(ids)
        return vector if is_claim or not asks_in_english(text) else _asked(vector)

    def _vector(self, ids: Sequence[int]) -> Sequence[float]:
        """The vector of token ids, which include the special tokens."""
        import numpy as np

        (vectors,) = self._session().run(None, {"ids": np.array([ids], dtype=np.int64)})
        vector: list[float] = vectors[0].tolist()
        return vector


def _asked(vector: Sequence[float]) -> Sequence[float]:
    """The vector of an English question, of length 1, from that of its text."""
    import numpy as np

    was = np.array([*vector, 1.0], dtype=np.float32)
    moved = was[:-1] + was @ towards_answers()
    asked: list[float] = (moved / np.linalg.norm(moved)).tolist()
    return asked
