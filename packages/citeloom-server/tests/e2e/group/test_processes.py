"""``citeloom serve`` in two processes: what one begins, the other follows, ends and takes up."""

import re
import threading
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitResult
from support.servers.group import BEARER, TOKEN, AsyncAlternating, Group, GroupProcess
from support.servers.random_requests import RandomRequests

pytestmark = pytest.mark.server

KEY = "Idempotency-Key"


#: Sentences of a paper whose ingest is seen to be under way.
LONG = 60


def papers(folder: Path, count: int, sentences: int = 3) -> Path:
    """Each of so many sentences that nobody has embedded before: what takes a while."""
    folder.mkdir()
    for number in range(count):
        place = f"pond {number} of {folder.parent.name}"
        text = [f"The {place} cools the evening air by {one} K." for one in range(sentences)]
        content = f"# Pond {number}\n\n{' '.join(text)}\n"
        (folder / f"pond-{number:02}.md").write_text(content, encoding="utf-8")
    return folder


def begun(process: GroupProcess, project: str, folder: Path) -> str:
    """The id of an ingest."""
    sent = process.rest.post(f"/projects/local/{project}/ingests", json={"source": str(folder)})
    assert sent.status_code == 202, sent.text
    return str(sent.json()["id"])


def followed(process: GroupProcess, job: str, documents: float = 1e9, after: int = 0) -> list[str]:
    """The names of its events there, until so many documents are done or it has ended."""
    names: list[str] = []
    path = f"/jobs/{job}/events?after={after}"
    with process.rest.stream("GET", path) as events:
        for line in events.iter_lines():
            if line.startswith("event: "):
                names.append(line.removeprefix("event: "))
            done = re.search(r'"done": ?([0-9.]+)', line)
            if done is not None and float(done[1]) >= documents:
                break
    return names


@pytest.fixture
def inside(library: Group, request: pytest.FixtureRequest) -> Path:
    """A folder that may be read, as it lies in the workspace."""
    folder = Path(library.workspace) / request.node.name
    folder.mkdir()
    return folder


def test_a_job_is_followed_and_cancelled_at_the_process_that_has_not_begun_it(
    library: Group, inside: Path
) -> None:
    one, other = library.processes
    job = begun(one, "long", papers(inside / "papers", 30, LONG))
    assert followed(other, job, documents=2)[0] == "progress"
    busy = other.rest.delete("/projects/local/long")
    assert (busy.status_code, busy.json()["code"]) == (409, "PROJECT_BUSY")
    assert other.rest.delete(f"/jobs/{job}").status_code == 202
    assert followed(other, job)[-1] == "cancelled"
    there, here = (process.rest.get(f"/jobs/{job}").json() for process in (one, other))
    assert there == here
    assert here["status"] == "cancelled"
    assert 2 <= here["done"] < 30
    assert job in [one["id"] for one in other.rest.get("/jobs?project=long").json()["jobs"]]


def test_the_same_ingest_asked_at_both_at_once_is_one_job(library: Group, inside: Path) -> None:
    folder = papers(inside / "papers", 4)
    found: list[str] = []
    asking = [
        threading.Thread(target=lambda one=one: found.append(begun(one, "both", folder)))
        for one in library.processes
    ]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert len(set(found)) == 1
    assert followed(library.processes[0], found[0])[-1] == "done"


def test_a_key_sent_to_both_at_once_is_one_chat(library: Group) -> None:
    answers: list[httpx2.Response] = []

    def ask(process: GroupProcess, number: int) -> None:
        body = {"title": f"Once {number}"}
        answers.append(process.rest.post("/chats", json=body, headers={KEY: f"once-{number}"}))

    for number in range(10):
        asking = [threading.Thread(target=ask, args=(one, number)) for one in library.processes]
        for thread in asking:
            thread.start()
        for thread in asking:
            thread.join()
    assert {one.status_code for one in answers} <= {201, 409}
    assert {one.json()["code"] for one in answers if one.status_code == 409} <= {
        "REQUEST_UNDER_WAY"
    }
    for number in range(10):
        for process in library.processes:
            ask(process, number)
            assert (answers[-1].status_code, answers[-1].headers["idempotency-replayed"]) == (
                201, "true",
            )  # fmt: skip
    titles = [one["title"] for one in library.rest.get("/chats?limit=100").json()["chats"]]
    assert sorted(one for one in titles if one.startswith("Once")) == [
        f"Once {number}" for number in range(10)
    ]


def test_a_login_and_the_secret_of_a_page_hold_at_both(library: Group) -> None:
    one, other = library.processes
    with httpx2.Client(timeout=120) as browser:
        answer = browser.post(f"{one.url}/login", data={"token": TOKEN, "next": "/"})
        cookie = {"cookie": answer.headers["set-cookie"].partition(";")[0]}
        page = browser.get(f"{other.url}/library?project=local/samples", headers=cookie).text
        secret = re.search(r'citeloom-secret" content="([^"]+)"', page)
        assert secret is not None
        assert "Ponds" in page
        shown = cookie | {"X-CiteLoom-Secret": secret[1]}
        made = browser.post(f"{one.url}/api/v1/chats", json={"title": "Page"}, headers=shown)
        assert made.status_code == 201
        path = f"{other.url}/api/v1/chats/{made.json()['id']}"
        assert browser.delete(path, headers=shown).status_code == 204


