"""What is said of verdicts that a stronger judge would settle."""

from citeloom.domain.messages import Action, UserMessage
from citeloom.domain.verification.drafts.draft import (
    Claim,
    EvidenceQuote,
    Finding,
    Position,
    judge_warnings,
)
from citeloom.domain.verification.verdict import Verdict

QUOTE = EvidenceQuote(
    text="x",
    document_id="d",
    start=0,
    end=1,
    relevance=0.5,
    address="doc://d",
    knowledge_uri="ndk://d",
)
OPEN = Verdict.NOT_ESTABLISHED


def a_finding(start: int, verdict: Verdict = OPEN, *, near: bool = True) -> Finding:
    at = Position(line=1, column=start + 1)
    claim = Claim(text="x", sentence="x", start=start, end=start + 1, begins=at, ends=at)
    return Finding(claim=claim, key="k", verdict=verdict, evidence=(QUOTE,) if near else ())


def test_claims_that_a_model_would_read_are_counted_once_each() -> None:
    findings = [a_finding(0), a_finding(0), a_finding(5), a_finding(9, Verdict.SUPPORTED)]
    (warning,) = judge_warnings([*findings, a_finding(12, near=False)], offers_judge=True)
    assert warning == "2 claims are undecided"
    assert isinstance(warning, UserMessage)
    assert warning.next_step is not None
    assert warning.next_step.action is Action.SET_JUDGE


def test_nothing_is_offered_where_nothing_is_open_or_a_judge_is_set() -> None:
    assert not [*judge_warnings([a_finding(0)], offers_judge=False)]
    assert not [*judge_warnings([a_finding(0, Verdict.SUPPORTED)], offers_judge=True)]
