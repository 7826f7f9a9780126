"""Sessions to test with: made-up reviews of a project ``reading``."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from citeloom.application.ports.research import ResearchRecord, SessionOutcome, Step
from citeloom.domain.documents.spans import Region
from citeloom.domain.research.events import (
    PlanCreated,
    ResearchCompleted,
    ResearchEvent,
    ResearchStarted,
    StepStarted,
)
from citeloom.domain.research.session import (
    LOCAL_USER,
    Chat,
    Citation,
    Claim,
    ClaimType,
    ClaimVerdict,
    Depth,
    Message,
    MessageRole,
    QueryMode,
    ResearchSession,
    SessionStatus,
    Source,
    SourceSpan,
    VerificationSummary,
)

NOW = datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=UTC)
QUESTION = "Kühlen Teiche Städte? 池は都市を冷やすか"
REPORT = "# Ponds\n\nPonds cool – by 1.74 K [@a2020, p. 12]."


def later(**by: float) -> datetime:
    return NOW + timedelta(**by)


def a_chat(user_id: str = LOCAL_USER, **changes: object) -> Chat:
    values: dict[str, object] = {
        "id": uuid4(),
        "user_id": user_id,
        "title": QUESTION,
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Chat.model_validate(values | changes)


def a_session(chat: Chat, **changes: object) -> ResearchSession:
    values: dict[str, object] = {
        "id": uuid4(),
        "message_id": uuid4(),
        "chat_id": chat.id,
        "user_id": chat.user_id,
        "project_id": "local/reading",
        "question": QUESTION,
        "research_depth": Depth.LIGHT,
        "status": SessionStatus.IN_PROGRESS,
        "classification": {"kind": "yes_no", "languages": ["de", "ja"]},
        "worker": "one",
        "heartbeat_at": changes.get("started_at", NOW),
        "started_at": NOW,
    }
    return ResearchSession.model_validate(values | changes)


def messages(session: ResearchSession) -> tuple[Message, Message]:
    """The question, and the empty report."""
    common = {"chat_id": session.chat_id, "created_at": session.started_at}
    mode = QueryMode.DEEP_RESEARCH
    question = Message(
        id=session.part_id("question"),
        role=MessageRole.USER,
        content=session.question,
        query_mode=mode,
        **common,
    )
    return question, Message(
        id=session.message_id, role=MessageRole.AGENT, query_mode=mode, **common
    )


def begin(record: ResearchRecord, chat: Chat | None = None, **changes: object) -> ResearchSession:
    """A session that runs, by the worker ``one``."""
    chat = chat or a_chat()
    session = a_session(chat, **changes)
    record.begin(chat, *messages(session), session)
    return session


def complete(
    record: ResearchRecord, chat: Chat | None = None, **changes: object
) -> ResearchSession:
    """A session with one step that has come to its end; as it is in the record."""
    session = begin(record, chat, **changes)
    record.advance(session.id, "one", a_step(session), session.started_at)
    record.finish(session.id, "one", an_outcome(record.session(session.id)))
    return record.session(session.id)


def events(session: ResearchSession, number: int = 3) -> tuple[ResearchEvent, ...]:
    """The next events of a session."""
    heads = [
        {"session_id": session.id, "sequence": session.sequence + i, "timestamp": NOW}
        for i in range(1, number + 1)
    ]
    made: list[ResearchEvent] = []
    for head in heads:
        if head["sequence"] == 1:
            made.append(
                ResearchStarted(
                    message_id=session.message_id,
                    question=session.question,
                    project_id=session.project_id,
                    research_depth=session.research_depth,
                    **head,
                )
            )
        elif head["sequence"] == 2:
            made.append(PlanCreated(steps=("Do they?", "By how much?"), **head))
        else:
            made.append(StepStarted(step_index=0, step_title="Do they?", **head))
    return tuple(made)


def a_source(session: ResearchSession, name: str = "a", **changes: object) -> Source:
    values: dict[str, object] = {
        "id": session.part_id("source", name),
        "research_session_id": session.id,
        "chat_id": session.chat_id,
        "url": f"ndk://file/reading/{name}/$body",
        "title": f"On {name}: Kühlung",
        "snippet": "Ponds “cool”.",
        "step_index": 0,
        "step_title": "Do they?",
        "document_id": "ab" * 32,
        "citekey": f"{name}2020",
        "created_at": NOW,
    }
    return Source.model_validate(values | changes)


def a_span(source: Source, number: int = 0, **changes: object) -> SourceSpan:
    quote = "The air was on average 1.74 K cooler; 𝛥T = −1.74."
    values: dict[str, object] = {
        "id": UUID(int=source.id.int ^ (number + 1)),
        "source_id": source.id,
        "quote": quote,
        "start_offset": 1000,
        "end_offset": 1000 + len(quote),
        "section_heading": "3 Results",
        "relevance_score": 0.1 + 0.2,
        "has_numeric_content": True,
        "page": 2,
        "page_label": "12",
        "regions": (Region(page=2, bbox=(1.5, 2.25, 3, 4)), Region(page=3, bbox=(0, 0, 1, 1))),
        "citation": "[@a2020, p. 12]",
        "address": "doc://abababababababab#pages=2",
        "knowledge_uri": source.url,
        "step_index": 0,
        "created_at": NOW,
    }
    return SourceSpan.model_validate(values | changes)


def a_step(session: ResearchSession, *names: str, **changes: object) -> Step:
    """Three events, a source for each name (``a`` and ``b``), two spans of each."""
    sources = [a_source(session, name) for name in names or ("b", "a")]
    values: dict[str, object] = {
        "events": events(session),
        "sources": sources,
        "spans": [a_span(source, number) for source in sources for number in (0, 1)],
        "plan": {"steps": ["Do they?"]},
        "state": {"done": 1, "text": "Städte"},
    }
    return Step.model_validate(values | changes)


def an_outcome(session: ResearchSession, **changes: object) -> SessionOutcome:
    """Two claims, the first with a citation and an alternate (of sources ``a`` and ``b``)."""
    common = {"message_id": session.message_id, "created_at": NOW}
    claims = [
        Claim(
            id=session.part_id("claim", number),
            claim_text=text,
            claim_type=kind,
            position_start=REPORT.index(text),
            position_end=REPORT.index(text) + len(text),
            citation_key="a2020",
            verdict=verdict,
            confidence=0.7,
            verification_reasoning="all words stand there",
            **common,
        )
        for number, (text, kind, verdict) in enumerate(
            [
                ("Ponds cool – by 1.74 K", ClaimType.NUMERIC, ClaimVerdict.SUPPORTED),
                ("Ponds cool", ClaimType.GENERAL, ClaimVerdict.PARTIAL),
            ]
        )
    ]
    citations = [
        Citation(
            id=session.part_id("citation", name),
            claim_id=claims[0].id,
            evidence_span_id=a_span(a_source(session, name)).id,
            confidence=0.5,
            is_primary=name == "a",
            created_at=NOW,
        )
        for name in ("b", "a")
    ]
    done = ResearchCompleted(
        session_id=session.id,
        sequence=session.sequence + 1,
        timestamp=NOW,
        message_id=session.message_id,
        claims=2,
        sources=2,
    )
    values: dict[str, object] = {
        "status": SessionStatus.COMPLETED,
        "content": REPORT,
        "claims": claims,
        "citations": citations,
        "cited": [session.part_id("source", "a")],
        "summary": VerificationSummary(
            total_claims=2, supported=1, partial=1, unsupported=0, contradicted=0
        ),
        "events": [done],
        "completed_at": session.started_at + timedelta(minutes=5),
    }
    return SessionOutcome.model_validate(values | changes)
