"""Every record of research does the same: in memory, on SQLite, on PostgreSQL."""

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from threading import Barrier
from uuid import UUID, uuid4

import pytest
from support.in_memory.research_record import (
    InMemoryResearchRecord,
    InMemoryUserRecord,
)
from support.research.records import (
    NOW,
    QUESTION,
    REPORT,
    a_chat,
    a_session,
    a_source,
    a_span,
    a_step,
    an_outcome,
    begin,
    complete,
    events,
    later,
    messages,
)
from support.stores.catalogues import STORES

from citeloom.application.ports.research import ResearchRecord, SessionFilter, UserRecord
from citeloom.domain.errors import (
    CiteLoomError,
    SessionBusy,
    SessionEnded,
    SessionNotFound,
    StorageFailed,
)
from citeloom.domain.leases import DEAD_AFTER
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.research.events import ErrorEvent
from citeloom.domain.research.session import (
    MOST_RUNNING,
    RECOVERABLE,
    Depth,
    MessageFeedback,
    QueryMode,
    Rating,
    Recorded,
    ResearchSession,
    SessionStatus,
    UserPreferences,
)
from citeloom.infrastructure.storage.research.record import SqlResearchRecord, SqlUserRecord

Reopen = Callable[[], tuple[ResearchRecord, UserRecord]]
DEAD = DEAD_AFTER + timedelta(microseconds=1)


@pytest.fixture(params=STORES)
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Reopen]:
    """Opens the same record, as another process would where there can be one."""
    if request.param == "memory":
        memory = InMemoryResearchRecord()
        users = InMemoryUserRecord(memory)
        yield lambda: (memory, users)
        return
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_url")
    else:
        template: Path = request.getfixturevalue("sqlite_template")
        url = f"sqlite:///{shutil.copy(template, tmp_path)}"
    opened: list[SqlResearchRecord | SqlUserRecord] = []

    def open_it() -> tuple[ResearchRecord, UserRecord]:
        record, users = SqlResearchRecord(url), SqlUserRecord(url)
        opened.extend((record, users))
        return record, users

    yield open_it
    for one in opened:
        one.close()


@pytest.fixture
def record(reopen: Reopen) -> ResearchRecord:
    return reopen()[0]


def ids(sessions: tuple[ResearchSession, ...]) -> list[UUID]:
    return [one.id for one in sessions]


