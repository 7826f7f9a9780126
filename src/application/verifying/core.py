"""The deterministic judge: numbers, words, negation, direction; no model but that of the
project's vectors."""

from collections.abc import Sequence

from citeloom.domain.claims.judging import Evidence, Judgement, judge

# Changes when the same sentences may be judged otherwise.
_VERSION = 1


class CoreJudge:
    @property
    def fingerprint(self) -> str:
        return f"core-{_VERSION}"

    def judge(self, claim: str, evidence: Sequence[Evidence]) -> Judgement:
        return judge(claim, evidence)
