"""The verb *evaluate* for a judge of claims: its verdicts on labelled claims."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import mul
from pathlib import Path

from citeloom.application.ports.models import Embedder
from citeloom.application.ports.system import Clock
from citeloom.application.ports.verification import Judge
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.value import Value
from citeloom.domain.verification.claims.judgement import SourceSentence
from citeloom_evaluation.domain.claim_quality import (
    ClaimEvaluation,
    JudgedClaim,
    LabelledClaim,
    claim_quality,
)

from .evaluate import ClaimReader

#: Called with the claims judged and their total.
JudgeProgress = Callable[[int, int], None]


class ClaimEvaluationRequest(Value):
    """A file of labelled claims; ``limit`` takes the first ones."""

    claims: Path
    limit: int | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateClaims:
    """Judges each claim by its own evidence, and compares verdicts with labels."""

    read: ClaimReader
    judge: Judge
    embedder: Callable[[str], Embedder]
    default_model: str
    clock: Clock

    def __call__(
        self, request: ClaimEvaluationRequest, report: JudgeProgress | None = None
    ) -> ClaimEvaluation:
        """Raises InvalidSource, InvalidRequest, and the errors of the judge."""
        if request.limit is not None and request.limit < 1:
            raise InvalidRequest("limit of claims: at least 1", parameter="limit")
        claims = self.read(request.claims)[: request.limit]
        embedder = self.embedder(request.model or self.default_model)
        began = self.clock.monotonic()
        judged, provisional = [], 0
        for number, one in enumerate(claims, start=1):
            said = self.judge.judge(one.claim, list(_evidence(one, embedder)))
            judged.append(JudgedClaim(one.label, said.verdict, said.confidence))
            provisional += said.provisional
            if report is not None:
                report(number, len(claims))
        return ClaimEvaluation(
            **claim_quality(judged).model_dump(),
            dataset=request.claims.name,
            judge=self.judge.fingerprint,
            duration_seconds=round(self.clock.monotonic() - began, 3),
            warnings=_warnings(provisional),
        )


def _evidence(one: LabelledClaim, embedder: Embedder) -> Iterator[SourceSentence]:
    """The sentences with their cosine to the claim, the closest first."""
    claim = embedder.embed_query(one.claim, True)
    scored = [
        SourceSentence(text, min(1.0, max(0.0, sum(map(mul, claim, vector)))), place)
        for place, (text, vector) in enumerate(
            zip(one.evidence, embedder.embed(one.evidence), strict=True)
        )
    ]
    yield from sorted(scored, key=lambda sentence: -sentence.score)


def _warnings(provisional: int) -> tuple[str, ...]:
    if not provisional:
        return ()
    return (f"{provisional} verdicts are by rules alone: the model gave no usable answer",)