class TestOneSession:
    def test_nothing_was_written_yet(self, record: ResearchRecord) -> None:
        assert record.sessions(SessionFilter()) == ()
        assert record.find("") == ()
        assert record.bury(NOW) == ()
        assert record.purge(NOW) == 0
        for asked in (record.session, record.recorded, record.events, record.restore):
            with pytest.raises(SessionNotFound, match="no such session"):
                asked(uuid4())

    def test_a_new_session_is_recorded_with_its_chat_and_messages(
        self, record: ResearchRecord, reopen: Reopen
    ) -> None:
        chat = a_chat()
        session = a_session(chat)
        question, report = messages(session)
        record.begin(chat, question, report, session)
        record = reopen()[0]
        assert record.session(session.id) == session
        assert record.recorded(session.id) == Recorded(
            session=session, chat=chat, question=question, report=report
        )
        assert record.events(session.id) == ()

    def test_each_step_adds_sources_and_spans_to_those_before(
        self, record: ResearchRecord, reopen: Reopen
    ) -> None:
        session = begin(record)
        first = a_step(session)
        record.advance(session.id, "one", first, later(seconds=5))
        second = a_step(record.session(session.id), "c", plan=None, state={"done": 2})
        record.advance(session.id, "one", second, later(seconds=9))
        found = reopen()[0].recorded(session.id)
        assert found.sources == first.sources + second.sources
        assert found.spans == first.spans + second.spans
        assert found.session == session.model_copy(
            update={
                "plan": first.plan,
                "state": {"done": 2},
                "sequence": 6,
                "heartbeat_at": later(seconds=9),
            }
        )
        assert record.events(session.id) == first.events + second.events
        assert record.events(session.id, after=4) == second.events[1:]
        assert record.events(session.id, after=6) == ()

    def test_a_step_that_is_done_again_replaces_its_rows(self, record: ResearchRecord) -> None:
        session = begin(record)
        record.advance(session.id, "one", a_step(session), NOW)
        again = a_source(session, "b", included=False, exclusion_reason="off the question")
        other = a_span(again, relevance_score=1.0, section_heading=None)
        step = a_step(session, events=(), sources=[again], spans=[other], plan=None, state=None)
        record.advance(session.id, "one", step, NOW)
        found = record.recorded(session.id)
        assert found.sources == (again, a_source(session, "a"))
        assert found.spans[0] == other
        assert len(found.spans) == 4
        assert found.session.state == {"done": 1, "text": "Städte"}

    def test_a_url_is_one_source_of_a_session(self, record: ResearchRecord) -> None:
        one, other = begin(record), begin(record)
        record.advance(one.id, "one", a_step(one), NOW)
        twice = a_source(one, "a", id=uuid4())
        step = a_step(one, events=(), sources=[a_source(one, "c"), twice], spans=[])
        with pytest.raises(StorageFailed, match="record of research"):
            record.advance(one.id, "one", step, NOW)
        assert len(record.recorded(one.id).sources) == 2
        record.advance(other.id, "one", a_step(other), NOW)
        assert len(record.recorded(other.id).sources) == 2

    def test_events_follow_without_gaps(self, record: ResearchRecord) -> None:
        session = begin(record)
        numbered = events(session, 3)
        for wrong in (numbered[1:], numbered[::2], numbered + numbered[:1]):
            with pytest.raises(ValueError, match="was to come"):
                record.advance(session.id, "one", a_step(session, events=wrong), NOW)
        stranger = a_session(a_chat())
        with pytest.raises(ValueError, match="was to come"):
            record.advance(session.id, "one", a_step(session, events=events(stranger)), NOW)
        assert record.recorded(session.id).sources == ()
        assert record.events(session.id) == ()

    def test_a_finished_session_has_its_report_and_claims(
        self, record: ResearchRecord, reopen: Reopen
    ) -> None:
        session = begin(record)
        record.advance(session.id, "one", a_step(session), NOW)
        outcome = an_outcome(record.session(session.id))
        record.finish(session.id, "one", outcome)
        found = reopen()[0].recorded(session.id)
        assert found.report.content == REPORT
        assert found.question.content == QUESTION
        assert found.claims == outcome.claims
        assert found.citations == outcome.citations
        assert [one.is_cited for one in found.sources] == [False, True]
        assert found.chat.updated_at == outcome.completed_at
        ended = found.session
        assert (ended.status, ended.worker) == (SessionStatus.COMPLETED, None)
        assert ended.verification_summary == outcome.summary
        assert (ended.sequence, ended.completed_at) == (4, outcome.completed_at)
        assert ended.state == {"done": 1, "text": "Städte"}

    def test_what_no_database_can_hold_is_replaced(
        self, record: ResearchRecord, reopen: Reopen
    ) -> None:
        """NUL, which PostgreSQL refuses. (Lone surrogates are no UTF-8: see feedback.)"""
        broken, whole = "a\0b", "a\ufffdb"
        session = begin(record, a_chat(title=broken), question=f"Ponds{broken}?")
        source = a_source(session, title=broken)
        span = a_span(source, quote=broken)
        state = {"text": broken}
        step = a_step(session, sources=[source], spans=[span], state=state, plan={"of": broken})
        record.advance(session.id, "one", step, NOW)
        running = record.session(session.id)
        done = an_outcome(running, content=broken, claims=(), citations=(), cited=())
        record.finish(session.id, "one", done)
        found = reopen()[0].recorded(session.id)
        assert found.session.question == found.question.content == f"Ponds{whole}?"
        assert [found.chat.title, found.report.content] == [whole, whole]
        assert [found.sources[0].title, found.spans[0].quote] == [whole, whole]

    def test_failed_and_resumed_it_ends_with_the_later_claims(self, record: ResearchRecord) -> None:
        session = begin(record)
        record.advance(session.id, "one", a_step(session), NOW)
        first = an_outcome(
            record.session(session.id),
            status=SessionStatus.FAILED,
            content=None,
            error_message="the disk is full",
        )
        record.finish(session.id, "one", first)
        failed = record.recorded(session.id)
        assert failed.session.error_message == "the disk is full"
        assert failed.report.content is None
        taken = record.take(session.id, "two", later(hours=1))
        assert (taken.error_message, taken.completed_at) == (None, None)
        record.finish(session.id, "two", an_outcome(taken, claims=first.claims[:1]))
        found = record.recorded(session.id)
        assert found.claims == first.claims[:1]
        assert found.session.sequence == 5

    def test_messages_of_one_chat_follow(self, record: ResearchRecord) -> None:
        chat = a_chat()
        one = complete(record, chat)
        newer = chat.model_copy(update={"title": "other", "updated_at": later(hours=1)})
        two = begin(record, newer, started_at=later(hours=1), question="And by night?")
        found = record.recorded(two.id)
        assert (found.chat.title, found.chat.updated_at) == (chat.title, later(hours=1))
        assert found.question.content == "And by night?"
        assert record.recorded(one.id).question.content == QUESTION


