"""Chats and research sessions over HTTP, on loopback."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import httpx2
import pytest
from support.http_client import client_at
from support.http_server import serving
from support.research.records import begin
from support.world import GRIDS, PONDS, World

from citeloom.infrastructure.storage.research.record import SqlResearchRecord
from citeloom.infrastructure.system.clock import SystemClock
from citeloom.infrastructure.system.workspace import Workspace

QUESTION = "cooling at one hundred metres"
Event = dict[str, Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("library")


@pytest.fixture(scope="module")
def rest(folder: Path) -> Iterator[httpx2.Client]:
    # The clock of other tests goes on when it is looked at, which would end heartbeats.
    world = World(folder, clock=cast(Any, SystemClock()))
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest()
    with serving(world) as address:
        client = client_at(f"{address}/api/v1")
        with client:
            yield client


@pytest.fixture
def chat(rest: httpx2.Client) -> str:
    """The path of a new chat."""
    return f"/chats/{rest.post('/chats', json={}).json()['id']}"


def followed(rest: httpx2.Client, session_id: str, last: int | None = None) -> list[Event]:
    """All events of a session until the stream ends."""
    headers = {} if last is None else {"Last-Event-ID": str(last)}
    events: list[Event] = []
    path = f"/research-sessions/{session_id}/events"
    with rest.stream("GET", path, headers=headers) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        event: Event = {}
        for line in stream.iter_lines():
            name, _, text = line.partition(": ")
            if not line:
                events.append(event)
                event = {}
            elif name:
                event[name] = json.loads(text) if name == "data" else text
    return [one for one in events if one]


def reviewed(rest: httpx2.Client, chat: str) -> Event:
    asked = {"content": QUESTION, "queryMode": "deep_research", "researchDepth": "light"}
    answer = rest.post(f"{chat}/messages", json=asked)
    assert answer.status_code == 202, answer.text
    exchange: Event = answer.json()
    path = f"/api/v1/research-sessions/{exchange['researchSession']['id']}"
    assert answer.headers["location"] == path
    return exchange


def test_a_chat_is_opened_renamed_deleted_and_restored(rest: httpx2.Client) -> None:
    made = rest.post("/chats", json={"title": " Ponds "})
    assert made.status_code == 201
    assert (made.json()["title"], made.json()["isDeleted"]) == ("Ponds", False)
    path = f"/chats/{made.json()['id']}"
    assert rest.patch(path, json={"title": "Lakes"}).json()["title"] == "Lakes"
    assert rest.delete(path).status_code == 204
    gone = rest.get(path)
    assert (gone.status_code, gone.json()["code"]) == (404, "CHAT_NOT_FOUND")
    assert "can be restored until" in gone.json()["detail"]
    deleted = rest.get("/chats", params={"deleted": True}).json()["chats"]
    assert made.json()["id"] in {one["id"] for one in deleted}
    assert rest.post(f"{path}/restore").json()["deletedAt"] is None
    assert rest.get(path).status_code == 200


def test_an_answer_in_mode_simple_quotes_passages_at_once(rest: httpx2.Client, chat: str) -> None:
    asked = rest.post(f"{chat}/messages", json={"content": QUESTION, "topK": 2})
    assert asked.status_code == 201, asked.text
    answer = asked.json()["answer"]
    assert (answer["role"], answer["queryMode"]) == ("agent", "simple")
    first = answer["passages"][0]
    assert "one hundred metres" in first["text"]
    assert first["text"].splitlines()[0] in answer["content"]
    assert rest.get("/read", params={"project": "thesis", "place": first["address"]}).is_success
    listed = rest.get(f"{chat}/messages").json()
    assert listed["messages"] == [asked.json()["question"], answer]
    assert rest.get(chat).json()["title"] == QUESTION


def test_a_cursor_leads_through_the_messages_once(rest: httpx2.Client, chat: str) -> None:
    for text in ("ponds", "grids"):
        rest.post(f"{chat}/messages", json={"content": text})
    seen, cursor = [], None
    while True:
        page = rest.get(
            f"{chat}/messages", params={"limit": 3} | ({"cursor": cursor} if cursor else {})
        )
        seen += [one["content"] for one in page.json()["messages"] if one["role"] == "user"]
        if (cursor := page.json()["next"]) is None:
            break
    assert seen == ["ponds", "grids"]


def test_a_review_is_followed_to_its_end_and_read_with_its_evidence(
    rest: httpx2.Client, chat: str
) -> None:
    exchange = reviewed(rest, chat)
    assert exchange["answer"]["content"] is None
    session = exchange["researchSession"]
    assert (session["status"], session["messageId"]) == ("in_progress", exchange["answer"]["id"])
    events = followed(rest, session["id"])
    assert [one["id"] for one in events[:-1]] == [str(n) for n in range(1, len(events))]
    assert [one["event"] for one in events[:2]] == ["research_started", "plan_created"]
    assert events[-2]["event"] == "research_completed"
    assert (events[-1]["event"], "id" in events[-1]) == ("completed", False)
    assert all(one["data"]["eventType"] == one["event"] for one in events[:-1])

    found = rest.get(f"/research-sessions/{session['id']}").json()
    assert (found["status"], found["sequence"]) == ("completed", len(events) - 1)
    assert found["verificationSummary"]["totalClaims"] == len(found["claims"]) > 0
    spans = {span["id"]: span for one in found["sources"] for span in one["evidenceSpans"]}
    for claim in found["claims"]:
        assert claim["claimText"] in found["report"][claim["positionStart"] : claim["positionEnd"]]
        assert {one["evidenceSpanId"] for one in claim["citations"]} <= spans.keys()
    messages = rest.get(f"{chat}/messages").json()["messages"]
    assert [one["researchSessionId"] for one in messages] == [session["id"]] * 2
    assert messages[1]["content"] == found["report"]


def test_a_client_that_comes_back_gets_what_it_has_not(rest: httpx2.Client, chat: str) -> None:
    session_id = reviewed(rest, chat)["researchSession"]["id"]
    events = followed(rest, session_id)
    last = len(events) - 1
    for number in (0, 1, last - 1, last):
        assert followed(rest, session_id, number) == events[number:]
    for wrong in (str(last + 1), "x", "-1", "1" * 20):
        refused = rest.get(
            f"/research-sessions/{session_id}/events", headers={"Last-Event-ID": wrong}
        )
        assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_PARAMETER")


def test_a_review_whose_process_died_is_resumed(rest: httpx2.Client, folder: Path) -> None:
    record = SqlResearchRecord(Workspace(folder).catalogue_url)
    died = begin(record, project_id="local/thesis", question=QUESTION, classification={})
    record.close()
    path = f"/research-sessions/{died.id}"
    assert [one["event"] for one in followed(rest, str(died.id))] == ["error", "failed"]
    resumed = rest.post(f"{path}/resume")
    assert (resumed.status_code, resumed.json()["status"]) == (202, "in_progress"), resumed.text
    events = followed(rest, str(died.id), 1)
    assert [one["id"] for one in events[:-1]] == [str(n) for n in range(2, len(events) + 1)]
    assert events[0]["data"]["resumed"]
    assert events[-1]["event"] == "completed"
    assert rest.post(f"{path}/resume").json()["code"] == "SESSION_ENDED"


def test_reviews_are_listed_and_go_with_their_chat(rest: httpx2.Client, chat: str) -> None:
    session_id = reviewed(rest, chat)["researchSession"]["id"]
    followed(rest, session_id)

    def listed(**asked: str) -> set[str]:
        page = rest.get("/research-sessions", params=asked).json()
        return {one["id"] for one in page["researchSessions"]}

    assert session_id in listed(project="thesis", status="completed")
    assert session_id not in listed(status="failed")
    ended = rest.post(f"/research-sessions/{session_id}/cancel")
    assert (ended.status_code, ended.json()["code"]) == (409, "SESSION_ENDED")
    rest.delete(chat)
    assert session_id not in listed()
    assert rest.get(f"/research-sessions/{session_id}").status_code == 404
    assert rest.get(f"/research-sessions/{session_id}/events").status_code == 404


def test_an_answer_is_rated_and_a_question_is_not(rest: httpx2.Client, chat: str) -> None:
    asked = rest.post(f"{chat}/messages", json={"content": "ponds"}).json()
    rating = {"rating": "negative", "feedbackText": "not what I asked"}
    given = rest.post(f"/messages/{asked['answer']['id']}/feedback", json=rating)
    assert given.status_code == 201
    assert given.json()["feedbackText"] == "not what I asked"
    question = rest.post(f"/messages/{asked['question']['id']}/feedback", json=rating)
    assert (question.status_code, question.json()["code"]) == (400, "INVALID_PARAMETER")
    unknown = rest.post(f"/messages/{uuid4()}/feedback", json=rating)
    assert (unknown.status_code, unknown.json()["code"]) == (404, "MESSAGE_NOT_FOUND")


def test_a_review_is_deleted_and_restored(rest: httpx2.Client, chat: str) -> None:
    asked = {"content": QUESTION, "queryMode": "deep_research"}
    begun = rest.post(f"{chat}/messages", json=asked).json()["researchSession"]["id"]
    followed(rest, begun)
    path = f"/research-sessions/{begun}"
    assert rest.delete(path).status_code == 204
    assert rest.get(path).status_code == 404
    deleted = rest.get("/research-sessions", params={"deleted": True}).json()
    assert begun in [one["id"] for one in deleted["researchSessions"]]
    assert rest.post(f"{path}/restore").json()["id"] == begun
    assert rest.get(path).status_code == 200


def test_preferences_are_replaced_and_hold_for_questions(rest: httpx2.Client, chat: str) -> None:
    wanted = {"defaultQueryMode": "deep_research", "defaultResearchDepth": "light"}
    assert rest.put("/preferences", json=wanted).status_code == 200
    shown = rest.get("/preferences").json()
    assert wanted.items() <= shown.items()
    asked = rest.post(f"{chat}/messages", json={"content": QUESTION})
    assert asked.status_code == 202
    assert asked.json()["researchSession"]["researchDepth"] == "light"
    followed(rest, asked.json()["researchSession"]["id"])
    cleared = rest.put("/preferences", json={}).json()
    assert (cleared["defaultQueryMode"], cleared["systemInstructions"]) == (None, None)


REFUSED = [
    ({"content": "x", "queryMode": "web_search"}, 400, "INVALID_PARAMETER"),
    ({"content": " "}, 400, "INVALID_PARAMETER"),
    ({"content": "?!", "queryMode": "deep_research"}, 400, "INVALID_PARAMETER"),
    ({"content": "x", "query_mode": "simple"}, 400, "INVALID_PARAMETER"),
    ({"content": "x", "project": "nowhere"}, 404, "INVALID_PROJECT"),
]


@pytest.mark.parametrize(("body", "status", "code"), REFUSED)
def test_what_is_refused_leaves_no_message(
    rest: httpx2.Client, chat: str, body: Event, status: int, code: str
) -> None:
    refused = rest.post(f"{chat}/messages", json=body)
    assert (refused.status_code, refused.json()["code"]) == (status, code), refused.text
    assert rest.get(f"{chat}/messages").json()["total"] == 0


def test_why_the_web_is_not_searched_is_said(rest: httpx2.Client, chat: str) -> None:
    refused = rest.post(f"{chat}/messages", json={"content": "x", "queryMode": "web_search"})
    assert "nothing is asked of the web" in refused.json()["detail"]
    preferred = rest.put("/preferences", json={"defaultQueryMode": "web_search"})
    assert preferred.status_code == 400


def test_unknown_chats_and_sessions_are_problems(rest: httpx2.Client) -> None:
    for path in (
        f"/chats/{uuid4()}",
        f"/chats/{uuid4()}/messages",
        f"/research-sessions/{uuid4()}",
    ):
        assert rest.get(path).status_code == 404
    assert rest.post(f"/chats/{uuid4()}/restore").json()["code"] == "CHAT_NOT_FOUND"
    assert rest.get(f"/research-sessions/{uuid4()}/events").json()["code"] == "SESSION_NOT_FOUND"
    assert rest.get("/chats/not-an-id").status_code == 400
