"""Drafts checked over HTTP and on the page."""

import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import httpx2
import pytest
from support.http_client import client_at
from support.http_server import serving
from support.world import PONDS, World

from citeloom.infrastructure.http.guards import SECRET_HEADER as HEADER

SECRET = "s" * 43
DRAFT = "The <i>effect</i> is gone at one hundred metres [@nobody]. 𝔗his is known.\n"
CHECKS = "/api/v1/projects/local/thesis/verifications"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[httpx2.Client]:
    world = World(tmp_path)
    world.write("ponds.md", PONDS)
    world.ingest()
    with (
        serving(world, secret=SECRET) as address,
        client_at(address, headers={HEADER: SECRET}) as client,
    ):
        yield client


def checked(server: httpx2.Client, text: str) -> dict[str, str]:
    """The state of the job once it has ended."""
    started = server.post(CHECKS, json={"text": text})
    assert started.status_code == 202
    for _ in range(200):
        state = server.get(f"/api/v1/jobs/{started.json()['id']}").json()
        if state["status"] not in ("queued", "running"):
            break
        time.sleep(0.05)
    return dict(state)


def test_a_draft_is_checked_as_a_job(server: httpx2.Client) -> None:
    job = checked(server, DRAFT)
    assert (job["status"], job["kind"]) == ("done", "verify")
    found = server.get(f"/api/v1/jobs/{job['id']}/verification").json()
    assert [one["verdict"] for one in found["findings"]] == ["UNKNOWN_KEY"]


def test_the_page_has_the_draft_with_its_verdicts(server: httpx2.Client) -> None:
    job = checked(server, DRAFT)["id"]
    shown = server.get("/draft", params={"project": "thesis", "job": job})
    assert shown.status_code == 200
    assert "<i>effect" not in shown.text
    assert '<span class="claim chosen">The <i>effect</i> is gone' in unescape(shown.text)
    assert "unknown key" in shown.text
    assert "The project has no item with this citation key." in shown.text
    assert "Elsewhere in the library" in shown.text


def test_the_claim_is_shown_above_its_source_with_the_words_that_decide(
    server: httpx2.Client,
) -> None:
    found = server.get(f"/api/v1/jobs/{checked(server, DRAFT)['id']}/verification").json()
    key = found["findings"][0]["better"]["citekey"]
    claim = f"The cooling rises with distance and is gone at one hundred metres [@{key}].\n"
    job = checked(server, claim)["id"]
    shown = server.get("/draft", params={"project": "thesis", "job": job}).text
    assert "Your sentence</span> The cooling <mark>rises</mark> with distance" in shown
    assert "The source</span> The cooling <mark>falls</mark> with distance" in shown
    file = server.get(f"/api/v1/jobs/{job}/verification", params={"format": "html"}).text
    assert "Your sentence</span> The cooling <mark>rises</mark> with distance" in file
    assert f'href="{server.base_url}/paper?project=' in file
    assert '<p class="by">1 citation of 1 claim: 1 contradicted.</p>' in file
    assert "<script" not in file
    assert "<link" not in file


def test_a_draft_without_citations_says_which_are_recognised(server: httpx2.Client) -> None:
    job = checked(server, "Nothing is cited here.")
    assert (job["status"], job["code"]) == ("failed", "NO_CITATIONS")
    shown = server.get("/draft", params={"project": "thesis", "job": job["id"]})
    assert shown.status_code >= 400
    assert "no citation was recognised" in shown.text
    assert "Nothing is cited here." in shown.text


def test_what_is_not_there_is_named(server: httpx2.Client) -> None:
    assert server.post(CHECKS.replace("thesis", "none"), json={"text": "x"}).status_code == 404
    assert server.get("/api/v1/jobs/none/verification").status_code == 404
    assert server.get("/draft?project=thesis&job=none").status_code == 404
    assert server.post(CHECKS, json={"text": ""}).status_code == 400
    assert server.post(CHECKS, json={"text": "x"}, headers={HEADER: "t"}).status_code == 403
