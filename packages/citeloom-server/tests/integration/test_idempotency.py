"""Requests that are sent twice with a key over HTTP: done once, answered each time."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest
from support.http_client import client_at, request
from support.http_server import serving
from support.world import PONDS, World

from citeloom.infrastructure.composition.application import Application
from citeloom_server.infrastructure.idempotency.requests import HEADER, REPLAYED

KEY = {HEADER: '"8e03978e-40d5-43dd-bc93-6894a57f9324"'}
UPLOAD = "/projects/local/thesis/uploads/ponds.md"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def application(world: World) -> Application:
    return world.application


@pytest.fixture
def rest(world: World, application: Application) -> Iterator[httpx2.Client]:
    with (
        serving(world, application=application) as address,
        client_at(f"{address}/api/v1") as client,
    ):
        yield client


def chats(rest: httpx2.Client) -> int:
    return int(rest.get("/chats").json()["total"])


def test_the_same_request_is_done_once_and_has_the_same_answer(rest: httpx2.Client) -> None:
    first = rest.post("/chats", json={"title": "Ponds"}, headers=KEY)
    again = rest.post("/chats", json={"title": "Ponds"}, headers=KEY)
    bare = rest.post("/chats", json={"title": "Ponds"}, headers={HEADER: KEY[HEADER].strip('"')})
    assert REPLAYED not in first.headers
    for one in (again, bare):
        assert (one.status_code, one.content) == (201, first.content)
        assert one.headers[REPLAYED] == "true"
        assert one.headers["content-type"] == first.headers["content-type"]
    assert chats(rest) == 1


def test_without_a_key_each_request_is_done(rest: httpx2.Client) -> None:
    for _ in range(2):
        assert rest.post("/chats", json={}).status_code == 201
    assert chats(rest) == 2


OTHERS = [
    ("POST", "/chats", {"title": "Grids"}),
    ("POST", "/chats?a=b", {"title": "Ponds"}),
    ("PUT", "/preferences", {"title": "Ponds"}),
]


@pytest.mark.parametrize(("method", "path", "body"), OTHERS)
def test_a_key_goes_with_one_request(
    rest: httpx2.Client, method: str, path: str, body: dict[str, str]
) -> None:
    rest.post("/chats", json={"title": "Ponds"}, headers=KEY)
    refused = rest.request(method, path, json=body, headers=KEY)
    assert (refused.status_code, refused.json()["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert refused.headers["content-type"] == "application/problem+json"


def test_a_refusal_has_done_nothing_and_leaves_the_key_free(rest: httpx2.Client) -> None:
    assert rest.post("/chats", json={"titel": "Ponds"}, headers=KEY).status_code == 400
    done = rest.post("/chats", json={"title": "Ponds"}, headers=KEY)
    assert (done.status_code, REPLAYED in done.headers) == (201, False)


def test_a_request_under_way_is_not_begun_a_second_time(
    rest: httpx2.Client, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    open_chat = application.research.chats.open

    def slow(_: object, title: str | None) -> object:
        begun.set()
        assert go_on.wait(10)
        return open_chat(title)

    monkeypatch.setattr(type(application.research.chats), "open", slow)
    answers = []
    first = threading.Thread(
        target=lambda: answers.append(rest.post("/chats", json={}, headers=KEY))
    )
    first.start()
    assert begun.wait(10)
    refused = rest.post("/chats", json={}, headers=KEY)
    go_on.set()
    first.join()
    assert (refused.status_code, refused.json()["code"]) == (409, "REQUEST_UNDER_WAY")
    assert refused.headers["retry-after"]
    again = rest.post("/chats", json={}, headers=KEY)
    assert [one.content for one in answers] == [again.content]


def test_a_change_whose_answer_cannot_be_kept_is_made_and_never_again(
    rest: httpx2.Client, application: Application
) -> None:
    rest.post("/chats", json={}, headers={HEADER: "before"})
    with closing(sqlite3.connect(application.workspace.catalogue)) as disk:
        disk.execute(
            "CREATE TRIGGER refused BEFORE UPDATE ON given_answers "
            "BEGIN SELECT RAISE(ABORT, 'disk full'); END"
        )
    made = rest.post("/chats", json={"title": "Ponds"}, headers=KEY)
    again = rest.post("/chats", json={"title": "Ponds"}, headers=KEY)
    assert (made.status_code, made.json()["title"]) == (201, "Ponds")
    assert (again.status_code, again.json()["code"]) == (409, "OUTCOME_UNKNOWN")
    assert chats(rest) == 2


def test_a_file_is_sent_again_and_another_one_is_refused(rest: httpx2.Client) -> None:
    pieces = [PONDS[:200].encode(), PONDS[200:].encode()]
    first = rest.put(UPLOAD, content=iter(pieces), headers=KEY)
    again = rest.put(UPLOAD, content=PONDS.encode(), headers=KEY)
    other = rest.put(UPLOAD, content=b"# Other\n\nText.\n", headers=KEY)
    assert (first.status_code, again.headers[REPLAYED]) == (202, "true")
    assert first.content == again.content
    assert (other.status_code, other.json()["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")


def test_a_server_that_was_started_again_answers_as_before(world: World) -> None:
    deleted = {HEADER: "delete"}
    with serving(world) as address:
        chat = request("POST", f"{address}/api/v1/chats", json={}, headers=KEY)
        path = f"/api/v1/chats/{chat.json()['id']}"
        request("DELETE", f"{address}{path}", headers=deleted)
        job = request("PUT", f"{address}/api/v1{UPLOAD}", content=PONDS, headers={HEADER: "job"})
        request("GET", f"{address}/api/v1/jobs/{job.json()['id']}/events")
    with serving(world) as address:
        again = request("POST", f"{address}/api/v1/chats", json={}, headers=KEY)
        assert (again.content, again.headers[REPLAYED]) == (chat.content, "true")
        assert request("DELETE", f"{address}{path}", headers=deleted).status_code == 204
        other = request("PUT", f"{address}/api/v1{UPLOAD}", content=PONDS, headers={HEADER: "job"})
        assert (other.status_code, other.content) == (202, job.content)
        told = request("GET", f"{address}/api/v1/jobs/{other.json()['id']}")
        assert told.json()["status"] == "done"


@pytest.mark.parametrize("key", ["", "a b", '"', "ü", "x" * 256, "a, b"])
def test_what_is_no_key_is_refused(rest: httpx2.Client, key: str) -> None:
    refused = rest.post("/chats", json={}, headers={HEADER: key.encode("latin-1")})
    assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_PARAMETER")
    assert chats(rest) == 0


def test_questions_and_reading_pass_a_key_by(rest: httpx2.Client) -> None:
    for _ in range(2):
        assert REPLAYED not in rest.get("/chats", headers=KEY).headers
    asked = {"project": "absent", "text": "x"}
    assert rest.post("/query", json=asked, headers=KEY).status_code == 404
