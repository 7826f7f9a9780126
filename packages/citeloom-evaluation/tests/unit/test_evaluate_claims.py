"""The verb *evaluate* for a judge of claims: what the judge gets, and what is made of it."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from support.builders import SteadyClock
from support.in_memory.embedder import HashingEmbedder

from citeloom.application.verification.judges import RuleJudge
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.verification.claims.judgement import Judgement, SourceSentence
from citeloom.domain.verification.verdict import Verdict
from citeloom_evaluation.application.evaluate_claims import ClaimEvaluationRequest, EvaluateClaims
from citeloom_evaluation.domain.claim_quality import ClaimLabel, LabelledClaim

SENTENCES = ("Fish were counted.", "The pond was 1.7 K cooler than the street.")
CLAIMS = (
    LabelledClaim("The pond was 1.7 K cooler than the street.", SENTENCES, ClaimLabel.SUPPORT),
    LabelledClaim("The pond was 3.9 K cooler than the street.", SENTENCES, ClaimLabel.CONTRADICT),
    LabelledClaim("Trees were felled.", (), ClaimLabel.NEI),
)


class Listening(RuleJudge):
    def __init__(self) -> None:
        self.heard: list[tuple[str, list[SourceSentence]]] = []

    def judge(self, claim: str, evidence: Sequence[SourceSentence]) -> Judgement:
        self.heard.append((claim, list(evidence)))
        return super().judge(claim, evidence)


def evaluate(judge: RuleJudge) -> EvaluateClaims:
    return EvaluateClaims(
        read=lambda _: CLAIMS,
        judge=judge,
        embedder=lambda name: HashingEmbedder(),
        default_model="any",
        clock=SteadyClock(),
    )


def test_verdicts_are_compared_with_labels() -> None:
    result = evaluate(RuleJudge())(ClaimEvaluationRequest(claims=Path("folder/mine.jsonl")))
    assert (result.dataset, result.judge) == ("mine.jsonl", RuleJudge().fingerprint)
    assert result.macro_f1 == 1.0
    assert result.confusion == {
        ClaimLabel.SUPPORT: {Verdict.SUPPORTED: 1},
        ClaimLabel.CONTRADICT: {Verdict.CONTRADICTED: 1},
        ClaimLabel.NEI: {Verdict.UNSUPPORTED: 1},
    }


def test_the_judge_gets_the_sentences_with_place_and_cosine_the_closest_first() -> None:
    judge = Listening()
    evaluate(judge)(ClaimEvaluationRequest(claims=Path("mine.jsonl")))
    claim, heard = judge.heard[0]
    assert claim == CLAIMS[0].claim
    assert [(one.text, one.place) for one in heard] == [(SENTENCES[1], 1), (SENTENCES[0], 0)]
    assert heard[0].score == pytest.approx(1.0)
    assert 0 <= heard[1].score < 0.9
    assert judge.heard[2] == (CLAIMS[2].claim, [])


def test_a_limit_takes_the_first_claims_and_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    request = ClaimEvaluationRequest(claims=Path("mine.jsonl"), limit=2)
    result = evaluate(RuleJudge())(request, lambda done, total: told.append((done, total)))
    assert result.claims == 2
    assert told == [(1, 2), (2, 2)]


def test_a_limit_of_none_at_all_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="at least 1"):
        evaluate(RuleJudge())(ClaimEvaluationRequest(claims=Path("mine.jsonl"), limit=0))
