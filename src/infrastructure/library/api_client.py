"""HTTP client of Zotero: retries, rate limits, deadlines; listings at one version of a library.

Zotero's documentation (web API v3, "Rate Limiting"): ``Backoff: SECONDS`` on any response requests
a pause before the next request; ``429`` and ``503`` may have ``Retry-After: SECONDS``, without
which the pause is to grow exponentially.
"""

import functools
import random
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import httpx2
import orjson

from citeloom.domain.library import LibraryKind, LibraryRef

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

    def __init__(self, pace: RetryPolicy, clock: ClientClock, *, trust_env: bool) -> None:
        super().__init__(
            follow_redirects=False, timeout=pace.timeout, trust_env=trust_env, verify=_tls()
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
                retry_after = _seconds(response, "retry-after")
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
            raise NotAnswered(f"it is not to be asked for {wait:.0f} s, as it said")
        if wait > 0:
            self._clock.sleep(wait)
        self._not_before = self._clock.monotonic() + self._pace.interval

    def _apply_backoff(self, response: httpx2.Response) -> None:
        if backoff := _seconds(response, "backoff"):
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


def _seconds(response: httpx2.Response, name: str) -> float | None:
    """Value of a header in seconds. A date would be valid for ``Retry-After``; Zotero does not send
    any."""
    value = response.headers.get(name, "").strip()
    return float(value) if value.isdecimal() else None


def _reason(error: httpx2.TransportError, timeout: float) -> str:
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return "nobody answers there"
    if isinstance(error, httpx2.TimeoutException):
        return f"no answer within {timeout:g} s"
    return f"its answer {_TRUNCATED}"


LOCAL_FILE = "localFileUrl"
"""In a raw item: the ``file:`` URL of a stored file, from the enclosure link of the local API."""
_API_VERSION = "3"
_VERSION, _TOTAL = "last-modified-version", "total-results"
Raw = dict[str, Any]


class Forbidden(NotAnswered):
    """403 or 401: the key, or the settings of Zotero, deny access."""


class NotFound(NotAnswered):
    """404: no such library, file or endpoint."""


@dataclass
class Listing:
    """Objects of a listing by key, at ``version`` of the library. ``incomplete`` is the reason if
    it is not whole; ``changed`` says that the library changed meanwhile, so that another attempt
    may be complete."""

    version: int
    objects: dict[str, Raw] = field(default_factory=dict)
    incomplete: str | None = None
    changed: bool = False


class ZoteroAccount:
    """``page`` objects are requested at once. ``user`` is the number of the account, 0 for the user
    of Zotero on this machine. ``server``, if set, is the id of the local database: the local API
    refuses to read another one. Methods raise NotAnswered or one of its subclasses."""

    def __init__(
        self,
        address: str,
        pace: RetryPolicy,
        clock: ClientClock,
        *,
        local: bool,
        user: int,
        api_key: str | None = None,
        page: int,
    ) -> None:
        self.client = RateLimitedClient(pace, clock, trust_env=not local)
        self.user = user
        self.server: str | None = None
        self._address = address.rstrip("/")
        self._api_key = api_key
        self._page = page

    def headers(self) -> dict[str, str]:
        """Headers of the account's requests; only for its own server."""
        key = {"Authorization": f"Bearer {self._api_key}"} if self._api_key else {}
        return {"Zotero-API-Version": _API_VERSION, **key}

    def url_of(self, library: LibraryRef, path: str) -> str:
        is_user = library.kind is LibraryKind.USER
        prefix = f"users/{self.user}" if is_user else f"groups/{library.id}"
        return f"{self._address}/{prefix}/{path}"

    def root(self, path: str) -> httpx2.Response:
        """The response to a request outside any library, such as ``keys/current``."""
        response = self.client.get(f"{self._address}/{path}", headers=self.headers())
        raise_for_status(response)
        return response

    def groups(self) -> list[LibraryRef]:
        """The groups' libraries, by number; their versions are unknown."""
        by_number: dict[int, LibraryRef] = {}
        start, more = 0, True
        while more:
            url = self.url_of(LibraryRef(), "groups")
            response = self._get(url, limit=self._page, start=start)
            with _api_answer():
                page = response.json()
                by_number |= {int(raw["id"]): _group(raw) for raw in page}
            start += len(page)
            more = bool(page) and "next" in response.links
        return [by_number[number] for number in sorted(by_number)]

    def items(self, library: LibraryRef, *, since: int = 0) -> Listing:
        """All items, including the trash; with ``since`` those changed after that version. Raises
        NotModified if there are none."""
        order = {"includeTrashed": 1, "sort": "dateAdded", "direction": "asc"}
        condition = {"If-Modified-Since-Version": str(since)} if since else {}
        return self._read(self.url_of(library, "items"), since, condition, **order)

    def collections(self, library: LibraryRef, *, since: int = 0) -> Listing:
        return self._read(self.url_of(library, "collections"), since, {})

    def item_versions(self, library: LibraryRef) -> Listing:
        """The version of each item, including the trash, in one response."""
        return self._versions(self.url_of(library, "items"), includeTrashed=1)

    def collection_versions(self, library: LibraryRef) -> Listing:
        return self._versions(self.url_of(library, "collections"))

    def deleted(self, library: LibraryRef, since: int) -> Listing:
        """Keys by kind (``items``, ``collections``) of permanently deleted objects."""
        response = self._get(self.url_of(library, "deleted"), since=since)
        with _api_answer():
            return Listing(_number(response, _VERSION), {"deleted": dict(response.json())})

    def version(self, library: LibraryRef) -> int:
        return _number(self._get(self.url_of(library, "items"), limit=1), _VERSION)

    def count(self, library: LibraryRef, **parameters: Any) -> int:
        """Number of items, by the header of a response with one of them."""
        return _number(self._get(self.url_of(library, "items"), limit=1, **parameters), _TOTAL)

    def close(self) -> None:
        self.client.close()

    def _get(
        self, url: str, condition: Mapping[str, str] | None = None, **parameters: Any
    ) -> httpx2.Response:
        server = {"Zotero-Server-ID": self.server} if self.server else {}
        headers = {**self.headers(), **server, **(condition or {})}
        parameters.setdefault("format", "json")
        response = self.client.get(url, params=parameters, headers=headers)
        if response.status_code == httpx2.codes.PRECONDITION_FAILED and self.server:
            raise NotAnswered("another Zotero answers now than before")
        raise_for_status(response)
        return response

    def _versions(self, url: str, **parameters: Any) -> Listing:
        response = self._get(url, format="versions", **parameters)
        with _api_answer():
            versions = {key: {"version": version} for key, version in response.json().items()}
        return Listing(_number(response, _VERSION), versions)

    def _read(
        self, url: str, since: int, condition: Mapping[str, str], **parameters: Any
    ) -> Listing:
        """All pages; the first is requested under ``condition``."""
        parameters |= {"since": since} if since else {}
        pages: Listing | None = None
        start = 0
        while True:
            try:
                response = self._get(
                    url, None if pages else condition, limit=self._page, start=start, **parameters
                )
                with _api_answer():
                    objects = response.json()
                    by_key = {str(one["key"]): _data(one) for one in objects}
                version, total = _number(response, _VERSION), _number(response, _TOTAL)
            except NotAnswered as error:
                if pages is None:
                    raise
                return replace(pages, incomplete=f"page {start // self._page + 1}: {error}")
            pages = pages or Listing(version)
            if version != pages.version:
                return replace(pages, incomplete="it changed while it was read", changed=True)
            pages.objects |= by_key
            start += len(objects)
            if not objects or (start >= total and "next" not in response.links):
                break
        if len(pages.objects) != total:
            reason = f"{len(pages.objects)} came where it had said {total}"
            return replace(pages, incomplete=reason, changed=True)
        return pages


@contextmanager
def _api_answer() -> Iterator[None]:
    """Raises NotAnswered where an answer is read that has another shape than Zotero's."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise NotAnswered("its answer is none of Zotero's API") from error


def _data(raw: Mapping[str, Any]) -> Raw:
    """The data of an object, with the location of its file where the local API states it."""
    data = {**raw["data"], "key": str(raw["key"]), "version": int(raw["version"])}
    href = raw.get("links", {}).get("enclosure", {}).get("href")
    if isinstance(href, str) and href.startswith("file:"):
        data[LOCAL_FILE] = href
    return data


def _group(raw: Mapping[str, Any]) -> LibraryRef:
    number = int(raw["id"])
    name = str(raw["data"].get("name") or number)
    return LibraryRef(kind=LibraryKind.GROUP, id=number, name=name)


def raise_for_status(response: httpx2.Response) -> None:
    """Raises NotAnswered, or one of its subclasses, unless the response is a success."""
    if response.status_code in (401, 403):
        raise Forbidden("it refuses (403)")
    if response.status_code == httpx2.codes.NOT_FOUND:
        raise NotFound("it knows of no such thing (404)")
    if not response.is_success:
        raise NotAnswered(f"it answers {response.status_code}")


def _number(response: httpx2.Response, header: str) -> int:
    value = response.headers.get(header, "")
    if not value.isdecimal():
        raise NotAnswered("its answer is none of Zotero's API")
    return int(value)