def test_a_review_in_a_chat_runs_at_one_process_and_is_followed_at_the_other(
    library: Group,
) -> None:
    one, other = library.processes
    chat = one.rest.post("/chats", json={"title": "Cooling"}).json()["id"]
    body = {
        "content": "How far does the cooling reach?", "queryMode": "deep_research",
        "project": "samples", "researchDepth": "light",
    }  # fmt: skip
    asked = one.rest.post(f"/chats/{chat}/messages", json=body)
    assert asked.status_code in (201, 202), asked.text
    session = asked.json()["researchSession"]["id"]
    with other.rest.stream("GET", f"/research-sessions/{session}/events") as events:
        names = [line for line in events.iter_lines() if line.startswith("event: ")]
    assert names[-1] == "event: completed"
    assert [one.rest.get(f"/research-sessions/{session}").json()] == [
        other.rest.get(f"/research-sessions/{session}").json()
    ]
    jobs = [job for job in other.rest.get("/jobs").json()["jobs"] if job["kind"] == "review"]
    assert [job["status"] for job in jobs] == ["done"]


def test_a_verification_has_its_findings_at_both(library: Group) -> None:
    one, other = library.processes
    text = "The cooling is gone at one hundred metres [@nobody]."
    sent = one.rest.post("/projects/local/samples/verifications", json={"text": text})
    job = sent.json()["id"]
    assert followed(other, job)[-1] == "done"
    path = f"/jobs/{job}/verification"
    assert other.rest.get(path).json() == one.rest.get(path).json()
    page = httpx2.get(
        f"{other.url}/draft?project=local/samples&job={job}", headers=BEARER, timeout=120
    )
    assert "one hundred metres" in page.text


@pytest.mark.parametrize("revision", ["legacy", "2026-07-28"])
def test_agents_need_no_sticky_sessions(library: Group, inside: Path, revision: Any) -> None:
    folder = papers(inside / "papers", 10, LONG)
    addresses = [one.url for one in library.processes]
    transport = AsyncAlternating(addresses)
    told: list[float] = []

    async def agree(_context: Any, _asked: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"agree": True})

    async def heard(done: float, _total: float | None, _message: str | None) -> None:
        told.append(done)

    async def play() -> None:
        client = httpx2.AsyncClient(transport=transport, headers=BEARER, timeout=120)
        to_both = streamable_http_client("http://group/mcp", http_client=client)
        async with client, Client(to_both, mode=revision, elicitation_callback=agree) as agent:
            assert {tool.name for tool in (await agent.list_tools()).tools} >= {"jobs", "remove"}

            async def call(name: str, **arguments: Any) -> Any:
                answer = await agent.call_tool(name, arguments, progress_callback=heard)
                assert not answer.is_error, answer.content
                return answer.structured_content

            project = f"agents-{revision}"
            done = await call("ingest_from_source", project=project, source=str(folder))
            while done.get("status") in ("queued", "running"):  # a busy machine
                done = await call("jobs", job_id=done["job_id"], wait_seconds=10)
            for _ in range(4):  # each process twice
                found = await call("query", project=project, text="Which pond cools?")
                assert found["items"]
                assert (await call("jobs"))["count"] >= 1
            assert done["documents_processed"] == 10
            asked = await call("remove", project=project)
            if asked["status"] != "removed":  # who cannot be asked confirms by name
                assert revision == "legacy"
                asked = await call("remove", project=project, confirm=asked["confirm"])
            assert asked["status"] == "removed"
            if revision == "legacy":
                with pytest.warns(match="resources/subscribe"), pytest.raises(MCPError):
                    await agent.session.subscribe_resource("citeloom://projects")

    anyio.run(play)
    assert told
    assert transport.asked >= 10


def test_random_requests_to_both_are_answered_as_by_one(library: Group) -> None:
    answers: list[list[Any]] = []
    for prefix, client in (("both", library.rest), ("sole", library.processes[0].rest)):
        requests = RandomRequests(client, 50, prefix)
        answers.append(requests.run(120))
        requests.forget()
    for number, (both, single) in enumerate(zip(*answers, strict=True)):
        assert both == single, number
    assert {status for _, status, _ in answers[0]} >= {200, 201, 204, 400, 404}


def test_a_job_of_a_process_that_is_killed_has_failed_and_the_same_again_goes_on(
    library: Group, inside: Path
) -> None:
    """The last test: one process is gone then."""
    killed, other = library.processes
    folder = papers(inside / "papers", 10, LONG)
    job = begun(killed, "killed", folder)
    followed(other, job, documents=1)
    last = int(other.rest.get(f"/jobs/{job}").json()["done"])
    killed.kill()
    told = other.rest.get(f"/jobs/{job}").json()
    assert (told["status"], told["code"]) == ("failed", "WORKER_DIED")
    assert "ingest the same again" in told["detail"]
    assert last <= told["done"] < 10
    assert followed(other, job)[-1] == "failed"
    again = begun(other, "killed", folder)
    assert again != job
    assert followed(other, again)[-1] == "done"
    ended = other.rest.get(f"/jobs/{again}").json()["documents"]
    states = [one["status"] for one in ended]
    assert len(states) == 10
    assert "unchanged" in states
    listed = other.rest.get("/projects/local/killed/documents?limit=100").json()
    assert listed["total"] == 10
    checked = other.rest.get("/projects/local/killed/validate?deep=true").json()
    assert checked["ok"], [one for one in checked["checks"] if one["status"] == "FAIL"]
