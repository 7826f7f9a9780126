"""Clients of HTTP servers, with time for a busy machine."""

from typing import Any

import httpx2

#: Seconds for an answer, and between two parts of one: no test waits for them to pass.
PATIENCE = 120.0
# No server of a test has a certificate that others know; to load theirs takes 60 ms a client.
_OPTIONS = {"timeout": PATIENCE, "verify": False}


def client_at(address: str, **options: Any) -> httpx2.Client:
    """``options`` are those of ``httpx2.Client``."""
    return httpx2.Client(base_url=address, **_OPTIONS, **options)


def request(method: str, url: str, **options: Any) -> httpx2.Response:
    """The answer to one request; ``options`` are those of ``httpx2.request``."""
    return httpx2.request(method, url, **_OPTIONS, **options)
