"""The log of a real server: one JSON object a line, and nothing in it that was asked or found."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
from support.command_line import environment, inside
from support.http_client import client_at

pytestmark = pytest.mark.server
TOKEN = "k7" * 20
QUESTION = "How quickly does the pond cool the zanzibar evening?"
PASSAGE = "The cooling of the quincunx falls with distance and is gone at one hundred metres."
SETTINGS = {
    "CITELOOM_MCP__TOKEN": TOKEN,
    "CITELOOM_LOG__FORMAT": "json",
    "CITELOOM_LOG__LEVEL": "info",
    "CITELOOM_LOG__ACCESS": "true",
}


class Running(NamedTuple):
    client: httpx2.Client
    process: "subprocess.Popen[str]"
    log: Path

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines()]


@contextmanager
def running(workspace: Path, **settings: str) -> Iterator[Running]:
    command = [sys.executable, "-m", "citeloom", "serve", "--port", "0"]
    log = workspace.parent / "server.log"
    with log.open("w") as stderr:
        process = subprocess.Popen(
            [*command, "--workspace", str(workspace)],
            stderr=stderr,
            encoding="utf-8",
            env=environment(**SETTINGS | settings),
        )
    try:
        while "serving" not in (told := log.read_text("utf-8")):
            assert process.poll() is None, told
            time.sleep(0.05)
        address = json.loads(told.splitlines()[0])["message"].split()[1]
        with client_at(address, headers={"Authorization": f"Bearer {TOKEN}"}) as client:
            yield Running(client, process, log)
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("log") / "library"
    folder.mkdir()
    (folder / "ponds.md").write_text(f"# Ponds\n\n## Results\n\n{PASSAGE}\n")
    done = inside("ingest", folder / "ponds.md", "--project", "thesis", workspace=folder)
    assert done.code == 0, done.err
    return folder


def test_each_line_is_an_object_and_none_has_token_question_or_passage(workspace: Path) -> None:
    with running(workspace) as server:
        ask = {"project": "thesis", "text": QUESTION}
        headers = {"X-Request-ID": "from-the-proxy.1"}
        answer = server.client.post("/api/v1/query", json=ask, headers=headers)
        assert PASSAGE[:20] in answer.text
        assert answer.headers["x-request-id"] == "from-the-proxy.1"
        linked = server.client.get("/ask", params={"project": "thesis", "q": QUESTION})
        assert QUESTION[:10] in linked.text
        made = server.client.get("/api/v1/projects", headers={"X-Request-ID": "a b\tc"})
        assert made.headers["x-request-id"] != "a b\tc"
        server.client.post("/api/v1/query", json={**ask, "top_k": QUESTION})
        server.client.get("/api/v1/read", params={"project": "thesis", "place": QUESTION})
        wrong = {"Authorization": f"Bearer {TOKEN[:-1]}X"}
        assert server.client.get("/api/v1/projects", headers=wrong).status_code == 401
        checked = {"text": f"{PASSAGE} [@nobody2020]"}
        path = "/api/v1/projects/local/thesis/verifications"
        assert server.client.post(path, json=checked).status_code == 202
        server.client.get("/health/ready")
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0
        lines = server.lines()
    text = server.log.read_text("utf-8")
    for hidden in (TOKEN, TOKEN[:-1], "zanzibar", "quincunx", "thesis"):
        assert hidden not in text.replace(str(workspace), ""), hidden
    accessed = [one for one in lines if one["logger"] == "citeloom.access"]
    asked = next(one for one in accessed if one["request"] == "from-the-proxy.1")
    asked.pop("time")
    assert asked.pop("ms") > 0
    assert asked == {
        "level": "info",
        "logger": "citeloom.access",
        "message": asked["message"],
        "request": "from-the-proxy.1",
        "method": "POST",
        "route": "/api/v1/query",
        "status": 200,
    }
    assert not [one for one in accessed if one["route"].startswith("/health")]


def test_without_the_setting_requests_are_not_logged(workspace: Path) -> None:
    with running(workspace, CITELOOM_LOG__ACCESS="false") as server:
        assert server.client.get("/api/v1/projects").status_code == 200
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0
        assert [one["logger"] for one in server.lines()] == ["citeloom.server"]


def test_after_sigterm_it_says_that_it_ends_and_answers_for_a_while(workspace: Path) -> None:
    with running(workspace, CITELOOM_SERVE__DRAIN_SECONDS="30") as server:
        server.process.send_signal(signal.SIGTERM)
        while server.client.get("/health/ready").status_code == 200:
            pass
        assert server.client.get("/health/live").status_code == 200
        asked = server.client.post("/api/v1/query", json={"project": "thesis", "text": QUESTION})
        assert asked.status_code == 200
        server.process.send_signal(signal.SIGTERM)  # a client that cannot wait asks again
        assert server.process.wait(20) == 0
