"""HTTP client of model servers: retries, pauses, and limits of time and size."""

import json
import logging
import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import httpx2

from citeloom.domain.errors import ConfigurationError
from citeloom.infrastructure.system.http_client import seconds_to_wait

# Request timeout, too many requests, server error, bad gateway, unavailable, gateway timeout.
TRANSIENT: Final = frozenset({408, 429, 500, 502, 503, 504})
ATTEMPTS: Final = 4
FIRST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 8.0
CONNECT_SECONDS: Final = 10.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServerClock:
    """``sleep`` and ``monotonic`` in seconds."""

    sleep: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic


@dataclass(frozen=True, slots=True)
class CallLimits:
    """``seconds`` for all attempts and pauses together, ``attempt_seconds`` for each attempt
    (None: what is left of ``seconds``); a longer answer than ``bytes`` is not read."""

    seconds: float
    bytes: int
    attempt_seconds: float | None = None


class NotServed(Exception):
    """A server gave no usable answer; ``str`` is the reason with the next step. ``status`` is
    None without a response; ``retry_after`` in seconds, if the server named one."""

    def __init__(
        self, reason: str, *, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(reason)
        self.status = status
        self.retry_after = retry_after


class _Response(NamedTuple):
    """``open`` is a response whose body is still to be read."""

    status: int
    content: bytes = b""
    retry_after: float | None = None
    open: httpx2.Response | None = None


class _Late(Exception):
    """An attempt took too long."""


class ModelServer:
    """The server at ``url``. Thread-safe. Messages name the settings of ``section`` (``llm``), and
    ``url_setting``.

    A transient failure (``TRANSIENT`` status, a broken connection, with ``attempt_seconds`` also a
    late answer) is retried after a pause that doubles, or that the server requested
    (Retry-After), while all attempts stay within the time limit; other threads wait as long. The
    limit is checked whenever bytes arrive: a server that stalls within its answer is abandoned
    after twice the limit at most. At least ``interval`` seconds lie between the starts of two
    calls. Redirects are not followed; requests to the loopback bypass proxies. No message contains
    the API key.
    """

    def __init__(
        self,
        url: str,
        api_key: str | None,
        section: str,
        url_setting: str,
        *,
        interval: float = 0.0,
        clock: ServerClock | None = None,
    ) -> None:
        self.url = url
        self._section = section
        self._url_setting = url_setting
        self._key_variable = f"CITELOOM_{section.upper()}__API_KEY"
        self._api_key = api_key = (api_key or "").strip()
        if not (api_key.isascii() and api_key.isprintable()):
            raise ConfigurationError(
                f"{section}.api_key: contains characters that are not valid in a key; set "
                f"{self._key_variable} again"
            )
        self._interval = interval
        self._clock = clock or ServerClock()
        self._slots = threading.Lock()
        self._not_before = self._clock.monotonic()
        loopback = is_loopback(url)
        self._client = httpx2.Client(
            headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
            trust_env=not loopback,
        )
        if api_key and not loopback and url.startswith("http:"):
            _log.warning("%s: the API key goes over plain HTTP; use https", self.place)

    @property
    def place(self) -> str:
        """Scheme, host and port."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    def close(self) -> None:
        self._client.close()

    def get(self, path: str, limits: CallLimits) -> bytes:
        """The body of a 200. Raises NotServed."""
        return self._call("GET", path, lambda: None, limits, lambda *_: False).content

    def post(
        self,
        path: str,
        body: Callable[[], object],
        limits: CallLimits,
        adapt: Callable[[int, str], bool] = lambda *_: False,
    ) -> bytes:
        """The body of a 200 for the JSON of ``body``, which is made again for each attempt.
        ``adapt`` gets the status and complaint of a permanent refusal and says whether the request
        was changed, to be sent again at once. Raises NotServed."""
        return self._call("POST", path, body, limits, adapt).content

    def lines(
        self,
        path: str,
        body: Callable[[], object],
        limits: CallLimits,
        adapt: Callable[[int, str], bool] = lambda *_: False,
    ) -> Generator[str, None, None]:
        """As ``post``, the lines of the body while they arrive; ``limits`` are those of the waiting
        for the response, and again for all of its lines. Nothing is tried again once the response
        has begun. Raises NotServed."""
        opened = self._call("POST", path, body, limits, adapt, is_read=False).open
        assert opened is not None
        with closing(opened):
            left, size, rest = limits.seconds, 0, b""
            pieces = opened.iter_bytes()
            while True:
                began = self._clock.monotonic()
                try:
                    piece = next(pieces, None)
                except httpx2.TimeoutException as error:
                    raise NotServed(self._late(limits.seconds)) from error
                except httpx2.HTTPError as error:
                    reason = f"the connection broke ({_error_text(error)}); try again"
                    raise NotServed(reason) from error
                if piece is None:
                    break
                left -= self._clock.monotonic() - began
                size += len(piece)
                if size > limits.bytes:
                    raise NotServed(f"it answers more than {_size(limits.bytes)}; given up")
                *lines, rest = (rest + piece).split(b"\n")
                yield from (line.decode("utf-8", "replace").rstrip("\r") for line in lines)
                if left <= 0:
                    raise NotServed(self._late(limits.seconds))
            yield rest.decode("utf-8", "replace")

    def _call(
        self,
        method: str,
        path: str,
        body: Callable[[], object],
        limits: CallLimits,
        adapt: Callable[[int, str], bool],
        *,
        is_read: bool = True,
    ) -> _Response:
        self._wait_for_slot()
        end = self._clock.monotonic() + limits.seconds
        attempt = 0
        while True:
            status: int | None = None
            retry_after: float | None = None
            try:
                response = self._attempt(method, path, body(), end, limits, is_read)
            except (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError) as error:
                reason = f"the connection broke ({_error_text(error)}); try again"
            except (httpx2.TimeoutException, _Late) as error:
                reason = self._late(limits.attempt_seconds or limits.seconds)
                if limits.attempt_seconds is None:
                    raise NotServed(reason) from error
            except httpx2.HTTPError as error:
                raise NotServed(
                    f"no connection ({_error_text(error)}); check that the server runs and that "
                    f"{self._url_setting} names it"
                ) from error
            else:
                if response.status == 200:
                    return response
                said = self._masked(complaint_of(response.content))
                status, retry_after = response.status, response.retry_after
                if status not in TRANSIENT and adapt(status, said):
                    continue
                reason = self._meaning(status, said)
                if status not in TRANSIENT:
                    raise NotServed(reason, status=status)
            attempt += 1
            pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (attempt - 1))
            pause = max(pause, retry_after or 0.0)
            if attempt == ATTEMPTS or self._clock.monotonic() + pause >= end:
                later = f" (it asks to wait {retry_after:.0f} s)" if retry_after else ""
                raise NotServed(f"{reason}{later}", status=status, retry_after=retry_after)
            _log.debug("%s: %s: again in %.1f s", self.place, reason, pause)
            self._pause(pause)

    def _attempt(
        self, method: str, path: str, body: object, end: float, limits: CallLimits, is_read: bool
    ) -> _Response:
        left = end - self._clock.monotonic()
        if limits.attempt_seconds is not None:
            left = min(left, limits.attempt_seconds)
            end = self._clock.monotonic() + left
        if left <= 0:
            raise _Late
        patience = httpx2.Timeout(left, connect=min(CONNECT_SECONDS, left))
        target = f"{self.url}{path}"
        request = self._client.build_request(method, target, json=body, timeout=patience)
        response = self._client.send(request, stream=True)
        if response.status_code == 200 and not is_read:
            return _Response(200, open=response)
        with closing(response):
            content = bytearray()
            for piece in response.iter_bytes():
                content += piece
                if len(content) > limits.bytes:
                    raise NotServed(f"it answers more than {_size(limits.bytes)}; given up")
                if self._clock.monotonic() >= end:
                    raise _Late
            wait = seconds_to_wait(response.headers.get("Retry-After", ""))
            return _Response(response.status_code, bytes(content), wait)

    def _wait_for_slot(self) -> None:
        with self._slots:
            now = self._clock.monotonic()
            start = max(now, self._not_before)
            self._not_before = start + self._interval
        if start > now:
            self._clock.sleep(start - now)

    def _pause(self, seconds: float) -> None:
        with self._slots:
            self._not_before = max(self._not_before, self._clock.monotonic() + seconds)
        self._clock.sleep(seconds)

    def _late(self, seconds: float) -> str:
        setting = f"{self._section}.timeout_seconds"
        return f"no answer within {seconds:g} s; try again, or raise {setting}"

    def _masked(self, text: str) -> str:
        """With the API key masked: some servers repeat the key they refuse."""
        return text.replace(self._api_key, "***") if self._api_key else text

    def _meaning(self, status: int, message: str) -> str:
        if status in (401, 403):
            return f"the server refuses the API key ({status}: {message}); set {self._key_variable}"
        if status == 404:
            short = not self.url.rstrip("/").endswith("/v1") and "model" not in message.casefold()
            hint = f" (most servers are at {self.place}/v1)" if short else ""
            return (
                f"not found ({message}); check {self._url_setting}{hint} and {self._section}.model"
            )
        if status == 429:
            return f"asked too often, or the quota is used up ({message}); try again later"
        if 300 <= status < 400:
            return f"redirects elsewhere ({status}); set {self._url_setting} to where it leads"
        if status in TRANSIENT:
            return (
                f"the server is not ready or is overloaded ({status}: {message}); try again later"
            )
        return f"the server answers {status} ({message})"


def is_loopback(url: str) -> bool:
    """Whether ``url`` is on this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def complaint_of(content: bytes) -> str:
    """The error message of a response, on one line."""
    text = content.decode("utf-8", "replace")
    try:
        response = json.loads(text)
        error = response["error"]
        message = error["message"] if isinstance(error, dict) else error
        param = error.get("param") if isinstance(error, dict) else None
        text = str(message)
        if isinstance(param, str) and param.strip() and param not in text:
            text = f"{text} [{param}]"
    except (ValueError, RecursionError, LookupError, TypeError):
        pass
    return " ".join(text.split())[:300]


def _size(limit: int) -> str:
    return f"{limit // 2**20} MiB" if limit >= 2**20 else f"{limit // 2**10} KiB"


def _error_text(error: Exception) -> str:
    return str(error) or type(error).__name__
