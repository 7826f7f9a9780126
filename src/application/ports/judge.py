"""Port: who says whether sentences bear out a claim."""

from collections.abc import Sequence
from typing import Protocol

from citeloom.domain.claims.judging import Evidence, Judgement


class Judge(Protocol):
    @property
    def fingerprint(self) -> str:
        """Names what judges and its version: where it differs, judgements may."""

    def judge(self, claim: str, evidence: Sequence[Evidence]) -> Judgement:
        """``evidence`` are sentences of one document, the most relevant first; none gives
        UNSUPPORTED."""
