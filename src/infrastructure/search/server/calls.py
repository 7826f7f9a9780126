"""Calls to a Qdrant server: tried again while that may help, and what their failures mean."""

import logging
import math
import threading
import time
import warnings
from collections.abc import Callable, Container
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urlsplit

from citeloom.domain.errors import ConfigurationError, IndexUnavailable

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

T = TypeVar("T")

# Collections carry metadata from this version on.
OLDEST: Final = (1, 16)
# SearchParams.idf, the term statistics of a part of the collection: qdrant/qdrant#9661.
OLDEST_SHARED: Final = (1, 19)
# Too many requests, bad gateway, not ready yet, gateway timeout.
PASSING: Final = frozenset({429, 502, 503, 504})
FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 2.0
ATTEMPTS: Final = 6

_log = logging.getLogger(__name__)


class Server:
    """The server at ``url``; connected on first use, for any number of threads.

    A call that fails in passing (no connection, an answer cut short, ``PASSING``) is
    repeated after a pause that doubles, or that the server asked for, as long as all
    attempts together stay within ``timeout_seconds``. All calls of this package may be
    repeated without harm. The API key is in no message.
    """

    def __init__(
        self,
        url: str,
        api_key: str | None,
        *,
        timeout_seconds: float = 30.0,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.url = url
        self._api_key = api_key
        self._timeout = timeout_seconds
        self._sleep = sleep
        self._clock = clock
        self._guard = threading.Lock()
        self._client: QdrantClient | None = None
        self._version: tuple[int, ...] | None = None

    def call(
        self,
        doing: str,
        operation: "Callable[[QdrantClient], T]",
        *,
        accept: Container[int] = (),
    ) -> T | None:
        """What ``operation`` returns; None if the server answers with a status to
        ``accept``. Raises IndexUnavailable, which says what to check."""
        client = self._connected()
        from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
        from qdrant_client.http.exceptions import ApiException

        end = self._clock() + self._timeout
        for attempt in range(ATTEMPTS):
            try:
                return operation(client)
            except (ApiException, ResourceExhaustedResponse, ValueError) as error:
                status = getattr(error, "status_code", None)
                if status is not None and status in accept:
                    return None
                pause = _pause(error, attempt)
                if pause is None or attempt + 1 == ATTEMPTS or self._clock() + pause >= end:
                    raise self._meaning(doing, error) from error
                _log.debug("%s: %s: again in %.1f s", self.url, doing, pause)
                self._sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def require(self, oldest: tuple[int, ...], what_for: str) -> None:
        """Raise IndexUnavailable if the server is of an older version."""
        if self._version is None:
            found = self.call("asking for the version", lambda client: client.info())
            self._version = _version(found.version if found else "")
        if self._version < oldest:
            raise IndexUnavailable(
                f"{self.url}: the server is Qdrant {_dotted(self._version)}, {what_for} needs "
                f"{_dotted(oldest)}; upgrade the server",
                url=self.url,
            )

    def close(self) -> None:
        with self._guard:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _connected(self) -> "QdrantClient":
        with self._guard:
            if self._client is None:
                self._client = self._connect()
            return self._client

    def _connect(self) -> "QdrantClient":
        try:
            from qdrant_client import QdrantClient
        except ImportError:
            raise ConfigurationError(
                f"{self.url}: the client of Qdrant servers is not installed; "
                'run `pip install "citeloom[server]"`',
                module="qdrant-client",
            ) from None
        with warnings.catch_warnings():
            # It warns of keys over plain HTTP, on the loopback too.
            warnings.simplefilter("ignore", UserWarning)
            client = QdrantClient(
                url=self.url,
                api_key=self._api_key,
                timeout=math.ceil(self._timeout),
                check_compatibility=False,
            )
        parts = urlsplit(self.url)
        loopback = parts.hostname in ("localhost", "127.0.0.1", "::1")
        if self._api_key and parts.scheme == "http" and not loopback:
            _log.warning("%s: the API key goes over plain HTTP; use https", self.url)
        return client

    def _meaning(self, doing: str, error: Exception) -> IndexUnavailable:
        return IndexUnavailable(f"{self.url}: {doing} failed: {_reason(error)}", url=self.url)


def _pause(error: Exception, attempt: int) -> float | None:
    """Seconds to wait before another attempt; None where none would help."""
    from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    usual: float = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**attempt)
    if isinstance(error, ResourceExhaustedResponse):
        return max(usual, float(error.retry_after_s))
    if isinstance(error, UnexpectedResponse):
        return usual if error.status_code in PASSING else None
    if isinstance(error, ResponseHandlingException):
        return None if _is_hopeless(error.source) else usual
    # An answer that is no JSON, cut short perhaps.
    return usual


def _is_hopeless(error: Exception) -> bool:
    import httpx

    return isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL | httpx.ProxyError)


def _reason(error: Exception) -> str:
    import httpx
    from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    if isinstance(error, ResourceExhaustedResponse):
        return "the server has too much to do; try again later"
    if isinstance(error, UnexpectedResponse):
        return _refusal(error.status_code or 0, error.content)
    source = error.source if isinstance(error, ResponseHandlingException) else error
    if isinstance(source, httpx.ConnectTimeout | httpx.ConnectError):
        return f"no connection ({source}); check that the server runs and index.url names it"
    if isinstance(source, httpx.TimeoutException):
        return "no answer in time; try again, or raise index.timeout_seconds"
    if isinstance(source, httpx.TransportError):
        return f"the connection broke ({source}); try again"
    return "the answer is not one of Qdrant's, or is cut short; check index.url"


def _refusal(status: int, content: bytes) -> str:
    if status in (401, 403):
        return (
            f"the server refuses the API key ({status}); set CITELOOM_INDEX__API_KEY to one that "
            "may read and write"
        )
    said = " ".join(content.decode("utf-8", "replace").split())[:300]
    if status in PASSING:
        return f"the server is not ready or has too much to do ({status}); try again later"
    if status == 404:
        return (
            f"not found ({said}); check index.url, or run `citeloom validate --project P --repair`"
        )
    return f"the server answers {status} ({said})"


def _version(text: str) -> tuple[int, ...]:
    """The first two numbers of a version; (0, 0) for anything else."""
    numbers = text.split(".")[:2]
    if len(numbers) < 2 or not all(number.isdecimal() for number in numbers):
        return (0, 0)
    return tuple(map(int, numbers))


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
