"""Entailment model with the bundled cross-encoder."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from citeloom.application.ports.verification import Entailment
from citeloom.infrastructure.models.cross_encoder import CrossEncoder
from citeloom.infrastructure.models.judging import bundled
from citeloom.infrastructure.models.judging.probabilities import entailment


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
        return self._encoder.fingerprint(
            bundled.WEIGHTS_SHA256, bundled.LABELS, bundled.MAX_TOKENS, bundled.CLAIM_TOKENS
        )

    def read(self, claim: str, premises: Sequence[str]) -> list[Entailment]:
        return [
            entailment(logits, bundled.LABELS) for logits in self._encoder.logits(claim, premises)
        ]
