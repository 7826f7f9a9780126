"""Quotas: requests of a principal within a minute, and what a project may hold."""

import threading
import time
from pathlib import Path

from support.http_client import client_at
from support.http_server import serving, started
from support.world import GRIDS, HERE, PONDS, World

from citeloom.application.validation.checks import Validation
from citeloom.application.validation.validate import ValidateRequest
from citeloom.domain.ingest import DocumentStatus
from citeloom.infrastructure.serving.jobs.checks import VALIDATION, CheckJob
from citeloom.infrastructure.serving.serving import Serving
from citeloom_server.infrastructure.operation.requests import RequestRates


def test_requests_beyond_a_quota_are_refused_with_when_to_ask_again(tmp_path: Path) -> None:
    world = World(tmp_path, settings={"quota": {"requests_per_minute": 3}})
    with serving(world) as address, client_at(address) as client:
        for _ in range(3):
            assert client.get("/api/v1/projects").status_code == 200
        refused = client.get("/api/v1/projects")
        assert (refused.status_code, refused.json()["code"]) == (429, "TOO_MANY_REQUESTS")
        assert 1 <= int(refused.headers["retry-after"]) <= 20
        assert client.post("/mcp", json={}).status_code == 429
        for path in ("/health/ready", "/health/live", "/metrics"):
            assert client.get(path).status_code == 200, path


def test_each_principal_has_requests_of_its_own_and_they_come_back() -> None:
    seconds = 0.0
    rates = RequestRates(60, lambda: seconds)
    assert [rates.take("ada") for _ in range(60)] == [0.0] * 60
    assert 0 < rates.take("ada") <= 1
    assert rates.take("bob") == 0
    seconds = 2.0
    assert [rates.take("ada") > 0 for _ in range(3)] == [False, False, True]


def test_documents_beyond_the_quota_are_refused_by_name_before_they_are_read(
    tmp_path: Path,
) -> None:
    world = World(tmp_path, settings={"quota": {"project_documents": 1}})
    world.write("a.md", PONDS)
    world.write("b.md", GRIDS)
    result = world.ingest()
    (failed,) = [one for one in result.documents if one.status is DocumentStatus.FAILED]
    assert "b.md" in failed.source
    assert failed.error is not None
    assert "quota.project_documents" in str(failed.error)
    assert world.converter.seen == ["a.md"]
    assert world.catalogue.amounts(HERE).documents == 1


def test_a_changed_document_is_not_a_new_one(tmp_path: Path) -> None:
    world = World(tmp_path, settings={"quota": {"project_documents": 1, "project_passages": 1}})
    world.write("a.md", PONDS)
    world.ingest()
    world.write("a.md", PONDS.replace("four ponds", "five ponds"))
    (report,) = world.ingest().documents
    assert report.status is DocumentStatus.UPDATED


def test_passages_and_bytes_are_counted_too(tmp_path: Path) -> None:
    for number, quota in enumerate(({"project_passages": 1}, {"project_megabytes": 1})):
        world = World(tmp_path / str(number), settings={"quota": quota})
        world.write("a.md", PONDS)
        assert world.ingest().documents[0].status is DocumentStatus.ADDED
        world.write("b.md", GRIDS + "x" * 1_000_000 if number else GRIDS)
        failed = [d for d in world.ingest().documents if d.status is DocumentStatus.FAILED]
        assert [Path(one.source).name for one in failed] == ["b.md"]


def test_jobs_beyond_the_quota_are_too_many_requests(tmp_path: Path) -> None:
    world = World(tmp_path, settings={"quota": {"jobs": 1}})
    go_on = threading.Event()

    def waiting(_request: ValidateRequest, _told: object) -> Validation:
        assert go_on.wait(30)
        return Validation(checks=())

    serving = Serving(world.application)
    with started(world.application, serving) as address, client_at(address) as client:
        path = "/api/v1/validations"
        serving.jobs.validations.submit(
            ValidateRequest(),
            make=lambda asked, stop: CheckJob(asked, stop, VALIDATION, "waiting", waiting),
        )
        refused = client.post(path, json={"deep": True})
        assert (refused.status_code, refused.json()["code"]) == (429, "TOO_MANY_JOBS")
        go_on.set()
        deadline = time.monotonic() + 30
        while client.post(path, json={"deep": True}).status_code == 429:
            assert time.monotonic() < deadline
            time.sleep(0.01)
