"""Events go over the wire in camelCase, and come back as they were."""

import json
from datetime import UTC, datetime
from typing import Any, get_args
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from citeloom.domain.research.events import (
    Reflection,
    ResearchEvent,
    StepStarted,
    from_wire,
    to_wire,
)
from citeloom.domain.research.session import ClaimVerdict, Correction, Depth, VerificationSummary

KINDS = get_args(get_args(ResearchEvent)[0])
COUNT = st.integers(0, 10**6)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def summaries(draw: st.DrawFn) -> VerificationSummary:
    counts = {name: draw(COUNT) for name in ("supported", "partial", "unsupported", "contradicted")}
    total = sum(counts.values())
    return VerificationSummary(
        total_claims=total,
        abstained_count=draw(COUNT),
        citation_corrections=draw(COUNT),
        warning=counts["unsupported"] > 0.2 * total,
        **counts,
    )


BY_NAME: dict[str, st.SearchStrategy[Any]] = {
    "arguments": st.dictionaries(st.text(), JSON, max_size=3),
    "steps": st.lists(st.text(), max_size=3),
    "research_depth": st.sampled_from(Depth),
    "decision": st.sampled_from(Reflection),
    "verdict": st.sampled_from(ClaimVerdict),
    "correction": st.sampled_from(Correction),
    "confidence": st.floats(0, 1),
    "sequence": st.integers(1, 10**9),
    "timestamp": st.datetimes(timezones=st.just(UTC)),
    "session_id": st.uuids(),
    "message_id": st.uuids(),
}


def field(kind: Any, name: str) -> st.SearchStrategy[Any]:
    known = kind.model_fields[name].annotation
    if known is VerificationSummary:
        return summaries()
    by_type: dict[Any, st.SearchStrategy[Any]] = {int: COUNT, bool: st.booleans(), str: st.text()}
    return BY_NAME[name] if name in BY_NAME else by_type.get(known, st.none() | st.text())


def of_kind(kind: Any) -> st.SearchStrategy[ResearchEvent]:
    names = [name for name in kind.model_fields if name != "event_type"]
    return st.fixed_dictionaries({name: field(kind, name) for name in names}).map(
        lambda values: kind(**values)
    )


@given(st.one_of(*map(of_kind, KINDS)))
def test_what_goes_over_the_wire_comes_back(event: ResearchEvent) -> None:
    wire = json.loads(json.dumps(to_wire(event)))
    assert from_wire(wire) == event
    assert wire["eventType"] in {kind.model_fields["event_type"].default for kind in KINDS}
    names = [*wire, *(wire["summary"] if isinstance(wire.get("summary"), dict) else ())]
    assert [name for name in names if "_" in name] == []


def test_the_wire_has_the_reference_model_s_names() -> None:
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    id = uuid4()
    event = StepStarted(
        session_id=id, sequence=3, timestamp=at, step_index=0, step_title="Do they?"
    )
    assert to_wire(event) == {
        "eventType": "step_started",
        "sessionId": str(id),
        "sequence": 3,
        "timestamp": "2026-03-01T12:00:00Z",
        "stepIndex": 0,
        "stepTitle": "Do they?",
    }


def test_a_stranger_s_event_is_refused() -> None:
    head = {"sessionId": str(uuid4()), "sequence": 1, "timestamp": "2026-03-01T12:00:00Z"}
    for more in ({"eventType": "nap"}, {"eventType": "plan_created"}, {}):
        with pytest.raises(ValidationError):
            from_wire(head | more)
