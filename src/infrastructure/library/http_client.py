"""An HTTP client that asks at a pace that servers like, and a bounded number of times.

Zotero's documentation (web API v3, "Rate Limiting"): ``Backoff: SECONDS`` on any answer asks
to pause before the next request; ``429`` and ``503`` may come with ``Retry-After: SECONDS``,
without which the pause is to grow exponentially.
"""

import functools
import random
import ssl
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import httpx2
import orjson

_PASSING = frozenset({429, 500, 502, 503, 504})
_ABOUT_CONNECTING = 5.0
_READ_ANEW = "ended in the middle"


@dataclass(frozen=True)
class RetryPolicy:
    """``attempts`` at one request, of at most ``timeout`` seconds each; before the second a
    pause of ``base`` seconds, then twice as long each time, and never more than ``longest``:
    whoever asks for a longer one is not asked again. ``interval`` seconds at least lie
    between the beginnings of two requests."""

    timeout: float = 30.0
    attempts: int = 3
    base: float = 1.0
    longest: float = 30.0
    interval: float = 0.0


@dataclass(frozen=True)
class Time:
    """What time is taken from; ``jitter`` gives a factor for each pause, so that those who
    were sent away together do not come back together."""

    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = lambda: random.uniform(1.0, 1.25)


def on_this_machine(url: str) -> bool:
    """Whether whoever asks ``url`` asks no network."""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


class NotAnswered(Exception):
    """A request had no usable answer; ``str`` is the reason, in words."""


class NotModified(Exception):
    """304: nothing changed since the version that was asked about."""


class CourteousClient(httpx2.Client):
    """Raises NotAnswered where an answer failed to come, whole, in all attempts; 304 is raised
    as NotModified. Redirects are not followed. Headers that ask for a pause are obeyed here
    and taken away, so that nobody else does it again."""

    def __init__(self, pace: RetryPolicy, clock: Time, *, trust_env: bool) -> None:
        super().__init__(
            follow_redirects=False, timeout=pace.timeout, trust_env=trust_env, verify=_tls()
        )
        self._pace, self._clock = pace, clock
        self._not_before = clock.monotonic()

    def send(self, request: httpx2.Request, *, stream: bool = False, **how: Any) -> httpx2.Response:
        pace = self._pace
        timeout = httpx2.Timeout(pace.timeout, connect=min(pace.timeout, _ABOUT_CONNECTING))
        request.extensions = {**request.extensions, "timeout": timeout.as_dict()}
        for attempt in range(1, pace.attempts + 1):
            self._wait_for_turn()
            asked: float | None = None
            try:
                response = super().send(request, stream=True, **how)
                asked = _seconds(response, "retry-after")
                self._heed_backoff(response)
                reason = self._fault(response, stream=stream)
            except httpx2.UnsupportedProtocol as error:
                raise NotAnswered(f"{error}") from error
            except httpx2.TransportError as error:
                reason = _said(error, pace.timeout)
                if isinstance(error, httpx2.ConnectError) and on_this_machine(str(request.url)):
                    raise NotAnswered(reason) from error  # a program that does not run
            if reason is None:
                return _checked(response)
            pause = max(asked or 0.0, self._pause(attempt) if attempt < pace.attempts else 0.0)
            if pause > pace.longest:
                raise NotAnswered(f"{reason}, and is not to be asked for {pause:.0f} s")
            self._not_before = self._clock.monotonic() + pause
        raise NotAnswered(f"{reason} ({pace.attempts} attempts)" if pace.attempts > 1 else reason)

    def _pause(self, attempt: int) -> float:
        doubled: float = self._pace.base * 2.0 ** (attempt - 1)
        return min(doubled * self._clock.jitter(), self._pace.longest)

    def _wait_for_turn(self) -> None:
        wait = self._not_before - self._clock.monotonic()
        if wait > self._pace.longest:
            raise NotAnswered(f"it is not to be asked for {wait:.0f} s, as it said")
        if wait > 0:
            self._clock.sleep(wait)
        self._not_before = self._clock.monotonic() + self._pace.interval

    def _heed_backoff(self, response: httpx2.Response) -> None:
        if backoff := _seconds(response, "backoff"):
            self._not_before = max(self._not_before, self._clock.monotonic() + backoff)
        for name in ("backoff", "retry-after"):
            response.headers.pop(name, None)

    def _fault(self, response: httpx2.Response, *, stream: bool) -> str | None:
        """Why an answer cannot be used, though the next one may be; None for a good one (also
        for one that says "no" and will say so again)."""
        if response.status_code in _PASSING:
            response.close()
            return f"it answers {response.status_code} {response.reason_phrase}"
        if stream and response.is_success:
            return None
        until = self._clock.monotonic() + self._pace.timeout
        response.stream = _Watched(response.stream, self._clock.monotonic, until)
        body = response.read()
        if response.is_success and "json" in response.headers.get("content-type", ""):
            try:
                orjson.loads(body)
            except orjson.JSONDecodeError:
                return f"its answer {_READ_ANEW}: it is no whole JSON"
        return None


@functools.cache
def _tls() -> ssl.SSLContext:
    """One for all clients: to read the system's certificates takes a tenth of a second."""
    return httpx2.create_ssl_context()


class _Watched(httpx2.SyncByteStream):
    """A body that must have come by a certain time, however it trickles."""

    def __init__(self, stream: Any, now: Callable[[], float], until: float) -> None:
        self._stream, self._now, self._until = stream, now, until

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._stream:
            yield chunk
            if self._now() > self._until:
                raise httpx2.ReadTimeout("")

    def close(self) -> None:
        self._stream.close()


def _checked(response: httpx2.Response) -> httpx2.Response:
    if response.status_code == httpx2.codes.NOT_MODIFIED:
        raise NotModified
    return response


def _seconds(response: httpx2.Response, name: str) -> float | None:
    """Of a header that holds a number of seconds. A date would be valid HTTP for
    ``Retry-After``; Zotero does not send any."""
    value = response.headers.get(name, "").strip()
    return float(value) if value.isdecimal() else None


def _said(error: httpx2.TransportError, timeout: float) -> str:
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return "nobody answers there"
    if isinstance(error, httpx2.TimeoutException):
        return f"no answer within {timeout:g} s"
    return f"its answer {_READ_ANEW}"