class TestLists:
    def test_the_latest_come_first(self, record: ResearchRecord) -> None:
        made = [complete(record, started_at=later(hours=hour)) for hour in (2, 3, 1)]
        expected = [made[1].id, made[0].id, made[2].id]
        assert ids(record.sessions(SessionFilter())) == expected
        assert ids(record.sessions(SessionFilter(limit=2))) == expected[:2]
        assert record.sessions(SessionFilter())[0] == made[1].model_copy(update={"state": None})

    def test_by_user_project_and_status(self, record: ResearchRecord) -> None:
        done = complete(record)
        other = begin(record, a_chat("else"), project_id="local/other")
        record.finish(
            other.id, "one",
            an_outcome(other, status=SessionStatus.CANCELLED, claims=(), citations=()),
        )  # fmt: skip
        runs = begin(record, a_chat("else"))
        assert ids(record.sessions(SessionFilter(user_id="local"))) == [done.id]
        assert ids(record.sessions(SessionFilter(project_id="local/other"))) == [other.id]
        statuses = (SessionStatus.CANCELLED, SessionStatus.IN_PROGRESS)
        found = ids(record.sessions(SessionFilter(statuses=statuses)))
        assert sorted(found) == sorted([other.id, runs.id])
        runs_here = SessionFilter(user_id="else", statuses=(SessionStatus.IN_PROGRESS,))
        assert ids(record.sessions(runs_here)) == [runs.id]

    def test_found_by_the_beginning_of_an_id(self, record: ResearchRecord) -> None:
        names = ("0123abcd-4567-4aaa-8aaa-aaaaaaaaaaaa", "0123abcd-4567-4bbb-8bbb-bbbbbbbbbbbb")
        one, two = (complete(record, id=UUID(name)).id for name in names)
        assert record.find("0123") == record.find("0123ABCD-45") == (one, two)
        assert record.find("0123abcd45674aa") == record.find(names[0]) == (one,)
        assert record.find("0123abcd-4567-4c") == record.find("x") == record.find("%") == ()
        record.delete(one, NOW)
        assert record.find("0123") == (one, two)


