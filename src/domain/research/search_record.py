"""PRISMA search record of a review: searches, results, screening.

After PRISMA-S (Rethlefsen et al. 2021, doi:10.1186/s13643-020-01542-z), items 1 (database), 8
(full search strategies), 9 and 10 (limits and filters), 13 (dates), 15 (total records) and 16
(deduplication), and the flow diagram of PRISMA 2020 (Page et al. 2021, doi:10.1136/bmj.n71).
The records that queries identify are passages; they are screened by document.
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from pydantic import Field

from citeloom.domain.value import Value

from .events import (
    PlanCreated,
    ResearchEvent,
    ResearchStarted,
    StepStarted,
    SynthesisStarted,
    ToolCall,
    ToolResult,
)
from .session import CrawlStatus, Depth, ResearchSession, SessionStatus, Source

#: The tool whose calls are searches, and the argument that is its question.
SEARCH: Final = "query"
QUESTION: Final = "query"
UNSTATED: Final = "no reason was recorded"


class Searched(Value):
    """The database: a project, its numbers of documents and passages at ``counted_at``, and its
    embedding model. None: unknown."""

    project: str
    documents: int | None = Field(default=None, ge=0)
    passages: int | None = Field(default=None, ge=0)
    model: str | None = None
    counted_at: datetime | None = None


class Search(Value):
    """One query, verbatim. ``limits`` are its filters and requested number of hits; ``hits`` is
    None if no result was recorded. ``step`` counts from 1."""

    number: int = Field(ge=1)
    step: int = Field(ge=1)
    step_title: str | None = None
    query: str
    limits: Mapping[str, Any] = Field(default_factory=dict)
    hits: int | None = Field(default=None, ge=0)
    searched_at: datetime


class Exclusion(Value):
    reason: str
    documents: int = Field(ge=1)


class Flow(Value):
    """PRISMA flow. ``identified`` and ``duplicates`` count passages (a duplicate is a further
    passage of a document), the others documents. None: not in the record."""

    identified: int | None = Field(default=None, ge=0)
    duplicates: int | None = Field(default=None, ge=0)
    screened: int = Field(ge=0)
    not_retrieved: int = Field(ge=0)
    excluded: tuple[Exclusion, ...] = ()
    included: int = Field(ge=0)
    cited: int = Field(ge=0)


class Screened(Value):
    """A screened document. ``reason`` is set if it was excluded; ``step`` (from 1) is the one that
    found it."""

    title: str
    citekey: str | None = None
    url: str
    document_id: str | None = None
    step: int | None = Field(default=None, ge=1)
    included: bool
    cited: bool
    reason: str | None = None


class SearchRecord(Value):
    """``steps`` are the titles of the plan; ``writer`` is ``extractive`` or a language model's
    name. ``warnings`` name gaps of the record."""

    format: str = "citeloom.search_record"
    version: int = 1
    session_id: str
    question: str
    depth: Depth
    status: SessionStatus
    started_at: datetime
    completed_at: datetime | None = None
    resumed: int = Field(default=0, ge=0)
    database: Searched
    steps: tuple[str, ...] = ()
    writer: str | None = None
    searches: tuple[Search, ...] = ()
    flow: Flow
    documents: tuple[Screened, ...] = ()
    warnings: tuple[str, ...] = ()


def search_record(
    session: ResearchSession,
    sources: Sequence[Source],
    events: Sequence[ResearchEvent],
    database: Searched,
    warnings: Sequence[str] = (),
) -> SearchRecord:
    searches, repeated = _deduplicated(_searches(events))
    flow, gaps = _flow(searches, sources)
    if repeated:
        gaps.append(f"searches repeated after an interruption, and counted once: {repeated}")
    plans = [event.steps for event in events if isinstance(event, PlanCreated)]
    writers = [event.writer for event in events if isinstance(event, SynthesisStarted)]
    return SearchRecord(
        session_id=str(session.id),
        question=session.question,
        depth=session.research_depth,
        status=session.status,
        started_at=session.started_at,
        completed_at=session.completed_at,
        resumed=sum(isinstance(event, ResearchStarted) and event.resumed for event in events),
        database=database,
        steps=plans[-1] if plans else (),
        writer=writers[-1] if writers else None,
        searches=searches,
        flow=flow,
        documents=tuple(_screened(source) for source in sources),
        warnings=(*warnings, *gaps),
    )


def _searches(events: Iterable[ResearchEvent]) -> Iterator[Search]:
    """Each call with its result, paired in order within a step."""
    events = list(events)
    titles = {e.step_index: e.step_title for e in events if isinstance(e, StepStarted)}
    results: dict[int, deque[int]] = {}
    for event in events:
        if isinstance(event, ToolResult) and event.tool == SEARCH:
            results.setdefault(event.step_index, deque()).append(event.count)
    number = 0
    for event in events:
        if not isinstance(event, ToolCall) or event.tool != SEARCH:
            continue
        number += 1
        waiting = results.get(event.step_index)
        yield Search(
            number=number,
            step=event.step_index + 1,
            step_title=titles.get(event.step_index),
            query=str(event.arguments.get(QUESTION, "")),
            limits={k: v for k, v in event.arguments.items() if k != QUESTION},
            hits=waiting.popleft() if waiting else None,
            searched_at=event.timestamp,
        )


def _deduplicated(searches: Iterable[Search]) -> tuple[tuple[Search, ...], int]:
    """Each search once, as last made, and the number of repetitions (by interrupted steps)."""
    latest: dict[tuple[int, str], Search] = {}
    again = 0
    for search in searches:
        before = latest.pop((search.step, search.query), None)
        if before is not None:
            again += 1
            if search.hits is None:  # the only result was paired with the first call
                search = search.model_copy(update={"hits": before.hits})
        latest[search.step, search.query] = search
    ordered = enumerate(latest.values(), start=1)
    return tuple(one.model_copy(update={"number": number}) for number, one in ordered), again


def _flow(searches: Sequence[Search], sources: Sequence[Source]) -> tuple[Flow, list[str]]:
    warnings = []
    unanswered = sum(search.hits is None for search in searches)
    if unanswered:
        warnings.append(f"{unanswered} queries have no recorded answer")
    identified = sum(search.hits or 0 for search in searches)
    if identified < len(sources):
        warnings.append(
            f"the record has {identified} passages but {len(sources)} documents, so the number "
            "identified is not known"
        )
    is_consistent = identified >= len(sources)
    missing = [source for source in sources if _missing(source)]
    left_out = [source for source in sources if not source.included and not _missing(source)]
    reasons = Counter(source.exclusion_reason or UNSTATED for source in left_out)
    flow = Flow(
        identified=identified if is_consistent else None,
        duplicates=identified - len(sources) if is_consistent else None,
        screened=len(sources),
        not_retrieved=len(missing),
        excluded=tuple(
            Exclusion(reason=reason, documents=count)
            for reason, count in sorted(reasons.items(), key=lambda one: (-one[1], one[0]))
        ),
        included=len(sources) - len(missing) - len(left_out),
        cited=sum(source.is_cited for source in sources),
    )
    return flow, warnings


def _missing(source: Source) -> bool:
    return source.crawl_status is not CrawlStatus.SUCCESS


def _screened(source: Source) -> Screened:
    used = source.included and not _missing(source)
    reason = source.error_reason if _missing(source) else source.exclusion_reason
    return Screened(
        title=source.title,
        citekey=source.citekey,
        url=source.url,
        document_id=source.document_id,
        step=None if source.step_index is None else source.step_index + 1,
        included=used,
        cited=source.is_cited,
        reason=None if used else reason or UNSTATED,
    )
