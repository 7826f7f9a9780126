"""Deterministic judge of claims: numbers, words, negation, direction."""

from collections.abc import Sequence

from citeloom.domain.verification.claims.judgement import (
    PARAMETERS_DIGEST,
    Judgement,
    SourceSentence,
    judge,
)

# To be raised with the rules of judgement (``PARAMETERS_DIGEST`` versions the weights).
_VERSION = 2


class RuleJudge:
    """The judge that needs no language model."""

    @property
    def fingerprint(self) -> str:
        return f"core-{_VERSION}-{PARAMETERS_DIGEST}"

    def judge(self, claim: str, evidence: Sequence[SourceSentence]) -> Judgement:
        return judge(claim, evidence)