class TestWhoWorks:
    def test_one_that_another_works_on_is_not_given_away(self, record: ResearchRecord) -> None:
        session = begin(record)
        with pytest.raises(SessionBusy, match="another process"):
            record.take(session.id, "two", NOW + DEAD_AFTER)
        taken = record.take(session.id, "two", NOW + DEAD)
        assert (taken.worker, taken.heartbeat_at) == ("two", NOW + DEAD)
        with pytest.raises(SessionBusy, match="no longer"):
            record.advance(session.id, "one", a_step(session), later(minutes=2))
        with pytest.raises(SessionBusy, match="no longer"):
            record.finish(session.id, "one", an_outcome(session, citations=()))
        found = record.recorded(session.id)
        assert found.session == taken
        assert (found.sources, found.claims, record.events(session.id)) == ((), (), ())

    def test_a_worker_that_was_never_named_is_nobody(self, record: ResearchRecord) -> None:
        session = begin(record, worker=None, heartbeat_at=None)
        assert record.take(session.id, "two", NOW).worker == "two"
        assert record.take(session.id, "two", NOW).worker == "two"

    def test_what_is_completed_or_deleted_is_not_taken(self, record: ResearchRecord) -> None:
        session = complete(record)
        with pytest.raises(SessionEnded, match="completed"):
            record.take(session.id, "two", NOW)
        record.delete(session.id, NOW)
        with pytest.raises(SessionNotFound) as refused:
            record.take(session.id, "two", NOW)
        assert refused.value.next_step == NextStep(Action.RESTORE_SESSION, session=str(session.id))
        with pytest.raises(SessionNotFound):
            record.take(uuid4(), "two", NOW)

    def test_of_two_who_want_it_one_gets_it(self, reopen: Reopen) -> None:
        session = begin(reopen()[0])
        for turn in range(1, 4):
            names = (f"{turn}/1", f"{turn}/2")
            won = at_once([taking(session, name, later(minutes=turn)) for name in names], reopen)
            [winner] = [one.worker for one in won if isinstance(one, ResearchSession)]
            assert sum(isinstance(one, SessionBusy) for one in won) == 1
            assert reopen()[0].session(session.id).worker == winner

    def test_a_heartbeat_keeps_it_alive(self, record: ResearchRecord) -> None:
        session = begin(record)
        assert record.beat(session.id, "one", later(seconds=15)) is False
        assert record.session(session.id).heartbeat_at == later(seconds=15)
        with pytest.raises(SessionBusy):
            record.take(session.id, "two", later(seconds=30))
        assert record.beat(session.id, "two", later(seconds=30)) is True
        assert record.session(session.id).heartbeat_at == later(seconds=15)

    def test_a_heartbeat_hears_that_it_is_to_stop(self, record: ResearchRecord) -> None:
        session = begin(record)
        asked = record.cancel(session.id, NOW)
        assert (asked.status, asked.cancelling) == (SessionStatus.IN_PROGRESS, True)
        assert record.beat(session.id, "one", later(seconds=1)) is True
        record.advance(session.id, "one", a_step(session), NOW)
        record.finish(
            session.id, "one",
            an_outcome(record.session(session.id), status=SessionStatus.CANCELLED),
        )  # fmt: skip
        ended = record.session(session.id)
        assert (ended.status, ended.cancelling) == (SessionStatus.CANCELLED, False)
        assert record.beat(session.id, "one", later(seconds=2)) is True
        with pytest.raises(SessionEnded, match="cancelled"):
            record.cancel(session.id, NOW)
        assert record.take(session.id, "two", NOW).status is SessionStatus.IN_PROGRESS

    def test_a_dead_one_is_cancelled_at_once(self, record: ResearchRecord) -> None:
        session = begin(record)
        ended = record.cancel(session.id, NOW + DEAD)
        assert (ended.status, ended.worker) == (SessionStatus.CANCELLED, None)
        assert record.session(session.id) == ended
        (event,) = record.events(session.id)
        assert isinstance(event, ErrorEvent)
        assert (event.error_code, event.recoverable) == ("SESSION_CANCELLED", True)

    def test_sessions_without_a_heartbeat_fail_or_are_cancelled(
        self, record: ResearchRecord
    ) -> None:
        dead, asked = begin(record), begin(record)
        record.cancel(asked.id, NOW)
        alive = begin(record, a_chat("else"), started_at=later(seconds=20))
        assert record.bury(NOW + DEAD_AFTER) == ()
        assert set(record.bury(NOW + DEAD)) == {dead.id, asked.id}
        assert record.bury(NOW + DEAD) == ()
        assert record.session(alive.id) == alive
        assert record.session(asked.id).status is SessionStatus.CANCELLED
        buried = record.session(dead.id)
        assert (buried.status, buried.completed_at) == (SessionStatus.FAILED, NOW + DEAD)
        assert buried.error_message
        (event,) = record.events(dead.id)
        assert isinstance(event, ErrorEvent)
        assert (event.sequence, event.error_code) == (buried.sequence, "WORKER_DIED")
        assert record.take(dead.id, "two", NOW + DEAD).sequence == 1

    def test_only_so_many_run_of_one_user(self, record: ResearchRecord) -> None:
        first = [begin(record) for _ in range(MOST_RUNNING)]
        with pytest.raises(SessionBusy, match="as many as may"):
            begin(record)
        begin(record, a_chat("else"))
        assert len(record.sessions(SessionFilter())) == MOST_RUNNING + 1
        later_on = [begin(record, started_at=NOW + DEAD) for _ in range(MOST_RUNNING)]
        with pytest.raises(SessionBusy, match="as many as may"):
            record.take(first[0].id, "two", NOW + DEAD)
        assert record.session(first[0].id) == first[0]
        at = NOW + DEAD
        record.finish(
            later_on[0].id, "one",
            an_outcome(later_on[0], status=SessionStatus.FAILED, citations=()),
        )  # fmt: skip
        assert record.take(first[0].id, "two", at).worker == "two"

    def test_only_so_many_begin_at_once(self, reopen: Reopen) -> None:
        complete(reopen()[0])
        tried = at_once([begin for _ in range(MOST_RUNNING + 2)], reopen)
        refused = [one for one in tried if isinstance(one, SessionBusy)]
        assert len(refused) == 2, tried
        running = SessionFilter(user_id="local", statuses=(SessionStatus.IN_PROGRESS,))
        assert len(reopen()[0].sessions(running)) == MOST_RUNNING


