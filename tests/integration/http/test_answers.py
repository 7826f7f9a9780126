"""Answers in sentences over HTTP and on the page."""

import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import httpx2
import pytest
from support.http_client import client_at
from support.http_server import serving
from support.models.llm_double import LlmDouble, a_language_model, refuses, streams, tokens
from support.world import PONDS, World

from citeloom.infrastructure.http.guards import SECRET_HEADER as HEADER

SECRET = "s" * 43
TRUE = "The cooling falls with distance and is gone at one hundred metres"
FALSE = "The <i>cooling</i> grows with distance"
ANSWERS = "/api/v1/projects/local/thesis/answers"


@pytest.fixture
def double() -> Iterator[LlmDouble]:
    with a_language_model(always=streams(*tokens(f"{TRUE} [1]. {FALSE} [1]."))) as made:
        yield made


@pytest.fixture
def server(tmp_path: Path, double: LlmDouble) -> Iterator[httpx2.Client]:
    world = World(tmp_path)
    world.settings |= {"llm": {"url": double.url, "model": "small"}, "verify": {"judge": "rules"}}
    world.write("ponds.md", PONDS)
    world.ingest()
    with (
        serving(world, secret=SECRET) as address,
        client_at(address, headers={HEADER: SECRET}) as client,
    ):
        yield client


def answered(server: httpx2.Client) -> str:
    """The id of the job once it has ended."""
    started = server.post(ANSWERS, json={"question": "How far does the cooling reach?"})
    assert started.status_code == 202
    job = str(started.json()["id"])
    for _ in range(200):
        if server.get(f"/api/v1/jobs/{job}").json()["status"] not in ("queued", "running"):
            break
        time.sleep(0.05)
    return job


def test_an_answer_is_a_job_with_sentences_and_verdicts(server: httpx2.Client) -> None:
    found = server.get(f"/api/v1/jobs/{answered(server)}/answer").json()
    true, false = found["sentences"]
    assert (true["verdict"], true["quotation"]["text"]) == ("SUPPORTED", f"{TRUE}.")
    assert false["verdict"] != "SUPPORTED"
    assert found["model"] == "small"


def test_the_page_offers_an_answer_and_shows_what_fails_struck_out(server: httpx2.Client) -> None:
    asked = server.get("/ask", params={"project": "thesis", "q": "How far does it cool?"}).text
    assert 'id="answer-begin"' in asked
    assert "small at http://127.0.0.1" in asked
    shown = server.get("/answer", params={"job": answered(server)}).text
    assert f"{TRUE}.</span> <a" in shown
    assert f"<del>{FALSE}.</del>" in unescape(shown)
    assert "<i>cooling" not in shown


def test_a_model_that_does_not_answer_leaves_quotations(
    server: httpx2.Client, double: LlmDouble
) -> None:
    double.always = refuses(404, "no such model")
    shown = unescape(server.get("/answer", params={"job": answered(server)}).text)
    assert "Nearest in the papers" in shown
    assert "no such model" in shown
    assert f"“{TRUE}.”" in shown


def test_without_a_model_the_page_offers_no_answer(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.write("ponds.md", PONDS)
    world.ingest()
    with serving(world, secret=SECRET) as address, client_at(address) as client:
        shown = client.get("/ask", params={"project": "thesis", "q": "How far does it cool?"})
    assert shown.status_code == 200
    assert "answer-begin" not in shown.text


def test_what_is_not_there_is_named(server: httpx2.Client) -> None:
    assert server.post(ANSWERS.replace("thesis", "none"), json={"question": "x"}).status_code == 404
    assert server.get("/api/v1/jobs/none/answer").status_code == 404
    assert server.get("/answer?job=none").status_code == 404
    assert server.post(ANSWERS, json={"question": " "}).status_code == 400
    assert server.post(ANSWERS, json={"question": "x"}, headers={HEADER: "t"}).status_code == 403
