"""Validations over HTTP: the same facts as the command's, at once or as a job."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from support.http_client import client_at
from support.http_server import serving
from support.world import HERE, PONDS, World

from citeloom.domain.progress import checkpoint
from citeloom.infrastructure.cli.shared.output import print_json
from citeloom.infrastructure.composition.application import Application
from citeloom.infrastructure.http import access


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.write("ponds.md", PONDS)
    world.ingest()
    return world


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


def checks(answer: Any) -> set[tuple[str, str, str]]:
    return {(one["check"], one["status"], one["message"]) for one in answer["checks"]}


@pytest.mark.parametrize("path", ["/projects/local/thesis/validate", "/validate"])
def test_it_has_the_facts_of_the_command(
    rest: httpx2.Client, application: Application, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    answer = rest.get(path).json()
    found = application.projects.validate(HERE)
    print_json({"ok": found.ok, "checks": found.checks})
    told = json.loads(capsys.readouterr().out)
    assert answer["ok"] is told["ok"] is True
    assert checks(answer) == checks(told)


def test_damage_is_found_and_says_what_to_do(rest: httpx2.Client, world: World) -> None:
    world.index.drop(world.catalogue.project(HERE).collection)
    answer = rest.get("/projects/local/thesis/validate").json()
    assert answer["ok"] is False
    (bad,) = [one for one in answer["checks"] if one["status"] == "FAIL"]
    assert bad["check"] == "index"
    assert "repair" in bad["guidance"]


def test_one_that_takes_too_long_is_given_up_and_names_the_job(
    rest: httpx2.Client, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(*_args: Any, **_options: Any) -> Any:
        while True:
            checkpoint()
            time.sleep(0.01)

    monkeypatch.setattr(access, "SECONDS", 0.2)
    monkeypatch.setattr(application.projects, "validate", endless)
    refused = rest.get("/projects/local/thesis/validate")
    assert (refused.status_code, refused.json()["code"]) == (504, "TIMEOUT")
    assert "POST /api/v1/validations" in refused.json()["detail"]


@pytest.mark.parametrize("asked", [{"project": "thesis", "deep": True}, {}])
def test_a_job_finds_the_same(rest: httpx2.Client, asked: dict[str, Any]) -> None:
    begun = rest.post("/validations", json=asked)
    assert begun.status_code == 202
    job = begun.headers["location"].removeprefix("/api/v1")
    assert "event: done" in rest.get(f"{job}/events").text
    found = rest.get(f"{job}/validation").json()
    path = "/projects/local/thesis/validate"
    assert checks(found) == checks(rest.get(path, params={"deep": bool(asked)}).json())


def test_what_is_not_there_is_refused(rest: httpx2.Client) -> None:
    for answer in (
        rest.get("/projects/local/absent/validate"),
        rest.post("/validations", json={"project": "absent"}),
        rest.get("/jobs/absent/validation"),
    ):
        assert answer.status_code == 404
