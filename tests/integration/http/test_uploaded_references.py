"""Reference files that are sent to the server, and the papers that are cited by them."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from support.http_server import serving
from support.world import GRIDS, PONDS, World

from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.http.guards import SECRET_HEADER as HEADER
from citeloom.infrastructure.references.reader import FileReferenceReader

SECRET = "s" * 43
SHOWN = {HEADER: SECRET}
PROJECT = "/projects/local/thesis"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.references = FileReferenceReader()  # type: ignore[assignment]
    return world


@pytest.fixture
def rest(world: World) -> Iterator[httpx2.Client]:
    with (
        serving(world, secret=SECRET) as address,
        httpx2.Client(base_url=f"{address}/api/v1") as client,
    ):
        yield client


def ended(rest: httpx2.Client, job: str) -> str:
    with rest.stream("GET", f"/jobs/{job}/events", timeout=20) as events:
        told = [line for line in events.iter_lines() if line.startswith("data: ")]
    status: str = json.loads(told[-1].removeprefix("data: "))["status"]
    return status


def entry(key: str, doi: str) -> str:
    return f"@article{{{key}, title={{Of {key}}}, author={{A, B}}, year=2020, doi={{{doi}}}}}"


def keys(rest: httpx2.Client) -> dict[str, str | None]:
    listed = rest.get(f"{PROJECT}/documents").json()["documents"]
    return {one["source_path"].rpartition("/")[2]: one["citekey"] for one in listed}


def sent(rest: httpx2.Client, name: str, content: str) -> dict[str, object]:
    answer = rest.put(f"{PROJECT}/uploads/{name}", content=content.encode(), headers=SHOWN)
    assert answer.status_code == 202, answer.text
    state: dict[str, object] = answer.json()
    assert ended(rest, str(state["id"])) == "done"
    return state


def test_reference_files_that_are_sent_add_up_and_cite_the_papers(rest: httpx2.Client) -> None:
    sent(rest, "ponds.md", PONDS)
    sent(rest, "grids.md", GRIDS)
    assert keys(rest) == {"ponds.md": "anonndPonds", "grids.md": "anonndGrid"}
    sent(rest, "first.bib", entry("pond2020", "10.5555/ponds"))
    assert keys(rest) == {"ponds.md": "pond2020", "grids.md": "anonndGrid"}
    state = sent(rest, "second.bib", entry("grid2020", "10.5555/grids"))
    assert state["file"] == "second.bib"
    assert keys(rest) == {"ponds.md": "pond2020", "grids.md": "grid2020"}
    sent(rest, "third.bib", entry("renamed", "10.5555/ponds") + entry("pond2020", "10.5555/no"))
    assert keys(rest) == {"ponds.md": "renamed", "grids.md": "grid2020"}


@pytest.mark.parametrize("content", ["nothing like it", "@comment{only this}"])
def test_a_reference_file_without_entries_is_refused_at_once(
    rest: httpx2.Client, content: str
) -> None:
    refused = rest.put(f"{PROJECT}/uploads/a.bib", content=content.encode(), headers=SHOWN)
    assert refused.status_code in (400, 422)
    assert refused.json()["detail"].startswith("a.bib: ")


def test_a_file_that_is_sent_comes_before_that_of_the_user(
    rest: httpx2.Client, world: World
) -> None:
    world.write("grids.md", GRIDS)
    world.write("ponds.md", PONDS)
    content = entry("own2020", "10.5555/ponds") + entry("grid2020", "10.5555/grids")
    own = world.write("own.bib", content)
    world.ingest(references=str(own))
    sent(rest, "a.bib", entry("other", "10.5555/ponds").replace("Of other", "Of own2020"))
    assert keys(rest) == {"ponds.md": "other", "grids.md": "grid2020"}
    known = world.catalogue.project(ProjectId.parse("thesis")).reference_files
    assert [one.name for one in known] == ["a.bib", "own.bib"]


def test_what_is_sent_is_kept_in_the_folder_that_machines_share(
    world: World, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    world.settings = {"storage": {"url": str(shared)}}
    with (
        serving(world, secret=SECRET) as address,
        httpx2.Client(base_url=f"{address}/api/v1") as client,
    ):
        sent(client, "ponds.md", PONDS)
    assert [one.path for one in world.stored()] == [
        str(shared / "uploads" / "local-thesis" / "ponds.md")
    ]
