"""Progress of a review on stderr."""

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
from citeloom.domain.text.phrasing import counted
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
