"""Deterministic judge of claims: numbers, words, negation, direction."""

from collections.abc import Sequence

from citeloom.domain.verification.claims.judgement import FITTED, Judgement, SourceSentence, judge

# To be raised with the rules of judgement (``FITTED`` versions the weights).
_VERSION = 2


class RuleJudge:
    """The judge that needs no language model."""

    @property
    def fingerprint(self) -> str:
        return f"core-{_VERSION}-{FITTED}"

    def judge(self, claim: str, evidence: Sequence[SourceSentence]) -> Judgement:
        return judge(claim, evidence)
