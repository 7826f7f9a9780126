"""Deterministic judge of claims: numbers, words, negation, direction."""

from collections.abc import Sequence
from typing import Final

from citeloom.domain.verification.claims.judgement import Judgement, SourceSentence, judge

# To be raised with the rules of judgement.
_VERSION: Final = 4


class RuleJudge:
    """The judge that needs no model."""

    @property
    def fingerprint(self) -> str:
        return f"rules-{_VERSION}"

    def judge(self, claim: str, evidence: Sequence[SourceSentence]) -> Judgement:
        return judge(claim, evidence)
