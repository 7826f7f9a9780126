"""The gate: a right token is let in at once, wrong ones wait."""

from typing import Any

import anyio
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Message

from citeloom.infrastructure.serving.http import (
    MIN_LENGTH,
    Failures,
    Gate,
    OneToken,
    ServerNames,
    check_strength,
    new_token,
)

TOKEN = new_token()


class Door:
    """A gate whose waits are noted and not waited for."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        app = PlainTextResponse("in")
        self._gate = Gate(app, ServerNames(), OneToken(TOKEN), Failures(lambda: 0.0), self._sleep)

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    def __call__(self, *headers: tuple[bytes, bytes]) -> tuple[int, dict[bytes, bytes]]:
        begun: list[Message] = []

        async def send(message: Message) -> None:
            begun.append(message)

        scope: dict[str, Any] = {
            "type": "http",
            "method": "POST",
            "path": "/mcp",
            "headers": [(b"host", b"localhost"), *headers],
            "client": ("192.0.2.1", 9),
            "server": ("127.0.0.1", 80),
        }
        receive: Any = None
        anyio.run(self._gate, scope, receive, send)
        return begun[0]["status"], dict(begun[0]["headers"])


def bearer(token: str) -> tuple[bytes, bytes]:
    return b"authorization", f"bearer {token}".encode()


@pytest.fixture
def door() -> Door:
    return Door()


def test_a_right_token_never_waits(door: Door) -> None:
    assert [door(bearer(TOKEN))[0] for _ in range(3)] == [200, 200, 200]
    assert door(bearer("wrong"))[0] == 401
    assert door(bearer(TOKEN))[0] == 200
    assert door.waits == [0.25]


def test_wrong_tokens_wait_longer_each_time_and_no_token_does_not(door: Door) -> None:
    assert [door()[0], door(bearer(TOKEN[:-1]))[0], door(bearer(TOKEN + "x"))[0]] == [401] * 3
    assert door.waits == pytest.approx([0.25, 0.75])  # the clock stands still


def test_the_challenge_names_an_error_only_where_a_token_was_shown(door: Door) -> None:
    assert door()[1][b"www-authenticate"] == b'Bearer realm="citeloom"'
    assert b"invalid_token" in door(bearer("wrong"))[1][b"www-authenticate"]


def test_a_second_host_name_is_refused(door: Door) -> None:
    assert door((b"host", b"localhost"), bearer(TOKEN))[0] == 421


def test_new_tokens_are_strong_enough_and_differ() -> None:
    check_strength(TOKEN)
    assert len(TOKEN) >= MIN_LENGTH
    assert new_token() != TOKEN
