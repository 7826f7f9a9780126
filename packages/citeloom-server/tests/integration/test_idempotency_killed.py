"""Requests with a key to a server that is killed while it works on them, and started again."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from support.http_client import client_at
from support.http_server import serving
from support.paths import TESTS
from support.world import PONDS, World

from citeloom.infrastructure.system.clock import SystemClock
from citeloom_server.infrastructure.idempotency.requests import HEADER, REPLAYED

# A server that is killed at a moment of a request with a key: when it is "begun" and nothing done,
# when it is "done" and its answer not kept, when the answer is "kept" and not sent.
_SERVER = """
import os, signal, sys, threading
from pathlib import Path
from support.http_server import serving
from support.world import PONDS, World
from citeloom_server.infrastructure.idempotency.requests import KeptAnswers
from citeloom.infrastructure.system.clock import SystemClock

folder, moment = Path(sys.argv[1]), sys.argv[2]
world = World(folder, clock=SystemClock())
world.write("ponds.md", PONDS)
world.ingest()

def killing(work, when):
    def killed(*arguments):
        if when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = work(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)
    return killed

if moment == "begun":
    KeptAnswers.begin = killing(KeptAnswers.begin, "after")
elif moment in ("done", "kept"):
    when = "before" if moment == "done" else "after"
    KeptAnswers.keep = killing(KeptAnswers.keep, when)
with serving(world) as address:
    print(address, flush=True)
    threading.Event().wait()
"""
ASKED = {"content": "How far does the cooling reach?", "queryMode": "simple"}

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")


@contextmanager
def server(folder: Path, killed: str) -> Iterator[httpx2.Client]:
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(folder), killed],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": f"{TESTS}:{os.environ.get('PYTHONPATH', '')}"},
    ) as process:
        assert process.stdout is not None
        try:
            with client_at(f"{process.stdout.readline().strip()}/api/v1") as client:
                yield client
        finally:
            process.kill()


@contextmanager
def survivor(folder: Path) -> Iterator[httpx2.Client]:
    """A server in this process that goes on where the killed one stopped."""
    world = World(folder, clock=SystemClock())
    world.write("ponds.md", PONDS)
    world.ingest()
    with serving(world) as address, client_at(f"{address}/api/v1") as client:
        yield client


def sent(client: httpx2.Client, path: str, body: dict[str, str], key: str) -> httpx2.Response:
    return client.post(path, json=body, headers={HEADER: key})


def assert_answered_as_kept(answer: httpx2.Response, moment: str) -> None:
    if moment == "kept":
        assert (answer.status_code, answer.headers[REPLAYED]) == (201, "true")
    else:
        assert (answer.status_code, answer.json()["code"]) == (409, "OUTCOME_UNKNOWN")


@pytest.mark.parametrize(
    "moments", [["done"], pytest.param(["begun", "done", "kept"], marks=pytest.mark.faults)]
)
def test_a_chat_is_opened_once_whenever_the_server_is_killed(
    tmp_path: Path, moments: list[str]
) -> None:
    for moment in moments:
        with server(tmp_path, killed=moment) as client, pytest.raises(httpx2.TransportError):
            sent(client, "/chats", {"title": moment}, moment)
    with survivor(tmp_path) as client:
        for moment in moments * 2:
            answer = sent(client, "/chats", {"title": moment}, moment)
            assert_answered_as_kept(answer, moment)
        listed = client.get("/chats").json()["chats"]
        assert sorted(one["title"] for one in listed) == [one for one in moments if one != "begun"]
        if "kept" in moments:
            assert answer.json()["id"] in [one["id"] for one in listed if one["title"] == "kept"]


@pytest.mark.faults
def test_a_question_is_answered_once_whenever_the_server_is_killed(tmp_path: Path) -> None:
    moments = ["done", "kept"]
    for moment in moments:
        with server(tmp_path, killed=moment) as client:
            path = f"/chats/{one_chat(client)}/messages"
            with pytest.raises(httpx2.TransportError):
                sent(client, path, ASKED, moment)
    with survivor(tmp_path) as client:
        for moment in moments * 2:
            answer = sent(client, path, ASKED, moment)
            assert_answered_as_kept(answer, moment)
        messages = client.get(path).json()["messages"]
        assert len(messages) == 4
        assert answer.json()["answer"]["id"] == messages[-1]["id"]


def one_chat(client: httpx2.Client) -> str:
    """The id of the first chat, which is opened where there is none."""
    listed = client.get("/chats").json()["chats"]
    return str((listed or [client.post("/chats", json={}).json()])[0]["id"])
