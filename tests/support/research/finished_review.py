"""A review that was made up: two documents used, one left out, one that could not be read."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from citeloom.application.ports.citation import StyledEntry
from citeloom.application.ports.research import FinishedReview
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.research.events import (
    PlanCreated,
    ResearchCompleted,
    ResearchEvent,
    ResearchStarted,
    StepStarted,
    SynthesisStarted,
    ToolCall,
    ToolResult,
)
from citeloom.domain.research.search_record import Searched, search_record
from citeloom.domain.research.session import (
    Chat,
    Citation,
    Claim,
    ClaimType,
    ClaimVerdict,
    CrawlStatus,
    Depth,
    Message,
    MessageRole,
    QueryMode,
    Recorded,
    ResearchSession,
    SessionStatus,
    Source,
    SourceSpan,
    VerificationSummary,
)

BEGUN = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ENDED = BEGUN + timedelta(minutes=3)
SESSION = UUID("11111111-2222-4333-8444-555555555555")
CHAT = UUID("aaaaaaaa-2222-4333-8444-555555555555")
ASKED = UUID("bbbbbbbb-2222-4333-8444-555555555555")
ANSWERED = UUID("cccccccc-2222-4333-8444-555555555555")
QUESTION = "Do small ponds cool the street?"
COOLER = "At 5 m from the shore the air was on average 1.74 K cooler."
FARTHER = "The cooling is gone at 100 m."
REPORT = f"""# Do small ponds cool the street?

## How large is the effect?

> {COOLER}
> [@szelkuti2022, p. 127]

Two sources disagree on **how far** it reaches [@szelkuti2022, p. 128; @noll2019].

1. {FARTHER} [@noll2019]
2. It reaches farther.
   - downwind
