"""Embedder of the bundled model on onnxruntime, without the imports of fastembed.

Its vectors equal those of fastembed for the same files: texts are cut at the model's window, the
vectors of their tokens averaged, the mean normalized to length 1.
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
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
from citeloom.infrastructure.models.weights import open_session

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

# Sorted by length within a window, then embedded in small batches: padding costs CPU and
# memory, the number of calls does not.
_WINDOW = 512
_BATCH = 4


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
            order = sorted(range(len(inputs)), key=lambda i: (len(inputs[i]), i))
            batches = [order[start : start + _BATCH] for start in range(0, len(order), _BATCH)]
            vectors: dict[int, Sequence[float]] = {}
            with ThreadPoolExecutor(self._threads) as pool:
                results = pool.map(self._vectors, ([inputs[i] for i in batch] for batch in batches))
                for batch, batch_vectors in zip(batches, results, strict=True):
                    vectors.update(zip(batch, batch_vectors, strict=True))
            yield from (vectors[i] for i in range(len(window)))

    def embed_query(self, text: str) -> Sequence[float]:
        (vector,) = self._vectors(self.tokens.inputs([text], bundled.MAX_TOKENS))
        return vector

    def _vectors(self, inputs: Sequence[Sequence[int]]) -> list[Sequence[float]]:
        """Vectors of token ids, which include the special tokens."""
        import numpy as np

        longest = max(map(len, inputs))
        ids = np.full((len(inputs), longest), bundled.PADDING, dtype=np.int64)
        attention_mask = np.zeros_like(ids)
        for row, tokens in enumerate(inputs):
            ids[row, : len(tokens)] = tokens
            attention_mask[row, : len(tokens)] = 1
        feed = {
            "input_ids": ids,
            "attention_mask": attention_mask,
            "token_type_ids": np.zeros_like(ids),
        }
        states = self._session().run(None, feed)[0]
        means = [
            states[row, : len(tokens)].mean(axis=0, dtype=np.float64)
            for row, tokens in enumerate(inputs)
        ]
        return [(mean / np.linalg.norm(mean)).astype(np.float32).tolist() for mean in means]

    def _session(self) -> "InferenceSession":
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> "InferenceSession":
        path = bundled.weights_path()
        options = onnxruntime().SessionOptions()
        # Each thread has a batch of its own: within one, short texts leave little to parallelize,
        # and spinning threads take CPU time from others.
        options.intra_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        return open_session(path, options, bundled.REINSTALL)
