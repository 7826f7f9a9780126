"""The judge that also reads: the core's features and a cross-encoder, in one regression."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from citeloom.application.verifying.core import CoreJudge
from citeloom.domain.claims import joining, reading
from citeloom.domain.claims.judging import Evidence, Judgement
from citeloom.infrastructure.cross_encoding import CrossEncoder
from citeloom.infrastructure.judging import bundled


class Encoder(Protocol):
    def logits(self, first: str, seconds: Sequence[str]) -> list[list[float]]: ...


class EncoderJudge:
    """The same claim and evidence are judged alike, whatever else was judged before."""

    def __init__(self, encoder: Encoder, weights_sha256: str) -> None:
        self._encoder = encoder
        self._core = CoreJudge()
        self._weights = weights_sha256[:12]

    @property
    def fingerprint(self) -> str:
        return f"{self._core.fingerprint}+{self._weights}-{joining.FITTED}"

    def judge(self, claim: str, evidence: Sequence[Evidence]) -> Judgement:
        """Raises ModelUnavailable where the weights cannot be loaded."""
        judged = self._core.judge(claim, evidence)
        if judged.features is None:
            return judged
        texts = reading.texts(evidence)
        distinct = list(dict.fromkeys(texts))
        found = dict(zip(distinct, self._encoder.logits(claim, distinct), strict=True))
        return joining.joined(judged, [_shares(found[text]) for text in texts])


def bundled_judge(tokenizer: Callable[[], Path], *, threads: int = 2) -> EncoderJudge:
    """With the weights of the package; ``tokenizer`` gives the folder of all-MiniLM-L6-v2's."""
    encoder = CrossEncoder(
        bundled.NAME,
        bundled.weights_path,
        tokenizer(),
        max_tokens=bundled.MAX_TOKENS,
        first_tokens=bundled.CLAIM_TOKENS,
        threads=threads,
    )
    return EncoderJudge(encoder, bundled.WEIGHTS_SHA256)


def _shares(logits: Sequence[float]) -> list[float]:
    """Softmax."""
    highest = max(logits)
    raw = [math.exp(logit - highest) for logit in logits]
    return [one / sum(raw) for one in raw]