"""


def a_work(
    citekey: str, title: str, family: str, given: str, year: int, **more: str
) -> CitationMeta:
    csl = {
        "type": "article-journal",
        "title": title,
        "author": [{"family": family, "given": given}],
        "issued": {"date-parts": [[year]]},
        **({"DOI": more["doi"]} if "doi" in more else {}),
    }
    author = f"{family}, {given}"
    return CitationMeta(citekey=citekey, title=title, authors=(author,), year=year, csl=csl, **more)


WORKS = {
    "d" * 64: a_work(
        "szelkuti2022", "Evening cooling by small ponds", "Szélkuti", "Oriana", 2022,
        doi="10.5555/ponds",
    ),
    "e" * 64: a_work("noll2019", "Ponds and streets", "Noll", "Ida", 2019),
}  # fmt: skip


def a_session(**changed: Any) -> ResearchSession:
    fields: dict[str, Any] = {
        "id": SESSION,
        "message_id": ANSWERED,
        "chat_id": CHAT,
        "user_id": "local",
        "project_id": "local/reading",
        "question": QUESTION,
        "research_depth": Depth.LIGHT,
        "status": SessionStatus.COMPLETED,
        "verification_summary": VerificationSummary(
            total_claims=3, supported=1, partial=0, unsupported=1, contradicted=1, warning=True
        ),
        "sequence": 10,
        "started_at": BEGUN,
        "completed_at": ENDED,
    }
    return ResearchSession(**(fields | changed))


def a_source(name: str, **changed: Any) -> Source:
    fields: dict[str, Any] = {
        "id": a_session().part_id("source", name),
        "research_session_id": SESSION,
        "url": f"ndk://file/proj-local-reading/{name}",
        "title": f"Document {name}",
        "snippet": "…",
        "step_index": 0,
        "created_at": BEGUN,
    }
    return Source(**(fields | changed))


def a_span(name: str, source: Source, quote: str, **changed: Any) -> SourceSpan:
    fields: dict[str, Any] = {
        "id": a_session().part_id("span", name),
        "source_id": source.id,
        "quote": quote,
        "relevance_score": 0.9,
        "created_at": BEGUN,
    }
    return SourceSpan(**(fields | changed))


def a_claim(name: str, text: str, verdict: ClaimVerdict | None, **changed: Any) -> Claim:
    at = REPORT.find(text)
    fields: dict[str, Any] = {
        "id": a_session().part_id("claim", name),
        "message_id": ANSWERED,
        "claim_text": text,
        "claim_type": ClaimType.GENERAL,
        "position_start": max(at, 0),
        "position_end": max(at, 0) + len(text),
        "verdict": verdict,
        "confidence": 0.8,
        "created_at": BEGUN,
    }
    return Claim(**(fields | changed))


def a_citation(claim: Claim, span: SourceSpan, **changed: Any) -> Citation:
    fields: dict[str, Any] = {
        "id": a_session().part_id("citation", str(claim.id), str(span.id)),
        "claim_id": claim.id,
        "evidence_span_id": span.id,
        "confidence": 0.8,
        "created_at": BEGUN,
    }
    return Citation(**(fields | changed))


def recorded(**changed: Any) -> Recorded:
    ponds = a_source(
        "ponds", title=WORKS["d" * 64].title, citekey="szelkuti2022", document_id="d" * 64,
        is_cited=True,
    )  # fmt: skip
    streets = a_source("streets", citekey="noll2019", document_id="e" * 64, is_cited=True)
    left = a_source(
        "menus", included=False, exclusion_reason="says nothing on the question", step_index=1
    )
    lost = a_source("lost", crawl_status=CrawlStatus.FAILED, error_reason="its bundle is missing")
    near = a_span(
        "near", ponds, COOLER, start_offset=120, end_offset=179, page=2, page_label="127",
        section_heading="Results", citation="[@szelkuti2022, p. 127]",
        address=f"doc://{'d' * 16}#pages=2", has_numeric_content=True,
    )  # fmt: skip
    far = a_span("far", streets, FARTHER, citation="[@noll2019]")
    other = a_span("other", ponds, "It reaches 300 m downwind.", page=3, page_label="128")
    claims = (
        a_claim("b", FARTHER, ClaimVerdict.CONTRADICTED, verification_reasoning="It has “300 m”."),
        a_claim("a", COOLER, ClaimVerdict.SUPPORTED, citation_key="szelkuti2022"),
        a_claim("c", "It reaches farther.", ClaimVerdict.UNSUPPORTED, confidence=0.25),
    )
    fields: dict[str, Any] = {
        "session": a_session(),
        "chat": Chat(
            id=CHAT, user_id="local", title=QUESTION, created_at=BEGUN, updated_at=ENDED
        ),
        "question": Message(
            id=ASKED, chat_id=CHAT, role=MessageRole.USER, content=QUESTION,
            query_mode=QueryMode.DEEP_RESEARCH, created_at=BEGUN,
        ),
        "report": Message(
            id=ANSWERED, chat_id=CHAT, role=MessageRole.AGENT, content=REPORT, created_at=BEGUN
        ),
        "sources": (ponds, streets, left, lost),
        "spans": (near, far, other),
        "claims": claims,
        "citations": (
            a_citation(claims[0], other, is_primary=False, confidence=0.4),
            a_citation(claims[0], far),
            a_citation(claims[1], near),
        ),
    }  # fmt: skip
    return Recorded(**(fields | changed))


def events() -> tuple[ResearchEvent, ...]:
    def told(kind: Any, **fields: Any) -> Any:
        number = len(made) + 1
        at = BEGUN + timedelta(seconds=number)
        made.append(kind(session_id=SESSION, sequence=number, timestamp=at, **fields))

    made: list[ResearchEvent] = []
    told(
        ResearchStarted, message_id=ANSWERED, question=QUESTION, project_id="local/reading",
        research_depth=Depth.LIGHT,
    )  # fmt: skip
    told(PlanCreated, steps=("How large is the effect?", "How far does it reach?"))
    told(StepStarted, step_index=0, step_title="How large is the effect?")
    told(
        ToolCall, step_index=0, tool="query",
        arguments={"query": "cooling ``` of ponds | K", "limit": 10, "filter": ["year>=2015"]},
    )  # fmt: skip
    told(ToolResult, step_index=0, tool="query", count=5, summary="5 passages")
    told(StepStarted, step_index=1, step_title="How far does it reach?")
    told(ToolCall, step_index=1, tool="query", arguments={"query": "distance"})
    told(ToolResult, step_index=1, tool="query", count=4, summary="4 passages")
    told(SynthesisStarted, writer="extractive")
    told(ResearchCompleted, message_id=ANSWERED, claims=3, sources=2)
    return tuple(made)


def review(made: Recorded | None = None, **changed: Any) -> FinishedReview:
    made = made or recorded()
    database = Searched(project="local/reading", documents=4, passages=60, model="minilm")
    links = {made.spans[0].id: "https://doi.org/10.5555/ponds"} if made.spans else {}
    fields: dict[str, Any] = {
        "recorded": made,
        "events": events(),
        "search": search_record(made.session, made.sources, events(), database, ["counted now"]),
        "report": made.report.content or "",
        "works": WORKS,
        "links": links,
        "bibliography": (
            StyledEntry(citekey="noll2019", text="Noll, I. (2019). *Ponds and streets*."),
            StyledEntry(citekey="szelkuti2022", text="Szélkuti, O. (2022). *Evening cooling*."),
        ),
        "warnings": ("counted now",),
    }
    return FinishedReview(**(fields | changed))
