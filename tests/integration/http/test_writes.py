"""What changes a library over HTTP: who may, uploads, ingests as jobs, removal."""

import json
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from support.http_client import client_at, request
from support.http_server import serving
from support.world import GRIDS, PONDS, World

from citeloom.infrastructure.http.guards import SECRET_HEADER as HEADER

SECRET = "s" * 43
SHOWN = {HEADER: SECRET}
PROJECT = "/projects/local/thesis"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def rest(world: World) -> Iterator[httpx2.Client]:
    with (
        serving(world, secret=SECRET) as address,
        client_at(f"{address}/api/v1") as client,
    ):
        yield client


def ended(rest: httpx2.Client, job: str) -> tuple[list[str], dict[str, object]]:
    """The names of its events, and its last state."""
    kinds, state = [], {}
    with rest.stream("GET", f"/jobs/{job}/events") as events:
        for line in events.iter_lines():
            if line.startswith("event: "):
                kinds.append(line.removeprefix("event: "))
            if line.startswith("data: "):
                state = json.loads(line.removeprefix("data: "))
    return kinds, state


WRITES = [
    ("PUT", f"{PROJECT}/uploads/a.md"),
    ("POST", f"{PROJECT}/ingests"),
    ("DELETE", PROJECT),
    ("DELETE", f"{PROJECT}/documents/ponds"),
    ("DELETE", "/jobs/x"),
    ("POST", "/chats"),
    ("PUT", "/preferences"),
]


@pytest.mark.parametrize(("method", "path"), WRITES)
def test_changes_need_the_secret_of_this_start(rest: httpx2.Client, method: str, path: str) -> None:
    for headers in ({}, {HEADER: "t" * 43}, {HEADER: "ü"}):
        shown = {name: value.encode("latin-1") for name, value in headers.items()}
        refused = rest.request(method, path, headers=shown, json={})
        assert (refused.status_code, refused.json()["code"]) == (403, "SECRET_NEEDED")
        assert "serve.json" in refused.json()["detail"]


def test_no_other_page_changes_anything_even_with_the_secret(rest: httpx2.Client) -> None:
    for origin in ("https://evil.example.org", "null"):
        headers = {**SHOWN, "origin": origin}
        assert rest.post("/chats", json={}, headers=headers).status_code == 403
    plain = {"content-type": "text/plain", "origin": "https://evil.example.org"}
    assert rest.post("/chats", content="{}", headers=plain).status_code == 403
    asked = {"origin": "https://evil.example.org", "access-control-request-method": "PUT"}
    preflight = rest.options("/preferences", headers=asked)
    assert preflight.status_code == 403
    assert "access-control-allow-origin" not in preflight.headers


