"""Health of a server, as probes and proxies ask for it."""

import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from support.http_client import client_at, request
from support.http_server import serving, serving_application, started
from support.world import World

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.serving.serving import Serving
from citeloom_server.infrastructure.operation import health, verbs

TOKEN = "t" * 40


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr(health, "KEPT_SECONDS", 0.0)
    return World(tmp_path)


@pytest.fixture
def rest(world: World) -> Iterator[httpx2.Client]:
    with serving(world, TOKEN) as address, client_at(address) as client:
        yield client


def statuses(answer: httpx2.Response) -> dict[str, str]:
    return {one["name"]: one["status"] for one in answer.json()["checks"]}


def test_probes_need_no_token_and_learn_names_only(rest: httpx2.Client, world: World) -> None:
    for path in ("/health/live", "/health/ready"):
        answer = rest.get(path)
        assert (answer.status_code, answer.json()["status"]) == (200, "UP")
        assert str(world.folder) not in answer.text
        assert answer.headers["cache-control"] == "no-store"
    assert statuses(rest.get("/health/ready")) == dict.fromkeys(
        ("catalogue", "storage", "index", "models", "server"), "UP"
    )
    assert rest.get("/api/v1/projects").status_code == 401
    assert rest.head("/health/ready").status_code == 200


def test_a_probe_by_an_address_of_the_machine_is_answered(rest: httpx2.Client) -> None:
    """Kubernetes and load balancers ask by address, or by a name of their own."""
    asked = rest.get("/health/ready", headers={"Host": "10.1.2.3:8420"})
    assert asked.status_code == 200


def test_a_catalogue_that_fails_makes_it_unready_and_recovery_ready(
    rest: httpx2.Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise StorageFailed("postgresql://ada@db/papers: no connection")

    with monkeypatch.context() as patch:
        patch.setattr(world.catalogue, "amounts", fails)
        answer = rest.get("/health/ready")
        assert (answer.status_code, answer.json()["status"]) == (503, "DOWN")
        assert statuses(answer)["catalogue"] == "DOWN"
        assert statuses(answer)["storage"] == "UP"
        assert "ada" not in answer.text
        assert rest.get("/health/live").status_code == 200
    assert rest.get("/health/ready").status_code == 200


def test_a_check_that_hangs_is_down(
    rest: httpx2.Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "CHECK_SECONDS", 0.05)
    released = threading.Event()
    monkeypatch.setattr(world.catalogue, "amounts", lambda *_: released.wait(60))
    try:
        for _ in range(2):
            assert statuses(rest.get("/health/ready"))["catalogue"] == "DOWN"
    finally:
        released.set()


def test_storage_that_cannot_be_written_makes_it_unready(
    rest: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(**_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(verbs.tempfile, "TemporaryFile", full)
    answer = rest.get("/health/ready")
    assert (answer.status_code, statuses(answer)["storage"]) == (503, "DOWN")


def test_an_index_server_that_is_away_makes_it_unready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path, settings={"index": {"url": "http://127.0.0.1:9"}})
    application = world.application
    object.__setattr__(application.stores.overrides, "server_index", None)
    with serving_application(application) as address:
        answer = request("GET", f"{address}/health/ready")
    assert (answer.status_code, statuses(answer)["index"]) == (503, "DOWN")


def test_a_server_that_was_told_to_end_is_not_ready_and_still_answers(world: World) -> None:
    application = world.application
    told = Serving(application)
    with started(application, told) as address:
        assert request("GET", f"{address}/health/ready").status_code == 200
        told.leave()
        answer = request("GET", f"{address}/health/ready")
        assert (answer.status_code, statuses(answer)["server"]) == (503, "DOWN")
        assert request("GET", f"{address}/api/v1/projects").status_code == 200
        assert request("GET", f"{address}/health/live").status_code == 200
