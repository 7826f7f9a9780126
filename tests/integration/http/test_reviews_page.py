"""The view *Review*, and reviews exported and compared over HTTP."""

import csv
import io
import re
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import httpx2
import pytest
from support.http_client import client_at
from support.http_server import serving
from support.research.records import begin
from support.world import GRIDS, PONDS, World

from citeloom.infrastructure.storage.research.record import SqlResearchRecord
from citeloom.infrastructure.system.clock import SystemClock
from citeloom.infrastructure.system.workspace import Workspace

API = "/api/v1"
HOSTILE = "cooling at <script>one</script> hundred metres"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("library")


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[httpx2.Client]:
    world = World(folder, clock=cast(Any, SystemClock()))
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest()
    with serving(world) as address, client_at(address) as client:
        yield client


@pytest.fixture(scope="module")
def reviews(client: httpx2.Client) -> tuple[str, str]:
    """The ids of two reviews that have ended."""
    return _reviewed(client, HOSTILE), _reviewed(client, "error of the square grid")


def _reviewed(client: httpx2.Client, question: str) -> str:
    chat = client.post(f"{API}/chats", json={}).json()["id"]
    asked = {"content": question, "project": "thesis", "queryMode": "deep_research"}
    session = client.post(f"{API}/chats/{chat}/messages", json=asked).json()["researchSession"]
    path = f"{API}/research-sessions/{session['id']}"
    while client.get(path).json()["status"] == "in_progress":
        time.sleep(0.05)
    return str(session["id"])


def test_a_review_is_shown_with_its_statements_and_words_of_others_as_text(
    client: httpx2.Client, reviews: tuple[str, str]
) -> None:
    claims = client.get(f"{API}/research-sessions/{reviews[0]}").json()["claims"]
    shown = client.get("/review", params={"session": reviews[0]})
    assert shown.status_code == 200
    assert len(claims) == shown.text.count('id="statement-') > 0
    assert "<script>one" not in shown.text
    assert "&lt;script&gt;one" in shown.text
    client.post(f"{API}/projects", json={"name": "another"})
    shown = client.get("/review", params={"session": reviews[0]})
    assert re.findall(r'value="local/(\w+)" selected', shown.text) == ["thesis"]
    listed = client.get("/review").text
    assert all(f"/review?session={one}" in listed for one in reviews)


def test_a_review_without_an_answer_shows_why_and_offers_no_exports(
    client: httpx2.Client,
) -> None:
    shown = client.get("/review", params={"session": _reviewed(client, "king of France")}).text
    assert ('id="doubt"' in shown, "/export?format=" in shown) == (True, False)
    assert re.search(r"<details open><summary><h2[^>]*>The report as written", shown)


@pytest.mark.parametrize("session", ["nothing", "88559591-4ba8-413d-ac87-044707623407"])
def test_an_unknown_review_is_told_with_the_list_of_the_others(
    client: httpx2.Client, reviews: tuple[str, str], session: str
) -> None:
    shown = client.get("/review", params={"session": session})
    assert shown.status_code == 404
    assert "That did not work" in shown.text


def test_two_reviews_are_compared(client: httpx2.Client, reviews: tuple[str, str]) -> None:
    path = f"{API}/research-sessions/{reviews[0]}/comparison"
    compared = client.get(path, params={"other": reviews[1]}).json()
    assert [compared[side]["session_id"] for side in "ab"] == list(reviews)
    alone = compared["claims"]["only_b"]
    assert alone
    view = {"session": reviews[0], "other": reviews[1]}
    assert alone[0]["claim"] in client.get("/review", params=view).text
    assert client.get(path, params={"other": str(uuid4())}).status_code == 404


def test_a_review_is_exported_in_each_format(
    client: httpx2.Client, reviews: tuple[str, str]
) -> None:
    path = f"{API}/research-sessions/{reviews[1]}/export"
    report = client.get(path)
    assert report.headers["content-type"].startswith("text/markdown")
    assert report.text.startswith("# error of the square grid")
    page = client.get(path, params={"format": "html"}).text
    assert "<h1>error of the square grid</h1>" in page
    assert "exact quotation" in page
    assert f'href="{client.base_url}/paper?project=' in page
    word = client.get(path, params={"format": "docx"})
    assert "word/document.xml" in zipfile.ZipFile(io.BytesIO(word.content)).namelist()
    rows = list(csv.DictReader(io.StringIO(client.get(path, params={"format": "csv"}).text)))
    record = client.get(path, params={"format": "json"}).json()
    assert len(rows) == len(record["claims"]) > 0
    assert client.get(path, params={"format": "prisma"}).text.startswith("#")
    assert client.get(path, params={"format": "pdf"}).status_code == 400
    assert client.get(path, params={"style": "no-such-style"}).status_code == 400
    assert client.get(f"{API}/research-sessions/{uuid4()}/export").status_code == 404


def test_a_review_that_runs_is_followed_and_not_exported(
    client: httpx2.Client, folder: Path, reviews: tuple[str, str]
) -> None:
    now = SystemClock().now()
    record = SqlResearchRecord(Workspace(folder).catalogue_url)
    session = begin(record, project_id="local/thesis", started_at=now, heartbeat_at=now).id
    record.close()
    shown = client.get("/review", params={"session": str(session)})
    assert 'data-running="true"' in shown.text
    answer = client.get(f"{API}/research-sessions/{session}/export")
    assert answer.status_code == 409
