"""Progress of a review, and the comparison of two, as text."""

from collections.abc import Iterable
from typing import Any

from citeloom.domain.research.comparison import (
    ChangedVerdict,
    ComparedClaim,
    ComparedEvidence,
    ComparedSource,
    Comparison,
    Side,
    Split,
)
from citeloom.domain.research.events import (
    CitationCorrected,
    ClaimVerified,
    ErrorEvent,
    PlanCreated,
    ReflectionDecision,
    ResearchEvent,
    ResearchStarted,
    StepCompleted,
    StepStarted,
    SynthesisStarted,
    ToolCall,
    ToolResult,
    VerificationSummaryEvent,
)
from citeloom.domain.research.session import ClaimVerdict
from citeloom.domain.text.phrasing import counted, on_one_line, shortened
from citeloom.infrastructure.cli.shared.output import console, print_styled, print_table, print_text
from citeloom.infrastructure.cli.shared.run import note


class ProgressLines:
    """A line for each event of interest to the user."""

    def __init__(self) -> None:
        self._steps = 0
        self._query = ""

    def __call__(self, event: ResearchEvent) -> None:
        match event:
            case ResearchStarted():
                verb = "going on" if event.resumed else "session"
                note(f"{verb} {event.session_id}")
            case PlanCreated():
                self._steps = len(event.steps)
                note(f"plan: {counted(self._steps, 'step')}")
            case StepStarted():
                of = f"/{self._steps}" if self._steps else ""
                note(f"[{event.step_index + 1}{of}] {event.step_title}")
            case ToolCall():
                self._query = str(event.arguments.get("query", ""))
            case ToolResult():
                note(f"    {event.tool} “{self._query}”: {event.summary}")
            case StepCompleted():
                quotations = counted(event.evidence, "quotation")
                note(f"    {quotations} of {counted(event.sources, 'source')}")
            case ReflectionDecision():
                note(f"    {event.decision.value}: {event.reason}")
            case SynthesisStarted():
                note(f"writing ({event.writer})")
            case ClaimVerified() if event.verdict.value != "SUPPORTED":
                note(f"    {event.verdict.value}: {event.claim_text}")
            case CitationCorrected():
                note(f"    {event.correction.value}: {event.reason}")
            case VerificationSummaryEvent():
                summary = event.summary
                note(f"checked: {summary.supported} of {summary.total_claims} statements supported")
            case ErrorEvent():
                note(f"{event.error_code}: {event.error_message}")
            case _:
                pass


_LONGEST = 160
_ID = 8


def print_comparison(comparison: Comparison) -> None:
    """Counts, then changed verdicts, then what only one review has."""
    for name, side in (("A", comparison.a), ("B", comparison.b)):
        _print(f"{name}  {_side(side)}")
    print_table(
        None,
        ["", "in both", "only A", "only B"],
        [
            _counts("sources", comparison.sources),
            _counts("evidence", comparison.evidence),
            _counts("claims", comparison.claims),
        ],
    )
    _list("Changed verdicts", map(_changed, comparison.changed))
    _list("Sources only in A", map(_source, comparison.sources.only_a))
    _list("Sources only in B", map(_source, comparison.sources.only_b))
    _list("Claims only in A", map(_claim, comparison.claims.only_a))
    _list("Claims only in B", map(_claim, comparison.claims.only_b))
    _list("Evidence only in A", map(_evidence, comparison.evidence.only_a))
    _list("Evidence only in B", map(_evidence, comparison.evidence.only_b))


def _print(text: str) -> None:
    print_styled(console(), (text, ""))


def _list(heading: str, lines: Iterable[str]) -> None:
    texts = list(lines)
    if texts:
        print_text("")
        _print(heading)
        for text in texts:
            _print(f"  {text}")


def _counts(name: str, split: Split[Any]) -> list[str]:
    return [name, *(str(len(part)) for part in (split.both, split.only_a, split.only_b))]


def _side(side: Side) -> str:
    about = f"{side.session_id[:_ID]}  {side.started_at:%Y-%m-%d %H:%M}  {side.depth.value}"
    return f"{about}  {side.project}  {_cut(side.question)}"


def _changed(one: ChangedVerdict) -> str:
    return f"{_verdict(one.a)} → {_verdict(one.b)}  {_cut(one.claim)}"


def _source(one: ComparedSource) -> str:
    return f"@{one.citekey}  {_cut(one.title)}" if one.citekey else _cut(one.title)


def _claim(one: ComparedClaim) -> str:
    return f"{_verdict(one.verdict)} ({one.confidence:.2f})  {_cut(one.claim)}"


def _evidence(one: ComparedEvidence) -> str:
    page = f"p. {one.page_label}" if one.page_label else f"PDF p. {one.page}" if one.page else ""
    where = ", ".join(filter(None, (f"@{one.citekey}" if one.citekey else "", page)))
    return "  ".join(filter(None, (where, f"“{_cut(one.quote)}”")))


def _verdict(verdict: ClaimVerdict | None) -> str:
    return verdict.value if verdict else "not verified"


def _cut(text: str) -> str:
    return shortened(on_one_line(text), _LONGEST)
