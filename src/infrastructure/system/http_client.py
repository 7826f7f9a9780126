"""HTTP client of other people's services: retries, rate limits, deadlines.

``Backoff: SECONDS`` on any response requests a pause before the next one (Zotero's web API v3,
"Rate Limiting"); ``429`` and ``503`` may have ``Retry-After``, seconds or a date (RFC 9110,
10.2.3), without which the pause is to grow exponentially.
"""

import functools
import random
import ssl
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import httpx2
import orjson

_TRANSIENT = frozenset({429, 500, 502, 503, 504})
_CONNECT_TIMEOUT = 5.0
_TRUNCATED = "ended in the middle"


@dataclass(frozen=True)
class RetryPolicy:
    """At most ``attempts`` of ``timeout`` seconds each. Before the second attempt a pause of
    ``base`` seconds, then doubled each time, up to ``longest``: where the server requests a
    longer pause, there is no further attempt. At least ``interval`` seconds between the starts
    of two requests."""

    timeout: float = 30.0
    attempts: int = 3
    base: float = 1.0
    longest: float = 30.0
    interval: float = 0.0


@dataclass(frozen=True)
class ClientClock:
    """Time source; ``jitter`` gives a factor for each pause, which spreads the retries of several
    clients."""

    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = lambda: random.uniform(1.0, 1.25)


def on_this_machine(url: str) -> bool:
    """Whether ``url`` is on the loopback interface."""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


class NotAnswered(Exception):
    """A request had no usable response; ``str`` is the reason."""


class NotModified(Exception):
    """304: nothing changed since the given version."""


class RateLimitedClient(httpx2.Client):
    """Raises NotAnswered if no attempt had a complete response, and NotModified for 304. Redirects
    are not followed. Headers that request a pause are obeyed here and removed, so that no caller
    obeys them again."""

    def __init__(
        self,
        pace: RetryPolicy,
        clock: ClientClock,
        *,
        trust_env: bool,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        super().__init__(
            follow_redirects=False,
            timeout=pace.timeout,
            trust_env=trust_env,
            verify=_tls(),
            transport=transport,
        )
        self._pace, self._clock = pace, clock
        self._not_before = clock.monotonic()

    def send(
        self, request: httpx2.Request, *, stream: bool = False, **options: Any
    ) -> httpx2.Response:
        pace = self._pace
        timeout = httpx2.Timeout(pace.timeout, connect=min(pace.timeout, _CONNECT_TIMEOUT))
        request.extensions = {**request.extensions, "timeout": timeout.as_dict()}
        for attempt in range(1, pace.attempts + 1):
            self._wait_for_slot()
            retry_after: float | None = None
            try:
                response = super().send(request, stream=True, **options)
                retry_after = seconds_to_wait(response.headers.get("retry-after", ""))
                self._apply_backoff(response)
                reason = self._fault(response, stream=stream)
            except httpx2.UnsupportedProtocol as error:
                raise NotAnswered(f"{error}") from error
            except httpx2.TransportError as error:
                reason = _reason(error, pace.timeout)
                if isinstance(error, httpx2.ConnectError) and on_this_machine(str(request.url)):
                    raise NotAnswered(reason) from error  # a program that does not run
            if reason is None:
                return _checked(response)
            pause = max(
                retry_after or 0.0, self._pause(attempt) if attempt < pace.attempts else 0.0
            )
            if pause > pace.longest:
                raise NotAnswered(f"{reason}, and is not to be asked for {pause:.0f} s")
            self._not_before = self._clock.monotonic() + pause
        raise NotAnswered(f"{reason} ({pace.attempts} attempts)" if pace.attempts > 1 else reason)

    def _pause(self, attempt: int) -> float:
        doubled: float = self._pace.base * 2.0 ** (attempt - 1)
        return min(doubled * self._clock.jitter(), self._pace.longest)

    def _wait_for_slot(self) -> None:
        wait = self._not_before - self._clock.monotonic()
        if wait > self._pace.longest:
            raise NotAnswered(f"it asked for a pause of {wait:.0f} s")
        if wait > 0:
            self._clock.sleep(wait)
        self._not_before = self._clock.monotonic() + self._pace.interval

    def _apply_backoff(self, response: httpx2.Response) -> None:
        if backoff := seconds_to_wait(response.headers.get("backoff", "")):
            self._not_before = max(self._not_before, self._clock.monotonic() + backoff)
        for name in ("backoff", "retry-after"):
            response.headers.pop(name, None)

    def _fault(self, response: httpx2.Response, *, stream: bool) -> str | None:
        """Why a response is unusable though a retry may succeed; None for a success and for a
        permanent error."""
        if response.status_code in _TRANSIENT:
            response.close()
            return f"it answers {response.status_code} {response.reason_phrase}"
        if stream and response.is_success:
            return None
        until = self._clock.monotonic() + self._pace.timeout
        response.stream = _DeadlineStream(response.stream, self._clock.monotonic, until)
        body = response.read()
        if response.is_success and "json" in response.headers.get("content-type", ""):
            try:
                orjson.loads(body)
            except orjson.JSONDecodeError:
                return f"its answer {_TRUNCATED}: the response is not complete JSON"
        return None


@functools.cache
def _tls() -> ssl.SSLContext:
    """One TLS context for all clients: loading the certificates of the system takes 0.1 s."""
    return httpx2.create_ssl_context()


class _DeadlineStream(httpx2.SyncByteStream):
    """A response body with a deadline, however slowly it arrives."""

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


def seconds_to_wait(header: str) -> float | None:
    """Value of Retry-After, which is a number of seconds or a date (RFC 9110, 10.2.3)."""
    text = header.strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    utc_date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (utc_date - datetime.now(UTC)).total_seconds())


def _reason(error: httpx2.TransportError, timeout: float) -> str:
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return "no response"
    if isinstance(error, httpx2.TimeoutException):
        return f"no answer within {timeout:g} s"
    return f"its answer {_TRUNCATED}"