class TestDeletion:
    def test_hidden_and_brought_back(self, record: ResearchRecord) -> None:
        session = complete(record)
        before = record.recorded(session.id)
        record.delete(session.id, later(days=1))
        record.delete(session.id, later(days=2))
        assert record.sessions(SessionFilter()) == ()
        (listed,) = record.sessions(SessionFilter(deleted=True))
        assert (listed.is_deleted, listed.deleted_at) == (True, later(days=1))
        found = record.recorded(session.id)
        assert (found.chat.is_deleted, found.chat.deleted_at) == (True, later(days=1))
        record.restore(session.id)
        assert record.recorded(session.id) == before
        assert record.sessions(SessionFilter(deleted=True)) == ()

    def test_what_runs_is_not_deleted_unless_it_is_dead(self, record: ResearchRecord) -> None:
        session = begin(record)
        with pytest.raises(SessionBusy) as refused:
            record.delete(session.id, NOW)
        assert refused.value.next_step == NextStep(Action.CANCEL_SESSION, session=str(session.id))
        record.delete(session.id, NOW + DEAD)
        assert record.session(session.id).status is SessionStatus.FAILED
        with pytest.raises(SessionNotFound):
            record.delete(uuid4(), NOW)

    def test_a_chat_goes_with_its_last_session(self, record: ResearchRecord) -> None:
        chat = a_chat()
        one, two = complete(record, chat), complete(record, chat)
        record.delete(one.id, NOW)
        assert not record.recorded(two.id).chat.is_deleted
        record.delete(two.id, later(days=1))
        assert record.recorded(one.id).chat.deleted_at == later(days=1)
        record.restore(one.id)
        assert not record.recorded(two.id).chat.is_deleted

    def test_gone_for_good_after_its_time(self, record: ResearchRecord, reopen: Reopen) -> None:
        chat = a_chat()
        old, kept = complete(record, chat), complete(record, chat)
        opinion = feedback(old)
        reopen()[1].rate(opinion)
        record.delete(old.id, NOW)
        assert record.purge(NOW) == 0
        assert record.purge(later(seconds=1)) == 1
        assert record.purge(later(seconds=1)) == 0
        assert record.find("") == (kept.id,)
        assert reopen()[1].feedback(old.message_id) == ()
        for asked in (record.session, record.recorded, record.events, record.restore):
            with pytest.raises(SessionNotFound):
                asked(old.id)
        assert len(record.recorded(kept.id).claims) == 2
        record.delete(kept.id, NOW)
        assert record.purge(later(seconds=1)) == 1
        assert begin(record, chat).chat_id == chat.id

    def test_a_session_removed_for_good_is_gone_its_chat_stays_and_a_running_one_is_refused(
        self, record: ResearchRecord, reopen: Reopen
    ) -> None:
        chat = a_chat()
        gone, kept, runs = complete(record, chat), complete(record, chat), begin(record)
        record.remove(gone.id, NOW)
        assert set(record.find("")) == {kept.id, runs.id}
        assert not record.recorded(kept.id).chat.is_deleted
        record.delete(kept.id, NOW)
        record.remove(kept.id, later(days=1))
        assert record.find("") == (runs.id,)
        with pytest.raises(SessionBusy):
            record.remove(runs.id, NOW)
        with pytest.raises(SessionNotFound):
            record.remove(gone.id, NOW)
        assert begin(record, chat).chat_id == chat.id

    def test_beginning_another_removes_what_is_over(self, record: ResearchRecord) -> None:
        session = complete(record)
        record.delete(session.id, NOW)
        begin(record, started_at=NOW + RECOVERABLE)
        assert record.session(session.id).is_deleted
        begin(record, started_at=NOW + RECOVERABLE + timedelta(seconds=1))
        with pytest.raises(SessionNotFound):
            record.session(session.id)

    def test_a_new_session_brings_its_chat_back(self, record: ResearchRecord) -> None:
        chat = a_chat()
        record.delete(complete(record, chat).id, NOW)
        assert not record.recorded(begin(record, chat).id).chat.is_deleted


