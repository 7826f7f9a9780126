"""review: sessions of this server and of others, reports in pieces, cancelling, resources."""

import threading
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID, uuid4

import anyio
import orjson
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from support.in_memory.research_record import InMemoryResearchRecord
from support.pending_answers import answered
from support.research.records import (
    NOW,
    REPORT,
    a_chat,
    a_session,
    a_step,
    an_outcome,
    begin,
    complete,
)

from citeloom.application.ports.research import SessionFilter, SessionOutcome
from citeloom.application.projects.projects import ProjectChoice
from citeloom.application.research.sessions import Listener, Sessions, Stopping
from citeloom.application.review.requests import BegunReview, ReviewRequest, ReviewResult
from citeloom.domain.errors import CiteLoomError, ProjectNotFound, StorageFailed
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research.events import (
    ClaimVerified,
    PlanCreated,
    ResearchStarted,
    StepCompleted,
    StepStarted,
    SynthesisProgress,
    SynthesisStarted,
)
from citeloom.domain.research.session import (
    LOCAL_USER,
    ClaimVerdict,
    Depth,
    ResearchSession,
    SessionStatus,
)
from citeloom.infrastructure.mcp.answers import jobs as reviewed
from citeloom.infrastructure.mcp.contract.parameters import ReviewParameters
from citeloom.infrastructure.mcp.handlers import jobs as reviews_handlers
from citeloom.infrastructure.mcp.server import build_server
from citeloom.infrastructure.serving.jobs.job import Advance
from citeloom.infrastructure.serving.jobs.reviews import ReviewJob
from citeloom.infrastructure.serving.served import Served, ServedParts
from citeloom.infrastructure.settings.sections import Settings

PATIENCE = 10.0


class Clock:
    def now(self) -> Any:
        return NOW