def test_a_server_that_only_reads_changes_nothing_and_answers_questions(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.ingest()
    world.settings["mcp"] = {"read_only": True}
    with serving(world, secret=SECRET) as address:
        refused = request("DELETE", f"{address}/api/v1{PROJECT}", headers=SHOWN)
        assert (refused.status_code, refused.json()["code"]) == (403, "READ_ONLY")
        asked = {"project": "thesis", "text": "cooling"}
        assert request("POST", f"{address}/api/v1/query", json=asked).status_code == 200
        assert SECRET not in request("GET", f"{address}/library").text


def test_a_file_that_is_sent_is_kept_and_read_as_a_job(rest: httpx2.Client, world: World) -> None:
    path = f"{PROJECT}/uploads/My%20ponds.md"
    sent = rest.put(path, content=PONDS.encode(), headers=SHOWN)
    assert sent.status_code == 202

    kinds, state = ended(rest, sent.json()["id"])

    assert (kinds[-1], state["status"]) == ("done", "done")
    (document,) = state["documents"]  # type: ignore[misc]
    assert document["status"] == "added"
    kept = world.application.workspace.root / "uploads" / "local-thesis" / "My ponds.md"
    assert kept.read_text("utf-8") == PONDS
    found = rest.post("/query", json={"project": "thesis", "text": "one hundred metres"})
    assert found.json()["count"] >= 1
    assert [job["status"] for job in rest.get("/jobs?project=thesis").json()["jobs"]] == ["done"]


def test_another_file_of_the_name_is_kept_beside_it_the_same_one_once(
    rest: httpx2.Client, world: World
) -> None:
    for text in (PONDS, GRIDS, PONDS):
        sent = rest.put(f"{PROJECT}/uploads/a.md", content=text.encode(), headers=SHOWN)
        ended(rest, sent.json()["id"])
    folder = world.application.workspace.root / "uploads" / "local-thesis"
    assert sorted(path.name for path in folder.iterdir()) == ["a-2.md", "a.md"]
    assert rest.get(f"{PROJECT}/documents").json()["total"] == 2


NAMES = ["..%2F..%2Fetc%2Fa.md", "%2e%2e%5ca.md", "a%00b.md", "%E2%80%AE.md.md", "C:a.md"]


@pytest.mark.parametrize("name", NAMES)
def test_no_name_leads_out_of_the_folder(rest: httpx2.Client, world: World, name: str) -> None:
    root = world.application.workspace.root
    before = {path for path in root.rglob("*") if "uploads" not in path.parts}
    sent = rest.put(f"{PROJECT}/uploads/{name}", content=b"# A\n\nText.\n", headers=SHOWN)
    assert sent.status_code in (202, 400, 404)
    if sent.status_code == 202:
        ended(rest, sent.json()["id"])
    there = {path for path in root.rglob("*.md") if "uploads" not in path.parts}
    assert there <= before
    assert not (root.parent / "a.md").exists()


@pytest.mark.parametrize(("name", "body"), [("a", b"x"), (".md", b"x"), ("a.md", b"")])
def test_what_is_no_file_is_refused_and_nothing_is_left(
    rest: httpx2.Client, world: World, name: str, body: bytes
) -> None:
    refused = rest.put(f"{PROJECT}/uploads/{name}", content=body, headers=SHOWN)
    assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_PARAMETER")
    folder = world.application.workspace.root / "uploads"
    assert not [path for path in folder.rglob("*") if path.is_file()]


def test_an_upload_that_is_cut_off_leaves_nothing(rest: httpx2.Client, world: World) -> None:
    with socket.create_connection((rest.base_url.host, rest.base_url.port or 80)) as client:
        path = f"/api/v1{PROJECT}/uploads/a.md"
        head = f"PUT {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n"
        client.sendall(f"{head}{HEADER}: {SECRET}\r\n\r\n# half".encode())
    rest.put(f"{PROJECT}/uploads/b.md", content=PONDS.encode(), headers=SHOWN)
    folder = world.application.workspace.root / "uploads" / "local-thesis"
    assert not (folder / "a.md").exists()


def test_a_folder_that_may_not_be_read_is_refused(rest: httpx2.Client) -> None:
    refused = rest.post(f"{PROJECT}/ingests", json={"source": "/etc"}, headers=SHOWN)
    assert (refused.status_code, refused.json()["code"]) == (403, "INVALID_SOURCE")


def test_documents_and_projects_are_removed_and_the_files_stay(
    rest: httpx2.Client, world: World
) -> None:
    ponds, _ = world.write("ponds.md", PONDS), world.write("grids.md", GRIDS)
    world.ingest()
    gone = rest.delete(f"{PROJECT}/documents/ponds", headers=SHOWN).json()
    assert (len(gone["documents"]), gone["whole"]) == (1, False)
    assert rest.get(f"{PROJECT}/documents").json()["total"] == 1
    again = rest.delete(f"{PROJECT}/documents/ponds", headers=SHOWN)
    assert again.status_code == 404
    assert rest.delete(PROJECT, headers=SHOWN).json()["whole"] is True
    assert rest.get(PROJECT).status_code == 404
    assert ponds.exists()


def test_a_job_is_asked_for_and_cancelled(rest: httpx2.Client) -> None:
    assert rest.get("/jobs/absent").status_code == 404
    assert rest.get("/jobs/absent/events").status_code == 404
    sent = rest.put(f"{PROJECT}/uploads/a.md", content=PONDS.encode(), headers=SHOWN).json()
    ended(rest, sent["id"])
    assert rest.delete(f"/jobs/{sent['id']}", headers=SHOWN).json()["status"] == "done"


def test_events_of_a_job_go_on_where_a_client_was_also_at_a_server_started_anew(
    world: World,
) -> None:
    with serving(world) as address, client_at(f"{address}/api/v1") as rest:
        sent = rest.put(f"{PROJECT}/uploads/a.md", content=PONDS.encode()).json()
        path = f"/jobs/{sent['id']}/events"
        kinds, _ = ended(rest, sent["id"])
        last = str(len(kinds) - 1)
        again = rest.get(path, headers={"Last-Event-ID": last})
        assert again.text.count("event: ") == 1
        assert "event: done" in again.text
        beyond = rest.get(path, headers={"Last-Event-ID": str(len(kinds))})
        assert (beyond.status_code, beyond.json()["code"]) == (400, "INVALID_PARAMETER")
    with serving(world) as address:
        later = request("GET", f"{address}/api/v1{path}", headers={"Last-Event-ID": last})
        assert later.text == again.text


def test_local_programs_learn_of_a_server_and_no_other_user_does(tmp_path: Path) -> None:
    from citeloom.infrastructure.system.serve_file import secret_of_others, told_in

    path = tmp_path / "serve.json"
    with told_in(tmp_path, "http://127.0.0.1:1", SECRET):
        told = json.loads(path.read_text("utf-8"))
        assert told.pop("answers_as")
        assert told == {
            "url": "http://127.0.0.1:1",
            "secret": SECRET,
            "pid": os.getpid(),
            "workspace": str(tmp_path.resolve().parent),
        }
        assert path.stat().st_mode & 0o777 == 0o600
        with told_in(tmp_path, "http://127.0.0.1:2", SECRET):
            assert json.loads(path.read_text("utf-8"))["url"] == "http://127.0.0.1:2"
        assert json.loads(path.read_text("utf-8"))["url"] == told["url"]
        assert secret_of_others(tmp_path) == SECRET
        copied = tmp_path / "copied" / ".citeloom"
        copied.mkdir(parents=True)
        shutil.copy(path, copied)
        assert secret_of_others(copied) is None
        with told_in(copied, "http://127.0.0.1:2", SECRET):
            pass
        assert not (copied / "serve.json").exists()
    assert not path.exists()
    assert secret_of_others(tmp_path) is None
    path.write_text(json.dumps({"url": "", "secret": SECRET, "pid": 2**30}))
    assert secret_of_others(tmp_path) is None
    with told_in(tmp_path, "http://127.0.0.1:1", SECRET):
        path.write_text("{}")
    assert path.exists()
