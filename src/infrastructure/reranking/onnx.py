"""The bundled cross-encoder on onnxruntime.

Each pair is a run of its own, on one thread, and several runs go side by side. So a pair's
score is the same to the last bit whatever else is asked, nothing is padded, and two cores are
used as well as by one run on two threads.
"""

import hashlib
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.reranking import bundled

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer


class BundledReranker:
    """Nothing is loaded before the first pair is scored.

    ``tokenizer`` is the folder of all-MiniLM-L6-v2's ``tokenizer.json``; ``threads`` is how
    many pairs are scored at a time.
    """

    def __init__(self, tokenizer: Path, *, threads: int = 2) -> None:
        self._tokenizer_file = tokenizer / "tokenizer.json"
        self._threads = threads

    @property
    def name(self) -> str:
        return bundled.NAME

    @cached_property
    def fingerprint(self) -> str:
        bundled.weights_path()
        parts = [
            bundled.WEIGHTS_SHA256,
            bundled.file_sha256(self._tokenizer_file),
            repr((bundled.CALIBRATION, bundled.MAX_TOKENS, bundled.QUERY_TOKENS)),
        ]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        if not passages:
            return []
        head = self._ids(query)[: bundled.QUERY_TOKENS]
        pairs = [(head, self._ids(passage)) for passage in passages]
        # Loaded before the threads begin: a cached property may be computed twice by two.
        session = self._session
        with ThreadPoolExecutor(max_workers=min(self._threads, len(pairs))) as pool:
            logits = pool.map(lambda pair: self._logit(session, *pair), pairs)
            return [_probability(logit) for logit in logits]

    def _logit(self, session: "InferenceSession", query: list[int], passage: list[int]) -> float:
        import numpy as np

        room = bundled.MAX_TOKENS - len(query) - 3
        start, stop = self._marks
        first = [start, *query, stop]
        second = [*passage[:room], stop]
        ids = np.array([first + second], dtype=np.int64)
        segments = np.array([[0] * len(first) + [1] * len(second)], dtype=np.int64)
        feed: dict[str, Any] = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": segments,
        }
        (logits,) = session.run(None, feed)
        return float(logits[0, 0])

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    @cached_property
    def _marks(self) -> tuple[int, int]:
        start, stop = (self._tokenizer.token_to_id(mark) for mark in ("[CLS]", "[SEP]"))
        if start is None or stop is None:
            raise ModelUnavailable(
                f"{self._tokenizer_file}: not the tokenizer of {bundled.NAME}; reinstall citeloom"
            )
        return start, stop

    @cached_property
    def _session(self) -> "InferenceSession":
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        path = bundled.weights_path()
        try:
            return onnxruntime.InferenceSession(
                str(path), sess_options=options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise ModelUnavailable(
                f"{path}: onnxruntime cannot load it ({error}); reinstall citeloom"
            ) from error

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(str(self._tokenizer_file))
        except Exception as error:
            raise ModelUnavailable(
                f"{self._tokenizer_file}: not a tokenizer ({error}); reinstall citeloom"
            ) from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer


def _probability(logit: float) -> float:
    known = bundled.CALIBRATION
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, known.scale * logit + known.offset))))
