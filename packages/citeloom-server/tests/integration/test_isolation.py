"""Principals of one server: nothing comes back that is of a project that one may not read.

``CITELOOM_ISOLATION_REQUESTS`` says how many random requests are sent, ``CITELOOM_ISOLATION_SEED``
which.
"""

import json
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx2
import pytest
from support.group_server import GRANTS, PROJECTS, WORDS, GroupServer, group_server

from citeloom.domain.projects.project import ProjectId
from citeloom_server.application.access.permitted.catalogue import PermittedCatalogue
from citeloom_server.application.access.permitted.stores import PermittedIndex
from citeloom_server.domain.access import Rights

REQUESTS = int(os.environ.get("CITELOOM_ISOLATION_REQUESTS", "200"))
SEED = int(os.environ.get("CITELOOM_ISOLATION_SEED", "20261125"))
TOOLS: dict[str, Callable[["Asking"], dict[str, Any]]] = {
    "query_hybrid": lambda a: {"text": a.words(), "project": a.projects(), "top_k": 20},
    "query": lambda a: {"text": a.words(), "project": [a.project()], "context": 2},
    "list_documents": lambda a: a.maybe({"project": a.project()}),
    "open_page": lambda a: {"place": a.name(), **a.maybe({"project": a.project()})},
    "cite": lambda a: {"works": [a.name()], "project": a.project(), "bibliography": True},
    "get_structure": lambda a: {"resource_id": a.name(), **a.maybe({"project": a.project()})},
    "getStructure": lambda a: {"resource_id": a.name()},
    "listResources": lambda a: a.pick([{}, {"budget": 2000}, {"project": a.project()}]),
    "resolve": lambda a: {"resource_id": f"doc://{a.id()}", "virtual": a.pick([True, False])},
    "inspect_collection": lambda a: {"project": a.project(), "sample": 3},
    "list_projects": lambda _: {},
    "jobs": lambda _: {},
    "remove": lambda a: {"project": a.project()},
    "verify": lambda a: {"text": f"It falls [@{a.name()}].", "project": a.project()},
}


class Sent(NamedTuple):
    """What was sent, as text, and what came back."""

    request: str
    answer: httpx2.Response


class Asking:
    """Random requests of one principal, to projects of all."""

    def __init__(self, group: GroupServer, dice: random.Random) -> None:
        self._group = group
        self._dice = dice
        self.pick = dice.choice

    def project(self) -> str:
        return self.pick([*PROJECTS, "local/nowhere"])

    def projects(self) -> list[str]:
        return self._dice.sample([*PROJECTS], self._dice.randint(1, 3))

    def name(self) -> str:
        return self.pick(self._group.names[self.pick([*PROJECTS])])

    def id(self) -> str:
        names = self._group.names[self.pick([*PROJECTS])]
        return self.pick([name for name in names if len(name) == 16])

    def words(self) -> str:
        return " ".join(self._dice.sample([*WORDS, *PROJECTS.values()], 3))

    def maybe(self, given: dict[str, Any]) -> dict[str, Any]:
        return given if self._dice.random() < 0.6 else {}

    def sent(self, client: httpx2.Client) -> Sent:
        if self._dice.random() < 0.4:
            return self._called(client)
        path, query = self._read()
        if path == "/query":
            body = {"project": self.project(), "also": self.projects(), "text": self.words()}
            return Sent(json.dumps(body), client.post("/api/v1/query", json=body))
        if not path.startswith(("/ask", "/library", "/paper", "/history", "/review", "/draft")):
            path = f"/api/v1{path}"
        answer = client.get(path, params=query, follow_redirects=True)
        return Sent(f"{path} {query}", answer)

    def _called(self, client: httpx2.Client) -> Sent:
        tool = self.pick([*TOOLS])
        return called(client, "tools/call", {"name": tool, "arguments": TOOLS[tool](self)})

    def _read(self) -> tuple[str, dict[str, Any]]:
        project, name = self.project(), self.name()
        document = quote(name, safe="")
        within = self.maybe({"project": project})
        return self.pick(
            [
                ("/query", {}),
                ("/query", {}),
                ("/query", {"project": project, "text": self.words()}),
                ("/projects", {}),
                (f"/projects/{project}", {}),
                (f"/projects/{project}/documents", {}),
                (f"/projects/{project}/documents/{document}", {}),
                (f"/projects/{project}/documents/{document}/annotations", {}),
                (f"/projects/{project}/bibliography", {}),
                (f"/projects/{project}/references", {}),
                (f"/projects/{project}/relations", {}),
                (f"/projects/{project}/validate", {}),
                ("/validate", {}),
                ("/read", {"place": name, **within}),
                ("/resolve", {"place": name, **within}),
                ("/resolve", {"place": f"doc://{self.id()}"}),
                (f"/documents/{document}/map", within),
                (f"/documents/{document}/relations", within),
                (f"/documents/{document}/pages/1.png", within),
                ("/cite", {"project": project, "key": name}),
                ("/labels", {"uri": f"ndk://file/{PROJECTS.get(project, 'x')}/{name}/$body"}),
                ("/jobs", self.maybe({"project": project})),
                ("/chats", {}),
                ("/research-sessions", {}),
                ("/ask", {"project": project, "q": self.words()}),
                ("/library", {"project": project}),
                ("/paper", {"project": project, "document": name}),
                ("/history", {}),
            ]
        )