class Desk:
    """An application that reviews; a slow question waits half way until it is let go."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.record = InMemoryResearchRecord()
        self.sessions = Sessions(self.record, cast(Any, Clock()))
        catalogue = SimpleNamespace(project=self._project, projects=tuple)
        self.stores = SimpleNamespace(catalogue=catalogue)
        self.projects = SimpleNamespace(choice=ProjectChoice(catalogue=cast(Any, catalogue)))
        self.requests: list[ReviewRequest] = []
        self.resumed: list[UUID] = []
        self.go, self.half = threading.Event(), threading.Event()
        self.research = SimpleNamespace(
            review=_Verb(self),
            sessions=self.sessions,
            model_notice=lambda writer: None,
            user=LOCAL_USER,
        )

    def _project(self, project_id: Any) -> Any:
        if project_id.value != "local/p":
            raise ProjectNotFound(project_id.value, ["local/p"])
        return SimpleNamespace(embedding_model=SimpleNamespace(name="m"))


class _Verb:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def __call__(
        self, request: ReviewRequest, listener: Listener, stopping: Stopping
    ) -> ReviewResult:
        self._desk.requests.append(request)
        session = begin(self._desk.record, project_id="local/p", question=request.question)
        return self._run(session, listener, stopping)

    def resume(self, id: UUID, listener: Listener, stopping: Stopping) -> ReviewResult:
        self._desk.resumed.append(id)
        return self._run(self._desk.record.take(id, "one", NOW), listener, stopping)

    def _run(
        self, session: ResearchSession, listener: Listener, stopping: Stopping
    ) -> ReviewResult:
        desk, head = self._desk, {"session_id": session.id, "sequence": 1, "timestamp": NOW}
        listener(
            ResearchStarted(
                message_id=session.message_id,
                question=session.question,
                project_id="local/p",
                research_depth=Depth.LIGHT,
                **head,
            )
        )
        if "broken" in session.question and not desk.resumed:
            desk.record.finish(
                session.id, "one", SessionOutcome(status=SessionStatus.FAILED, completed_at=NOW)
            )
            raise StorageFailed("boom")
        listener(PlanCreated(steps=("Do they?", "By how much?"), **head))
        listener(StepStarted(step_index=0, step_title="Do they?", **head))
        listener(StepCompleted(step_index=0, step_title="Do they?", sources=1, evidence=2, **head))
        while "slow" in session.question and not desk.go.wait(0.01):
            desk.half.set()
            if stopping():
                cancelled = SessionOutcome(status=SessionStatus.CANCELLED, completed_at=NOW)
                desk.record.finish(session.id, "one", cancelled)
                return self._reviewed(session, SessionStatus.CANCELLED)
        desk.record.advance(session.id, "one", a_step(session), NOW)
        desk.record.finish(session.id, "one", an_outcome(desk.record.session(session.id)))
        return self._reviewed(session, SessionStatus.COMPLETED)

    def _reviewed(self, session: ResearchSession, status: SessionStatus) -> ReviewResult:
        return ReviewResult(
            session_id=session.id,
            chat_id=session.chat_id,
            message_id=session.message_id,
            project="local/p",
            question=session.question,
            status=status,
            research_depth=Depth.LIGHT,
            writer="extractive",
        )


@pytest.fixture
def desk() -> Desk:
    return Desk()


def review(served: Served, **given: Any) -> dict[str, Any]:
    return answered(reviews_handlers.review(served, ReviewParameters(**given)))


def finished(served: Served, job_id: str) -> dict[str, Any]:
    while True:
        told = review(served, job_id=job_id)
        if told["status"] not in ("queued", "running"):
            return told


def test_a_review_answers_with_its_report_and_how_its_claims_fared(
    served: Served, desk: Desk
) -> None:
    served = replace(served, patience=PATIENCE)
    told = review(served, project="p", question="Do ponds cool?", depth="light")

    session = told["session_id"]
    assert told == {
        "job_id": told["job_id"],
        "session_id": session,
        "status": "done",
        "project": "local/p",
        "depth": "light",
        "sources_found": 2,
        "sources_cited": 1,
        "verification": {"total_claims": 2, "supported": 1, "partial": 1},
        "report": REPORT,
        "report_uri": f"citeloom://sessions/{session}/report",
    }
    assert desk.requests[0].depth is Depth.LIGHT
    again = review(served, job_id=session)
    assert {**again, "job_id": told["job_id"]} == told
    assert desk.resumed == []


def test_a_review_that_takes_long_gives_a_job_and_tells_how_far_it_is(
    served: Served, desk: Desk
) -> None:
    told = review(served, project="p", question="slow")
    assert desk.half.wait(PATIENCE)
    told = review(served, job_id=told["job_id"])

    assert told == {
        "job_id": told["job_id"],
        "status": "running",
        "project": "local/p",
        "session_id": told["session_id"],
        "steps_done": 1,
        "steps": 2,
        "doing": "searching: Do they?",
        "next": "jobs with this job_id",
    }
    assert review(served, job_id=told["session_id"])["job_id"] == told["job_id"]
    desk.go.set()
    assert finished(served, told["job_id"])["report"] == REPORT


def test_a_review_is_cancelled_and_gone_on_with(served: Served, desk: Desk) -> None:
    told = review(served, project="p", question="slow")
    assert desk.half.wait(PATIENCE)

    review(served, job_id=told["job_id"], cancel=True)
    cancelled = finished(served, told["job_id"])

    assert cancelled["status"] == "cancelled"
    assert "report" not in cancelled
    desk.go.set()
    session = cancelled["session_id"]
    review(served, job_id=session)
    assert finished(served, session)["report"] == REPORT
    assert desk.resumed == [UUID(session)]


def test_one_that_waits_is_cancelled_before_it_begins(served: Served, desk: Desk) -> None:
    review(served, project="p", question="slow")
    waiting = review(served, project="p", question="later")
    assert waiting["status"] == "queued"

    review(served, job_id=waiting["job_id"], cancel=True)
    desk.go.set()

    assert finished(served, waiting["job_id"])["status"] == "cancelled"
    assert len(desk.requests) == 1


def test_one_that_failed_tells_why_and_its_session_goes_on(served: Served, desk: Desk) -> None:
    served = replace(served, patience=PATIENCE)
    with pytest.raises(StorageFailed, match="boom") as raised:
        review(served, project="p", question="broken")
    (session,) = desk.sessions.list(SessionFilter(statuses=(SessionStatus.FAILED,)))
    assert raised.value.details["session_id"] == str(session.id)

    review(served, job_id=str(session.id))

    assert finished(served, str(session.id))["status"] == "done"


def test_a_session_of_another_process_is_told_from_the_record(served: Served, desk: Desk) -> None:
    theirs = begin(desk.record, project_id="local/p")
    told = review(served, job_id=str(theirs.id))
    assert (told["status"], told["session_id"]) == ("running", str(theirs.id))
    assert review(served, job_id=str(complete(desk.record).id))["report"] == REPORT

    review(served, job_id=str(theirs.id), cancel=True)

    assert desk.record.session(theirs.id).cancelling


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({}, "MISSING_PARAMETER", "question"),
    ({"project": "p"}, "MISSING_PARAMETER", "question"),
    ({"question": "q"}, "MISSING_PARAMETER", "no projects yet"),
    ({"project": "p", "question": "?!"}, "INVALID_PARAMETER", "question: it is empty"),
    ({"project": "p", "question": "x" * 4001}, "INVALID_PARAMETER", "4000"),
    ({"project": "p", "question": "q", "cancel": True}, "INVALID_PARAMETER", "cancel"),
    ({"project": "q", "question": "q"}, "INVALID_PROJECT", "local/q"),
    ({"job_id": "j", "question": "q"}, "INVALID_PARAMETER", "question"),
    ({"job_id": "0" * 32}, "JOB_NOT_FOUND", "job of review"),
]


@pytest.mark.parametrize(("given", "code", "named"), REFUSED)
def test_what_cannot_be_meant_is_refused(
    served: Served, given: dict[str, Any], code: str, named: str
) -> None:
    with pytest.raises(CiteLoomError, match=named) as raised:
        review(served, **given)

    assert raised.value.code == code


def test_what_was_completed_cannot_be_cancelled(served: Served, desk: Desk) -> None:
    session = complete(desk.record)
    with pytest.raises(CiteLoomError) as raised:
        review(served, job_id=str(session.id), cancel=True)
    assert raised.value.code == "SESSION_ENDED"


def test_a_deleted_session_is_not_there(served: Served, desk: Desk) -> None:
    session = complete(desk.record)
    desk.record.delete(session.id, NOW)
    with pytest.raises(CiteLoomError) as raised:
        review(served, job_id=str(session.id))
    assert raised.value.code == "JOB_NOT_FOUND"


def test_whoever_the_settings_name_writes_and_what_is_sent_where_is_told(
    served: Served, desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    desk.settings = Settings.model_validate({"review": {"writer": "model"}})
    desk.research.model_notice = lambda writer: f"to the {writer} at http://localhost:1"

    told = review(served, project="p", question="slow")

    assert desk.half.wait(PATIENCE)
    assert desk.requests[0].writer == "model"
    assert told["writer"] == "model"
    assert "to the model at http://localhost:1" in caplog.text


def test_a_long_report_comes_in_pieces_that_miss_nothing(desk: Desk) -> None:
    report = "\n\n".join(f"{number}. " + "A sentence. " * 30 for number in range(120))
    recorded = desk.record.recorded(complete(desk.record).id)
    recorded = recorded.model_copy(
        update={"report": recorded.report.model_copy(update={"content": report})}
    )
    pieces: list[str] = []
    while True:
        told = reviewed.reviewed(recorded, len("".join(pieces)))
        assert len(orjson.dumps(told)) < reviewed.MOST_CHARACTERS + 1_500
        pieces.append(told["report"])
        if "next" not in told:
            break
        assert told["left_out"] == len(report) - len("".join(pieces))
        assert told["report"].endswith("\n\n"), "cut between paragraphs"

    assert "".join(pieces) == report
    assert len(pieces) > 3


def test_a_client_with_a_progress_token_hears_of_each_step(served: Served, desk: Desk) -> None:
    served = replace(served, patience=PATIENCE)
    heard: list[tuple[float, float | None, str | None]] = []

    async def told(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))
        desk.go.set()

    async def ask() -> Any:
        server = build_server(ServedParts(served))
        async with Client(server) as client:
            return await client.call_tool(
                "review", {"project": "p", "question": "slow"}, progress_callback=told
            )

    assert anyio.run(ask).structured_content["status"] == "done"
    assert heard[0] == (1, 4, "searching: Do they?")


def test_writing_and_checking_count_as_two_steps_after_those_of_the_plan() -> None:
    advanced: list[Advance] = []

    def verb(_request: ReviewRequest, hear: Listener, _stopping: Stopping) -> ReviewResult:
        head = {"session_id": uuid4(), "sequence": 1, "timestamp": NOW}
        verdict = {"claim_text": "c", "verdict": ClaimVerdict.SUPPORTED, "confidence": 0.9}
        for event in (
            PlanCreated(steps=("a", "b", "c"), **head),
            StepCompleted(step_index=0, step_title="a", sources=1, evidence=2, **head),
            StepCompleted(step_index=0, step_title="a", sources=1, evidence=3, **head),
            SynthesisStarted(writer="extractive", **head),
            SynthesisProgress(content_chunk="c", **head),
            SynthesisProgress(content_chunk="c", **head),
            ClaimVerified(**verdict, **head),
            ClaimVerified(**verdict, **head),
        ):
            hear(event)
            advanced.append(job.advance())
        raise ProjectNotFound("p", [])

    request = ReviewRequest(project_id=ProjectId.parse("p"), question="q")
    job = ReviewJob(request, threading.Event(), lambda _: cast(Any, verb))
    job.run()

    assert [advance.done for advance in advanced] == [0, 1, 1, 3, 3, 3, 4.5, 5]
    assert {advance.total for advance in advanced} == {5}
    assert advanced[-1].doing == "checking what was written"


def test_reports_are_resources(desk: Desk) -> None:
    session, running = complete(desk.record), begin(desk.record)
    uri = f"citeloom://sessions/{session.id}/report"

    async def ask() -> Any:
        nothing = cast(Any, None)
        server = build_server(ServedParts(Served(cast(Any, desk), nothing, nothing, patience=0.0)))
        async with Client(server) as client:
            listed = (await client.list_resources()).resources
            contents = (await client.read_resource(uri)).contents
            errors = []
            for other in (running.id, uuid4()):
                with pytest.raises(MCPError) as raised:
                    await client.read_resource(f"citeloom://sessions/{other}/report")
                errors.append(raised.value.error)
            return listed, contents, errors

    listed, (contents,), (unfinished, unknown) = anyio.run(ask)

    assert [(str(one.uri), one.mime_type) for one in listed] == [(uri, "text/markdown")]
    assert contents.text == REPORT
    assert unfinished.data["code"] == "NOTHING_THERE"
    assert "in_progress" in unfinished.message
    assert unknown.data["code"] == "SESSION_NOT_FOUND"


def test_a_recorded_review_that_is_cancelled_before_its_turn_ends_in_the_record() -> None:
    """And one whose server ends."""

    class Begun(BegunReview):
        def __init__(self) -> None:
            self.abandoned = 0

        @property
        def session(self) -> ResearchSession:
            return a_session(a_chat())

        def abandon(self) -> None:
            self.abandoned += 1

    stopping = threading.Event()
    cancelled = ReviewJob(Begun(), stopping, cast(Any, None))
    cancelled.cancel()
    assert cast(Begun, cancelled.asked).abandoned == 1
    stopping.set()
    ended = ReviewJob(Begun(), stopping, cast(Any, None))
    ended.run()
    assert (cast(Begun, ended.asked).abandoned, ended.has_ended) == (1, True)
