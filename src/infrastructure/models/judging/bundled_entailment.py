"""Entailment model with the bundled cross-encoder."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from citeloom.application.ports.verification import Entailment
from citeloom.infrastructure.models.cross_encoder import CrossEncoder
from citeloom.infrastructure.models.judging import bundled
from citeloom.infrastructure.models.judging.probabilities import entailment
from citeloom.infrastructure.models.weights import file_sha256


class BundledEntailmentModel:
    """Loads the model with the first pair.

    ``tokenizer`` is the folder of all-MiniLM-L6-v2's ``tokenizer.json``; ``threads`` is the number
    of pairs read in parallel. The claim is cut to 64 tokens, both together to 128.
    """

    def __init__(self, tokenizer: Path, *, threads: int = 2) -> None:
        self._encoder = CrossEncoder(
            bundled.NAME,
            bundled.weights_path,
            tokenizer,
            max_tokens=bundled.MAX_TOKENS,
            first_tokens=bundled.CLAIM_TOKENS,
            threads=threads,
        )

    @cached_property
    def fingerprint(self) -> str:
        bundled.weights_path()
        parts = [
            bundled.WEIGHTS_SHA256,
            file_sha256(self._encoder.tokenizer_file),
            repr((bundled.LABELS, bundled.MAX_TOKENS, bundled.CLAIM_TOKENS)),
        ]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def read(self, claim: str, premises: Sequence[str]) -> list[Entailment]:
        return [
            entailment(logits, bundled.LABELS) for logits in self._encoder.logits(claim, premises)
        ]