def called(client: httpx2.Client, method: str, params: dict[str, Any]) -> Sent:
    """A request of MCP."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-11-25",
    }
    return Sent(json.dumps(message), client.post("/mcp", json=message, headers=headers))


def leaks(group: GroupServer, principal: str, sent: Sent) -> list[str]:
    """Words of hidden projects that came back and had not been sent."""
    text = " ".join([sent.answer.text, *map(str, sent.answer.headers.items())]).casefold()
    asked = sent.request.casefold()
    return sorted(word for word in group.hidden(principal) if word in text and word not in asked)


@pytest.fixture(scope="module")
def group(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GroupServer]:
    with group_server(tmp_path_factory.mktemp("group")) as served:
        yield served


def ask_randomly(group: GroupServer, requests: int, seed: int) -> tuple[list[str], Counter[str]]:
    """What leaked, and how many requests were answered with which status."""
    found, statuses = list[str](), Counter[str]()
    dice = random.Random(seed)
    principals = [*GRANTS, "root"]
    clients = {name: group.client(name) for name in principals}
    asking = Asking(group, dice)
    for _ in range(requests):
        name = dice.choice(principals)
        sent = asking.sent(clients[name])
        statuses[str(sent.answer.status_code)] += 1
        found += [f"{name}: {word}: {sent.request}" for word in leaks(group, name, sent)]
    return found, statuses


def test_random_requests_show_nothing_of_projects_that_may_not_be_read(group: GroupServer) -> None:
    found, statuses = ask_randomly(group, REQUESTS, SEED)
    assert not found
    assert statuses["200"] > REQUESTS / 3
    assert not {"500", "401"} & set(statuses)


@pytest.mark.parametrize("guard", ["catalogue", "index", "rights"])
def test_without_its_guard_the_same_requests_leak(
    group: GroupServer, monkeypatch: pytest.MonkeyPatch, guard: str
) -> None:
    """The random requests notice what they are for."""
    if guard == "rights":
        monkeypatch.setattr(Rights, "may_read", lambda _self, _id: True)
    elif guard == "catalogue":
        monkeypatch.setattr(PermittedCatalogue, "_may_read", lambda _self, _id: True)
    else:
        monkeypatch.setattr(PermittedCatalogue, "_may_read", lambda _self, _id: True)
        monkeypatch.setattr(PermittedIndex, "_check", lambda *_args, **_options: None)
    found, _ = ask_randomly(group, 80, SEED)
    assert found


def test_a_project_that_may_not_be_read_is_answered_as_one_that_there_is_not(
    group: GroupServer,
) -> None:
    hidden, absent = "local/dogwyrm", "local/dogwyrn"
    paths = [
        "/projects/{}",
        "/projects/{}/documents",
        "/projects/{}/documents/x",
        "/projects/{}/validate",
        "/projects/{}/bibliography",
        "/projects/{}/relations",
        "/query?project={}&text=ponds",
        "/read?place=x&project={}",
        "/documents/x/map?project={}",
    ]
    with group.client("ada") as client:
        for path in paths:
            first, second = (client.get("/api/v1" + path.format(one)) for one in (hidden, absent))
            assert first.status_code == second.status_code == 404, path
            assert first.text.replace("dogwyrm", "dogwyrn") == second.text, path
        for method, path in [
            ("DELETE", "/projects/{}"),
            ("PUT", "/projects/{}/uploads/x.md"),
            ("POST", "/projects/{}/verifications"),
        ]:
            body: Any = {"content": b"x"} if method == "PUT" else {"json": {"text": "a [@b]."}}
            options = {} if method == "DELETE" else body
            first, second = (
                client.request(method, "/api/v1" + path.format(one), **options)
                for one in (hidden, absent)
            )
            assert first.status_code == second.status_code, path
            assert first.status_code in (403, 404)
            assert first.text.replace("dogwyrm", "dogwyrn") == second.text, path


def test_lists_and_counts_are_of_what_may_be_read(group: GroupServer) -> None:
    for name in GRANTS:
        with group.client(name) as client:
            listed = client.get("/api/v1/projects").json()
            assert [one["id"] for one in listed["projects"]] == sorted(GRANTS[name])
            assert listed["total"] == len(GRANTS[name])
            told = called(client, "tools/call", {"name": "list_projects", "arguments": {}}).answer
            assert f'"count":{len(GRANTS[name])}' in told.text.replace("\\", "")
    with group.client("root") as client:
        assert client.get("/api/v1/projects").json()["total"] == len(PROJECTS)


def test_readers_may_not_change_what_they_read(group: GroupServer) -> None:
    project = ProjectId(value="local/cedarmux")
    before = group.application.stores.catalogue.state(project)
    with group.client("ada") as client:
        for method, path, options in [
            ("DELETE", f"/projects/{project}", {}),
            ("DELETE", f"/projects/{project}/documents/cedarmuxKey0", {}),
            ("PUT", f"/projects/{project}/uploads/x.md", {"content": b"# X"}),
            ("POST", f"/projects/{project}/ingests", {"json": {"source": "/tmp"}}),
            (
                "PUT",
                "/labels?uri=ndk://file/cedarmux/-/$collection",
                {"json": {"name": "mood", "value": "good"}},
            ),
        ]:
            answer = client.request(method, f"/api/v1{path}", **options)
            assert answer.status_code == 403, (path, answer.text)
            assert answer.json()["code"] == "FORBIDDEN"
    assert group.application.stores.catalogue.state(project) == before


def test_folders_of_the_machine_and_figures_are_for_administrators(
    group: GroupServer, tmp_path: Path
) -> None:
    with group.client("ada") as client:
        body = {"source": str(tmp_path)}
        answer = client.post("/api/v1/projects/ada/alderquin/ingests", json=body)
        assert (answer.status_code, answer.json()["code"]) == (403, "FORBIDDEN")
        assert client.get("/metrics").status_code == 403
    with group.client("root") as client:
        assert client.get("/metrics").status_code == 200


def test_chats_are_their_principals_alone(group: GroupServer) -> None:
    with group.client("ada") as ada, group.client("bob") as bob, group.client("root") as root:
        chat = ada.post("/api/v1/chats", json={"title": "about alderquin"}).json()["id"]
        asked = {"content": "ponds", "project": "ada/alderquin"}
        said = ada.post(f"/api/v1/chats/{chat}/messages", json=asked)
        assert said.status_code == 201
        for other in (bob, root):
            assert other.get("/api/v1/chats").json()["total"] == 0
            assert other.get(f"/api/v1/chats/{chat}").status_code == 404
            assert other.get(f"/api/v1/chats/{chat}/messages").status_code == 404
            rated = {"rating": "positive"}
            message = said.json()["answer"]["id"]
            answer = other.post(f"/api/v1/messages/{message}/feedback", json=rated)
            assert answer.status_code in (404, 422), answer.text
        assert ada.get("/api/v1/chats").json()["total"] == 1


def test_without_a_role_every_operation_refuses_or_has_nothing(group: GroupServer) -> None:
    """All operations of the description, asked by a principal without roles for what there is."""
    values = {
        "namespace": "local",
        "name": "dogwyrm",
        "document": "dogwyrmKey0",
        "number": "1",
        "file": "x.md",
        "project": "local/dogwyrm",
        "place": "dogwyrmKey0",
        "key": "dogwyrmKey0",
        "text": "ponds",
        "uri": "ndk://file/dogwyrm/dogwyrmKey0/$body",
        "other": "00000000-0000-4000-8000-000000000001",
    }
    asked = Counter[str]()
    with group.client("carol") as client:
        described = client.get("/api/v1/openapi.json").json()
        for path, operations in described["paths"].items():
            for method, operation in operations.items():
                answer = _asked(client, method, path, operation, values)
                told = f"{method} {path}: {answer.status_code} {answer.text[:300]}"
                assert not leaks(group, "carol", Sent(" ".join(values.values()), answer)), told
                asked[str(answer.status_code)] += 1
                if answer.status_code < 300:
                    assert _is_own(path, answer), told
                else:
                    assert answer.status_code in (400, 403, 404, 409, 422), told
    assert sum(asked.values()) > 40
    assert asked["404"] > 15


def _asked(
    client: httpx2.Client,
    method: str,
    path: str,
    operation: dict[str, Any],
    values: dict[str, str],
) -> httpx2.Response:
    """With what is known of the parameters, and a body that fits most."""
    query = {
        one["name"]: values[one["name"]]
        for one in operation.get("parameters", ())
        if one["in"] == "query" and one["name"] in values
    }
    for one in operation.get("parameters", ()):
        if one["in"] == "path":
            known = values.get(one["name"], values["other"])
            path = path.replace("{" + one["name"] + "}", known)
    body = {"project": values["project"], "text": "ponds", "source": "/tmp", "name": "local/new"}
    options: dict[str, Any] = {}
    if "requestBody" in operation:
        options = {"content": b"# X"} if "uploads" in path else {"json": body}
    return client.request(method.upper(), path, params=query, **options)


def _is_own(path: str, answer: httpx2.Response) -> bool:
    """An empty list, what everybody has, or what the principal just made itself."""
    if "application/json" not in answer.headers.get("content-type", ""):
        return not answer.content
    told = answer.json()
    if "total" in told:
        return told["total"] == 0
    return path.endswith(("/preferences", "/chats", "/validate", "/validations"))
