"""Web pages of somebody else, at another port of the same machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar, NamedTuple

from playwright.sync_api import Page
from support.http_client import client_at
from support.paths import LIBRARY
from support.servers.loopback import LoopbackServer, OwnedHandler

#: Names that a browser of these tests takes for 127.0.0.1.
EVIL, REBOUND = "evil.example", "rebound.example"


class _Handler(OwnedHandler, BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"<!doctype html><title>Elsewhere</title><p>A page of somebody else.</p>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class ForeignPages(LoopbackServer):
    """Every path is a page without a policy, in which a test runs what an attacker would."""

    handler: ClassVar[type[BaseHTTPRequestHandler]] = _Handler


@contextmanager
def foreign_pages() -> Iterator[str]:
    """The address of such a server: browsers send it the cookies of all ports."""
    with ForeignPages() as server:
        yield server.url


class Served(NamedTuple):
    """Where a library is served, and what programs show it: the ``token``, or a secret."""

    url: str
    token: str
    told: dict[str, str]

    def finished_job(self) -> str:
        """The id of an ingest that has ended."""
        paper = (LIBRARY / "papers" / "pond-cooling.pdf").read_bytes()
        with client_at(f"{self.url}/api/v1", headers=self.told) as rest:
            sent = rest.put("/projects/local/samples/uploads/ponds.pdf", content=paper)
            job = str(sent.json()["id"])
            assert "event: done" in rest.get(f"/jobs/{job}/events").text
        return job


class Attack(NamedTuple):
    """A served library, a page of it, and a page of somebody else in the same browser."""

    server: Served
    own: Page
    foreign: Page

    @property
    def state(self) -> Any:
        """What an attacker would change."""
        rest = client_at(f"{self.server.url}/api/v1", headers=self.server.told)
        with rest:
            paths = ("/chats", "/preferences", "/projects", "/jobs")
            return [rest.get(path).json() for path in paths]

    def url(self, path: str) -> str:
        return self.server.url + path
