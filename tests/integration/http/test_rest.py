"""The REST interface over HTTP, on loopback."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from support.http_client import client_at, request
from support.http_server import serving
from support.world import GRIDS, HERE, PONDS, World

TOKEN = "t" * 40
QUESTION = {"project": "thesis", "text": "cooling at one hundred metres"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = World(tmp_path_factory.mktemp("library"))
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest()
    return world


@pytest.fixture(scope="module")
def rest(world: World) -> Iterator[httpx2.Client]:
    with serving(world) as address, client_at(f"{address}/api/v1") as client:
        yield client


def test_projects_and_their_documents_are_listed(rest: httpx2.Client) -> None:
    listed = rest.get("/projects").json()["projects"]
    assert [one["id"] for one in listed] == ["local/thesis"]
    documents = rest.get("/projects/local/thesis/documents").json()
    assert documents["total"] == 2
    assert documents["next"] is None


def test_a_cursor_leads_through_a_list_once(rest: httpx2.Client) -> None:
    path = "/projects/local/thesis/documents"
    first = rest.get(path, params={"limit": 1}).json()
    second = rest.get(path, params={"limit": 1, "cursor": first["next"]}).json()
    assert second["next"] is None
    shown = [*first["documents"], *second["documents"]]
    assert len({one["document_id"] for one in shown}) == 2
    other = rest.get(path, params={"limit": 1, "cursor": first["next"], "sort": "year"})
    assert (other.status_code, other.json()["code"]) == (400, "INVALID_PARAMETER")


def test_a_question_has_the_same_answer_as_a_link(rest: httpx2.Client) -> None:
    posted = rest.post("/query", json=QUESTION)
    linked = rest.get("/query", params=QUESTION)
    assert "one hundred metres" in posted.json()["items"][0]["text"]
    assert posted.json()["items"] == linked.json()["items"]


def test_a_passage_is_read_by_its_address(rest: httpx2.Client) -> None:
    first = rest.post("/query", json=QUESTION).json()["items"][0]
    found = rest.get("/read", params={"project": "thesis", "place": first["address"]})
    assert "one hundred metres" in found.json()["text"]


PROBLEMS = [
    ("/projects/local/nowhere", {}, 404, "INVALID_PROJECT"),
    ("/query", {"project": "thesis"}, 400, "INVALID_PARAMETER"),
    ("/query", {"project": "a/b/c", "text": "x"}, 400, "INVALID_PARAMETER"),
    ("/query", {"project": "thesis", "text": "x", "top_k": "0"}, 400, "INVALID_PARAMETER"),
    ("/projects/local/thesis/documents", {"cursor": "!"}, 400, "INVALID_PARAMETER"),
    ("/read", {"project": "thesis", "place": "absent"}, 404, "DOCUMENT_NOT_FOUND"),
    ("/absent", {}, 404, "NOT_FOUND"),
]


@pytest.mark.parametrize(("path", "asked", "status", "code"), PROBLEMS)
def test_errors_are_problem_details_with_the_code(
    rest: httpx2.Client, path: str, asked: dict[str, str], status: int, code: str
) -> None:
    answer = rest.get(path, params=asked)
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert (answer.status_code, problem["status"], problem["code"]) == (status, status, code)
    assert problem["detail"]


def test_a_body_that_is_too_large_is_refused_whether_its_length_is_told_or_not(
    rest: httpx2.Client,
) -> None:
    body = b'{"text": "' + b"x" * 1_100_000 + b'"}'
    json = {"content-type": "application/json"}
    assert rest.post("/query", content=body, headers=json).status_code == 413
    assert rest.post("/query", content=iter([body]), headers=json).status_code == 413


def test_the_interface_describes_itself(rest: httpx2.Client) -> None:
    described = rest.get("/openapi.json").json()
    assert described["openapi"].startswith("3.")
    assert "/api/v1/query" in described["paths"]


def test_a_token_is_asked_for_where_one_is_set(world: World) -> None:
    with serving(world, TOKEN) as address:
        path = f"{address}/api/v1/projects"
        assert request("GET", path).status_code == 401
        allowed = {"authorization": f"Bearer {TOKEN}"}
        assert request("GET", path, headers=allowed).status_code == 200


def test_agents_are_served_in_the_same_process(rest: httpx2.Client) -> None:
    address = str(rest.base_url).split("/api")[0] + "/mcp"
    asked = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    accepted = {"accept": "application/json, text/event-stream"}
    assert request("POST", address, json=asked, headers=accepted).status_code < 500


def test_pages_from_elsewhere_and_other_names_are_refused(rest: httpx2.Client) -> None:
    evil = {"origin": "https://evil.example.org"}
    assert rest.get("/projects", headers=evil).status_code == 403
    assert rest.get("/projects", headers={"host": "evil.example.org"}).status_code == 421


def test_a_warning_says_what_to_do_in_words(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.write("ponds.md", PONDS)
    world.ingest()
    world.index.drop(world.catalogue.project(HERE).collection)
    with serving(world) as address:
        (project,) = request("GET", f"{address}/api/v1/projects").json()["projects"]
    assert project["warning"].count("; ") >= 1
    assert "you can" in project["warning"] or "GET /api/v1" in project["warning"]


def test_an_answer_that_a_client_has_is_not_sent_again(rest: httpx2.Client) -> None:
    path = "/projects/local/thesis/documents"
    first = rest.get(path)
    known = {"if-none-match": first.headers["etag"]}
    again = rest.get(path, headers=known)
    assert (again.status_code, again.content) == (304, b"")
    other = rest.get(path, params={"limit": 1}, headers=known)
    assert (other.status_code, len(other.json()["documents"])) == (200, 1)


def test_one_document_is_shown_by_its_id_or_its_file(rest: httpx2.Client) -> None:
    path = "/projects/local/thesis/documents"
    listed = {one["document_id"]: one for one in rest.get(path).json()["documents"]}
    for id, document in listed.items():
        assert rest.get(f"{path}/{id}").json() == document
    assert rest.get(f"{path}/absent").json()["code"] == "DOCUMENT_NOT_FOUND"


def test_an_empty_project_is_made_once(tmp_path: Path) -> None:
    with serving(World(tmp_path)) as address:
        path = f"{address}/api/v1/projects"
        made = request("POST", path, json={"name": "reading"})
        assert (made.status_code, made.json()["id"]) == (201, "local/reading")
        shown = request("GET", f"{address}{made.headers['location']}")
        assert shown.json() == made.json()
        again = request("POST", path, json={"name": "reading"})
        assert (again.status_code, again.json()["code"]) == (409, "PROJECT_EXISTS")
        assert request("GET", path).json()["total"] == 1


def test_jobs_are_listed_page_by_page(tmp_path: Path) -> None:
    with serving(World(tmp_path)) as address:
        path = f"{address}/api/v1/projects/local/thesis/uploads"
        for name in ("a.md", "b.md"):
            sent = request("PUT", f"{path}/{name}", content=PONDS + name)
            jobs = f"{address}/api/v1/jobs"
            request("GET", f"{jobs}/{sent.json()['id']}/events")
        first = request("GET", jobs, params={"limit": 1}).json()
        second = request("GET", jobs, params={"limit": 1, "cursor": first["next"]}).json()
    assert (first["total"], second["next"]) == (2, None)
    assert first["jobs"][0]["id"] != second["jobs"][0]["id"]
