"""Cross-encoders on onnxruntime: models that score a pair of texts.

Each pair is one run on one thread, with several runs in parallel. So the logits of a pair are
bit-identical whatever else is scored, nothing is padded, and two cores are used as well as by one
run on two threads. Of a model of two graphs the second goes on from what the first found.
"""

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.system.files import file_sha256

from .onnx import REINSTALL, BundledSession, Input, Output, in_parallel, tokenizer_at

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer


class Begun(NamedTuple):
    """The outputs of a first graph for a pair, and what the second one takes."""

    logits: list[float]
    feed: dict[str, Any]


class CrossEncoder:
    """Loads the model with the first pair.

    ``weights`` gives the verified path of the ONNX file; ``tokenizer`` is the folder of
    all-MiniLM-L6-v2's ``tokenizer.json``; ``threads`` is the number of pairs scored in parallel.
    The first text is cut to ``first_tokens``, both together to ``max_tokens`` with three special
    tokens. ``rest`` gives the second graph, if there is one.
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
        rest: Callable[[], Path] | None = None,
    ) -> None:
        self._name = name
        self._weights = weights
        self._tokenizer_file = tokenizer / "tokenizer.json"
        self._max_tokens = max_tokens
        self._first_tokens = first_tokens
        self._threads = threads
        self.session: Final = BundledSession(weights)
        self.rest: Final = BundledSession(rest) if rest else self.session

    def fingerprint(self, weights_sha256: str, *parameters: object) -> str:
        """Digest of the verified weights, the tokenizer and ``parameters``. Raises
        ModelUnavailable."""
        self._weights()
        parts = [weights_sha256, file_sha256(self._tokenizer_file), repr(parameters)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def logits(self, first: str, seconds: Sequence[str]) -> list[list[float]]:
        """The model's outputs for ``first`` with each of ``seconds``. Raises ModelUnavailable."""
        return [begun.logits for begun in self.begun(first, seconds)]

    def begun(self, first: str, seconds: Sequence[str]) -> list[Begun]:
        """What the first graph, or the only one, finds of each pair. Raises ModelUnavailable."""
        if not seconds:
            return []
        # Loaded before the threads start: two threads may compute a cached property twice.
        session, (start, stop) = self.session(), self._special_tokens
        first_ids = [start, *self._ids(first)[: self._first_tokens], stop]
        room = self._max_tokens - len(first_ids) - 1
        second_ids = [[*self._ids(text)[:room], stop] for text in seconds]
        return self._parallel(lambda ids: _begun(session, first_ids, ids), second_ids)

    def ended(self, begun: Sequence[Begun]) -> list[list[float]]:
        """The outputs of the second graph. Raises ModelUnavailable."""
        if not begun:
            return []
        session = self.rest()
        return self._parallel(lambda one: session.run(None, one.feed)[0][0].tolist(), begun)

    def _parallel(self, run: Callable[[Input], Output], inputs: Sequence[Input]) -> list[Output]:
        return list(in_parallel(run, inputs, min(self._threads, len(inputs))))

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


def _begun(session: "InferenceSession", first: list[int], second: list[int]) -> Begun:
    import numpy as np

    ids = np.array([first + second], dtype=np.int64)
    segments = np.array([[0] * len(first) + [1] * len(second)], dtype=np.int64)
    both = {"attention_mask": np.ones_like(ids), "token_type_ids": segments}
    found: list[Any] = session.run(None, {"input_ids": ids, **both})
    return Begun(found[0][0].tolist(), both | dict(zip(("states",), found[1:], strict=False)))
