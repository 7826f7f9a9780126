"""Browsers at a server with a token: login, what the cookie opens, and what it does not."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from support.http_client import PATIENCE, client_at
from support.http_server import serving
from support.world import World

from citeloom.infrastructure.http.browser_login import COOKIE
from citeloom.infrastructure.http.guards import SECRET_HEADER as HEADER

TOKEN = "t" * 43
GUESSER = "192.0.2.7"
HTML = {"accept": "text/html,*/*;q=0.8"}
BEARER = {"authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def stranger(world: World) -> Iterator[httpx2.Client]:
    with (
        serving(world, token=TOKEN) as address,
        client_at(address) as client,
    ):
        yield client


@pytest.fixture
def browser(stranger: httpx2.Client) -> httpx2.Client:
    assert stranger.post("/login", data={"token": TOKEN}).status_code == 303
    return stranger


def secret_of(browser: httpx2.Client) -> str:
    found = re.search(r'citeloom-secret" content="([^"]+)"', browser.get("/ask").text)
    assert found is not None
    return found[1]


def test_a_browser_is_sent_to_the_login_and_back(stranger: httpx2.Client) -> None:
    sent = stranger.get("/library?words=a+b&start=0", headers=HTML)
    assert sent.status_code == 303
    form = stranger.get(sent.headers["location"])
    assert form.status_code == 200
    assert 'value="/library?words=a+b&amp;start=0"' in form.text
    following = parse_qs(urlsplit(sent.headers["location"]).query)["next"][0]
    back = stranger.post("/login", data={"token": TOKEN, "next": following})
    assert (back.status_code, back.headers["location"]) == (303, "/library?words=a+b&start=0")
    assert stranger.get("/library?words=a+b&start=0", headers=HTML).status_code == 200


def test_programs_are_asked_for_the_token_as_a_problem(stranger: httpx2.Client) -> None:
    for headers in ({}, HTML):
        refused = stranger.post("/api/v1/chats", json={}, headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (401, "TOKEN_NEEDED")
        assert refused.headers["www-authenticate"] == 'Bearer realm="citeloom"'
    assert stranger.get("/ask").status_code == 401


def test_style_and_script_of_the_login_need_none(stranger: httpx2.Client) -> None:
    assert stranger.get("/static/site.css").status_code == 200
    assert stranger.get("/static/../ask").status_code in (401, 404)
    assert stranger.get("/static/%2e%2e/views.py").status_code == 404


def test_the_cookie_is_out_of_reach_of_scripts_and_says_nothing(stranger: httpx2.Client) -> None:
    told = stranger.post("/login", data={"token": f" {TOKEN}\n"}).headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(told.split("; "))
    assert TOKEN not in told
    assert "Secure" not in told
    for scheme in ("https", "HTTPS, http"):
        proxied = {"x-forwarded-proto": scheme}
        told = stranger.post("/login", data={"token": TOKEN}, headers=proxied).headers["set-cookie"]
        assert told.endswith("; Secure")


@pytest.mark.parametrize(
    "data",
    [{"token": TOKEN[:-1]}, {"token": ""}, {}, {"token": "ü"}, {"token": TOKEN + "x" * 9000}],
)
def test_a_wrong_token_gets_nothing(stranger: httpx2.Client, data: dict[str, str]) -> None:
    refused = stranger.post("/login", data=data)
    assert refused.status_code == 401
    assert "set-cookie" not in refused.headers
    assert "not the token" in refused.text


def test_who_guesses_behind_a_proxy_keeps_nobody_else_out(stranger: httpx2.Client) -> None:
    """All connections come from the proxy; it tells whose they are."""
    address = str(stranger.base_url)

    async def guesses() -> tuple[int, int]:
        async with httpx2.AsyncClient(base_url=address, timeout=PATIENCE) as client:

            async def asked(token: str, told: str) -> int:
                headers = {"x-forwarded-for": told}
                return (
                    await client.post("/login", data={"token": token}, headers=headers)
                ).status_code

            waiting = [asyncio.create_task(asked("wrong", GUESSER)) for _ in range(20)]
            for answered in asyncio.as_completed(waiting):
                if await answered == 429:
                    break
            found = await asked(TOKEN, GUESSER), await asked(TOKEN, f"{GUESSER}, 198.51.100.2")
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            return found

    assert asyncio.run(guesses()) == (429, 303)


@pytest.mark.parametrize(
    "origin", ["https://evil.example.org", "null", "http://127.0.0.1:1", "http://localhost:1"]
)
def test_no_other_page_logs_in_or_uses_the_login(browser: httpx2.Client, origin: str) -> None:
    foreign = {"origin": origin}
    assert browser.post("/login", data={"token": TOKEN}, headers=foreign).status_code == 403
    assert browser.post("/logout", headers=foreign).status_code == 403
    assert browser.get("/api/v1/projects", headers=foreign).status_code == 403
    shown = {**foreign, HEADER: secret_of(browser)}
    assert browser.post("/api/v1/chats", json={}, headers=shown).status_code == 403


def test_no_other_name_leads_to_the_login(browser: httpx2.Client) -> None:
    for path in ("/login", "/ask"):
        assert browser.get(path, headers={"host": "evil.example.org"}).status_code == 421


def test_the_cookie_reads_and_changes_with_the_secret_alone(browser: httpx2.Client) -> None:
    assert browser.get("/api/v1/projects").status_code == 200
    for headers in ({}, {HEADER: "x" * 64}):
        refused = browser.post("/api/v1/chats", json={}, headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (403, "SECRET_NEEDED")
    made = browser.post("/api/v1/chats", json={}, headers={HEADER: secret_of(browser)})
    assert made.status_code == 201


def test_the_token_changes_without_the_secret(stranger: httpx2.Client) -> None:
    assert stranger.post("/api/v1/chats", json={}, headers=BEARER).status_code == 201
    assert stranger.get("/login", headers=BEARER).headers["location"] == "/ask"


def test_the_cookie_opens_nothing_of_agents(browser: httpx2.Client) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    accept = {"accept": "application/json, text/event-stream", HEADER: secret_of(browser)}
    for path in ("/mcp", "/mcp/"):
        assert browser.post(path, json=asked, headers=accept).status_code in (404, 405)


def test_cookies_of_other_tokens_and_made_up_ones_open_nothing(
    stranger: httpx2.Client, world: World
) -> None:
    with serving(world, token="o" * 43) as address, client_at(address) as other:
        other.post("/login", data={"token": "o" * 43})
        stolen = other.cookies[COOKIE]
    for value in (stolen, "", "9999999999.a.b", TOKEN):
        shown = {"cookie": f"{COOKIE}={value}"}
        assert stranger.get("/api/v1/projects", headers=shown).status_code == 401


def test_a_logout_takes_the_cookie_away(browser: httpx2.Client) -> None:
    assert "Log out" in browser.get("/login").text
    assert "Log out" in browser.get("/ask").text
    gone = browser.post("/logout")
    assert gone.headers["clear-site-data"] == '"cache"'
    assert (gone.status_code, gone.headers["location"]) == (303, "/login")
    assert COOKIE not in browser.cookies
    assert browser.get("/api/v1/projects").status_code == 401


def test_a_server_without_a_token_has_no_login(world: World) -> None:
    with serving(world) as address, client_at(address) as client:
        assert client.get("/login").headers["location"] == "/ask"
        assert "Log out" not in client.get("/ask").text
