"""Requests of web pages: those of this server, of other origins, and of programs."""

import asyncio

from starlette.responses import PlainTextResponse
from starlette.types import Message, Scope
from support.cases import each

from citeloom.infrastructure.http.guards import OwnPages

CONFIGURED = "https://notes.example.org"
LINK = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


def status(headers: dict[str, str], method: str = "GET") -> int:
    """What a request to ``papers.example.org:8420`` is answered with."""
    told = {"host": "papers.example.org:8420", **headers}
    scope: Scope = {
        "type": "http",
        "method": method,
        "path": "/ask",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in told.items()],
    }
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    asyncio.run(OwnPages(PlainTextResponse("ok"), {CONFIGURED})(scope, receive, send))
    code: int = sent[0]["status"]
    return code


@each(
    "headers",
    [
        {},
        {"origin": "http://papers.example.org:8420"},
        {"origin": "https://PAPERS.example.org:8420"},
        {"origin": "http://papers.example.org", "host": "papers.example.org:80"},
        {"origin": "https://papers.example.org", "host": "papers.example.org"},
        {"origin": "http://[::1]:8420", "host": "[::1]:8420"},
        {"origin": CONFIGURED, "sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "none", **LINK},
        {"sec-fetch-site": "cross-site", **LINK},
    ],
)
def test_programs_own_pages_and_links_are_answered(headers: dict[str, str]) -> None:
    assert status(headers) == 200


@each(
    "headers",
    [
        {"origin": "http://papers.example.org:3000"},
        {"origin": "http://papers.example.org"},
        {"origin": "http://papers.example.org.evil.example:8420"},
        {"origin": "null"},
        {"origin": "http://papers.example.org:99999999"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "same-site", "origin": "http://papers.example.org:3000"},
        {"sec-fetch-site": "cross-site", "sec-fetch-dest": "image", "sec-fetch-mode": "no-cors"},
        {"sec-fetch-site": "cross-site", **LINK, "sec-fetch-dest": "iframe"},
    ],
)
def test_pages_of_other_origins_are_refused(headers: dict[str, str]) -> None:
    assert status(headers) == 403


def test_a_link_opens_a_page_and_a_form_of_another_page_sends_nothing() -> None:
    headers = {"sec-fetch-site": "cross-site", **LINK}
    assert [status(headers, method) for method in ("GET", "HEAD", "POST")] == [200, 200, 403]


def test_a_proxy_that_changes_the_port_of_the_host_keeps_no_own_page_out() -> None:
    headers = {"host": "papers.example.org", "origin": "https://papers.example.org:8443"}
    assert status({**headers, "sec-fetch-site": "same-origin"}, "POST") == 200
    assert status(headers, "POST") == 403
