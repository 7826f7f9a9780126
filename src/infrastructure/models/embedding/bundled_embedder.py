"""Embedder of the bundled model on onnxruntime, without the imports of fastembed.

Texts are cut at the model's window; the graph averages the vectors of their tokens and gives the
mean length 1. Each text is a call of its own, so that its vector does not depend on others: the
int8 scale of a layer's input is that of the whole call.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from threading import Lock, Thread
from typing import TYPE_CHECKING

from citeloom.domain.errors import CiteLoomError
from citeloom.domain.projects.embedding_model import EmbeddingModel
from citeloom.infrastructure.models.embedding import bundled
from citeloom.infrastructure.models.embedding.tokens import HuggingFaceTokens
from citeloom.infrastructure.models.onnx_runtime import onnxruntime
from citeloom.infrastructure.models.parallel_runs import in_parallel
from citeloom.infrastructure.models.weights import open_session

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

# Texts at a time; the longest first, so that all threads end together.
_WINDOW = 512


class BundledEmbedder:
    """Loads lazily. Raises ModelUnavailable where weights or tokenizer are missing or
    unexpected."""

    def __init__(self, *, threads: int = 2) -> None:
        self._threads = threads
        self._loading = Lock()
        self._loaded: InferenceSession | None = None

    def load_ahead(self) -> None:
        """Start loading the weights in a thread of its own. A failure is raised by the first call
        that needs them."""
        Thread(target=self._try_loading, name="model-loader").start()

    def _try_loading(self) -> None:
        with suppress(CiteLoomError):
            self._session()

    @cached_property
    def model(self) -> EmbeddingModel:
        bundled.weights_path()
        return EmbeddingModel(
            name=bundled.NAME,
            dimension=bundled.DIMENSION,
            digest=bundled.digest(bundled.WEIGHTS_SHA256, bundled.tokenizer_folder()),
            max_tokens=bundled.MAX_TOKENS,
        )

    @cached_property
    def tokens(self) -> HuggingFaceTokens:
        return HuggingFaceTokens(bundled.tokenizer_folder())

    def embed(self, texts: Iterable[str]) -> Iterator[Sequence[float]]:
        stream = iter(texts)
        while window := list(islice(stream, _WINDOW)):
            inputs = self.tokens.inputs(window, bundled.MAX_TOKENS)
            order = sorted(range(len(inputs)), key=lambda i: -len(inputs[i]))
            made = in_parallel(self._vector, [inputs[i] for i in order], self._threads)
            vectors = dict(zip(order, made, strict=True))
            yield from (vectors[i] for i in range(len(window)))

    def embed_query(self, text: str) -> Sequence[float]:
        (ids,) = self.tokens.inputs([text], bundled.MAX_TOKENS)
        return self._vector(ids)

    def _vector(self, ids: Sequence[int]) -> Sequence[float]:
        """The vector of token ids, which include the special tokens."""
        import numpy as np

        (vectors,) = self._session().run(None, {"ids": np.array([ids], dtype=np.int64)})
        vector: list[float] = vectors[0].tolist()
        return vector

    def _session(self) -> "InferenceSession":
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> "InferenceSession":
        path = bundled.weights_path()
        options = onnxruntime().SessionOptions()
        # Each thread has a text of its own: within one there is little to parallelize, and spinning
        # threads take CPU time from others.
        options.intra_op_num_threads = 1
        # Lengths differ from call to call: a plan of memory for each would only fill it.
        options.enable_mem_pattern = False
        return open_session(path, options)
