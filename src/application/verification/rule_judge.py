"""The deterministic judge: numbers, words, negation, direction; no model but that of the
project's vectors."""

from collections.abc import Sequence

from citeloom.domain.verification.claims.judgement import FITTED, Judgement, SourceSentence, judge

# Changes when the same sentences may be judged otherwise, for other reasons than the weights.
_VERSION = 2


class CoreJudge:
    @property
    def fingerprint(self) -> str:
        return f"core-{_VERSION}-{FITTED}"

    def judge(self, claim: str, evidence: Sequence[SourceSentence]) -> Judgement:
        return judge(claim, evidence)