class TestUsers:
    def test_preferences_are_one_a_user(self, reopen: Reopen) -> None:
        users = reopen()[1]
        assert users.preferences("local") is None
        assert users.forget("local") is False
        first = UserPreferences(
            id=uuid4(),
            user_id="local",
            system_instructions="Sag es auf Deutsch.\nKurz.",
            default_query_mode=QueryMode.DEEP_RESEARCH,
            default_research_depth=Depth.EXTENDED,
            created_at=NOW,
            updated_at=NOW,
        )
        users.prefer(first)
        assert reopen()[1].preferences("local") == first
        second = first.model_copy(update={"id": uuid4(), "system_instructions": None})
        users.prefer(second)
        assert users.preferences("local") == second
        assert users.preferences("else") is None
        assert users.forget("local") is True
        assert users.preferences("local") is None

    def test_feedback_comes_back_the_oldest_first(self, reopen: Reopen) -> None:
        record, users = reopen()
        session = complete(record)
        second = feedback(session, created_at=later(hours=1), rating=Rating.POSITIVE)
        first = feedback(session, mlflow_trace_id="t", feedback_text="too long\ufffd")
        users.rate(second)
        users.rate(first.model_copy(update={"feedback_text": "too long\udcff"}))
        assert tuple(reopen()[1].feedback(session.message_id)) == (first, second)
        assert users.feedback(uuid4()) == ()
        with pytest.raises(SessionNotFound, match="no such report"):
            users.rate(feedback(a_session(a_chat())))


def feedback(session: ResearchSession, **changes: object) -> MessageFeedback:
    values: dict[str, object] = {
        "id": uuid4(),
        "message_id": session.message_id,
        "user_id": "local",
        "rating": Rating.NEGATIVE,
        "feedback_text": "Zu lang – 長い",
        "created_at": NOW,
    }
    return MessageFeedback.model_validate(values | changes)


def taking(
    session: ResearchSession, worker: str, at: datetime
) -> Callable[[ResearchRecord], ResearchSession]:
    return lambda record: record.take(session.id, worker, at)


def at_once(calls: "list[Callable[[ResearchRecord], object]]", reopen: Reopen) -> list[object]:
    """What each call gave, or the error that it raised; each on a record of its own, all at the
    same moment."""
    records = [reopen()[0] for _ in calls]
    for record in records:
        record.find("")
    barrier = Barrier(len(calls))

    def run(call: Callable[[ResearchRecord], object], record: ResearchRecord) -> object:
        barrier.wait()
        try:
            return call(record)
        except CiteLoomError as error:
            return error

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls, records))
