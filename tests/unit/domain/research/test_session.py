"""Rules of the record's entities."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support.research.records import NOW, a_chat, a_session, later

from citeloom.domain.leases import DEAD_AFTER
from citeloom.domain.research.session import SessionStatus, VerificationSummary


def summary(total: int, unsupported: int, *, warning: bool) -> VerificationSummary:
    return VerificationSummary(
        total_claims=total,
        supported=total - unsupported,
        partial=0,
        unsupported=unsupported,
        contradicted=0,
        warning=warning,
    )


@given(st.integers(0, 200), st.data())
def test_a_summary_warns_above_a_fifth(total: int, data: st.DataObject) -> None:
    unsupported = data.draw(st.integers(0, total))
    due = 5 * unsupported > total
    assert summary(total, unsupported, warning=due).warning is due
    # Of a part of them, what was written rather than quoted, there may be more.
    if due or not unsupported:
        with pytest.raises(ValidationError, match="does not follow"):
            summary(total, unsupported, warning=not due)
    else:
        assert summary(total, unsupported, warning=True).warning


def test_the_verdicts_of_a_summary_add_up() -> None:
    with pytest.raises(ValidationError, match="3 verdicts for 4 claims"):
        VerificationSummary(total_claims=4, supported=1, partial=1, unsupported=0, contradicted=1)


def test_a_session_is_dead_when_it_was_silent_too_long() -> None:
    session = a_session(a_chat(), heartbeat_at=later(seconds=10))
    heard = later(seconds=10)
    assert not session.is_dead(heard + DEAD_AFTER)
    assert session.is_dead(heard + DEAD_AFTER + timedelta(microseconds=1))
    unheard = session.model_copy(update={"heartbeat_at": None})
    assert not unheard.is_dead(NOW + DEAD_AFTER)
    assert unheard.is_dead(later(seconds=31))
    ended = session.model_copy(update={"status": SessionStatus.FAILED})
    assert not ended.is_dead(later(days=1))


def test_ids_follow_from_the_session_and_the_names() -> None:
    one, other = a_session(a_chat()), a_session(a_chat())
    assert one.part_id("source", "a") == one.part_id("source", "a")
    ids = {s.part_id(*names) for s in (one, other) for names in (("source", "a"), ("claim", 1))}
    assert len(ids) == 4
