"""Cross-encoders on onnxruntime: models that score a pair of texts.

Each pair is one run on one thread, with several runs in parallel. So the logits of a pair are
bit-identical whatever else is scored, nothing is padded, and two cores are used as well as by one
run on two threads.
"""

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.system.files import file_sha256

from .onnx import REINSTALL, BundledSession, in_parallel, tokenizer_at

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer


class CrossEncoder:
    """Loads the model with the first pair.

    ``weights`` gives the verified path of the ONNX file; ``tokenizer`` is the folder of
    all-MiniLM-L6-v2's ``tokenizer.json``; ``threads`` is the number of pairs scored in parallel.
    The first text is cut to ``first_tokens``, both together to ``max_tokens`` with three special
    tokens.
    """

    def __init__(
        self,
        name: str,
        weights: Callable[[], Path],
        tokenizer: Path,
        *,
        max_tokens: int,
        first_tokens: int,
        threads: int,
    ) -> None:
        self._name = name
        self._weights = weights
        self._tokenizer_file = tokenizer / "tokenizer.json"
        self._max_tokens = max_tokens
        self._first_tokens = first_tokens
        self._threads = threads
        self.session: Final = BundledSession(weights)

    def fingerprint(self, weights_sha256: str, *parameters: object) -> str:
        """Digest of the verified weights, the tokenizer and ``parameters``. Raises
        ModelUnavailable."""
        self._weights()
        parts = [weights_sha256, file_sha256(self._tokenizer_file), repr(parameters)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def logits(self, first: str, seconds: Sequence[str]) -> list[list[float]]:
        """The model's outputs for ``first`` with each of ``seconds``. Raises ModelUnavailable."""
        if not seconds:
            return []
        first_ids = self._ids(first)[: self._first_tokens]
        second_ids = [self._ids(text) for text in seconds]
        # Loaded before the threads start: two threads may compute a cached property twice.
        session, special_tokens = self.session(), self._special_tokens
        threads = min(self._threads, len(second_ids))
        return list(
            in_parallel(
                lambda ids: self._run(session, special_tokens, first_ids, ids), second_ids, threads
            )
        )

    def _run(
        self,
        session: "InferenceSession",
        special_tokens: tuple[int, int],
        first_ids: list[int],
        second_ids: list[int],
    ) -> list[float]:
        import numpy as np

        start, stop = special_tokens
        max_second = self._max_tokens - len(first_ids) - 3
        first = [start, *first_ids, stop]
        second = [*second_ids[:max_second], stop]
        ids = np.array([first + second], dtype=np.int64)
        segments = np.array([[0] * len(first) + [1] * len(second)], dtype=np.int64)
        feed: dict[str, Any] = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": segments,
        }
        (logits,) = session.run(None, feed)
        return [float(value) for value in logits[0]]

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    @cached_property
    def _special_tokens(self) -> tuple[int, int]:
        start, stop = (self._tokenizer.token_to_id(mark) for mark in ("[CLS]", "[SEP]"))
        if start is None or stop is None:
            raise ModelUnavailable(
                f"{self._tokenizer_file}: not the tokenizer of {self._name}; {REINSTALL}"
            )
        return start, stop

    @property
    def _tokenizer(self) -> "Tokenizer":
        return tokenizer_at(self._tokenizer_file)
