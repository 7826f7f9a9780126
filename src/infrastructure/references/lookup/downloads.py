"""PDFs and web pages over HTTP, with limits of content, size, time and origin.

A redirect, or an address that a service names, may lead only to public addresses: otherwise a page
could make this program ask a router, a cloud's metadata or a database of the local network
("Server-side request forgery", OWASP). The content of a file decides its kind, not its header or
name.
"""

import hashlib
import re
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies

import httpx2

from citeloom.application.ports.citation import Fetched
from citeloom.domain.errors import LookupFailed
from citeloom.domain.progress import checkpoint
from citeloom.infrastructure.system.files import scratch_path, storage_failed, system_failed
from citeloom.infrastructure.system.http_client import (
    ClientClock,
    NotAnswered,
    RateLimitedClient,
    RetryPolicy,
)
from citeloom.infrastructure.system.workspace import make_folder

_MOST_BYTES: Final = 200_000_000
_MOST_SECONDS: Final = 180.0
_MOST_REDIRECTS: Final = 8
_HEAD: Final = 4096
_MOST_NAMES: Final = 1000
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
# Publishers refuse what names no browser; this says who asks, and is true.
_ACCEPT: Final = "application/pdf, text/html;q=0.9, */*;q=0.1"


class HttpDownloads:
    """``Downloads`` over HTTP. ``timeout`` in seconds is that of each answer's beginning and each
    pause in it; all of a file takes three minutes and 200 MB at most."""

    def __init__(
        self,
        *,
        version: str,
        contact: str = "",
        timeout: float = 20.0,
        clock: ClientClock | None = None,
        transport: httpx2.BaseTransport | None = None,
        most_bytes: int = _MOST_BYTES,
    ) -> None:
        about = f"; mailto:{contact}" if contact else ""
        self._agent = f"Mozilla/5.0 (compatible; CiteLoom/{version}{about})"
        self._pace = RetryPolicy(timeout=timeout, attempts=2, longest=10.0)
        self._clock = clock or ClientClock()
        self._transport = transport
        self._most_bytes = most_bytes

    @contextmanager
    def fetch(self, url: str, folder: Path, *, typed: bool, pdf: bool = False) -> Iterator[Fetched]:
        make_folder(folder)
        with scratch_path(folder / "fetched") as scratch:
            yield self._fetched(url, scratch, typed=typed, pdf=pdf)

    def keep(self, path: Path, name: str) -> Path:
        stem, dot, suffix = name.rpartition(".")
        try:
            for number in range(1, _MOST_NAMES):
                place = path.with_name(name if number == 1 else f"{stem} {number}{dot}{suffix}")
                if place == path:
                    return path
                try:
                    place.open("xb").close()
                except FileExistsError:
                    continue
                return path.replace(place)
        except OSError as error:
            raise storage_failed(place, error) from error
        raise LookupFailed(f"{path.parent / name}: a thousand files are called so; rename some")

    def _fetched(self, url: str, scratch: Path, *, typed: bool, pdf: bool) -> Fetched:
        until = self._clock.monotonic() + _MOST_SECONDS
        named = _place(url) if typed else None
        with RateLimitedClient(
            self._pace, self._clock, trust_env=True, transport=self._transport
        ) as client:
            for _ in range(_MOST_REDIRECTS):
                place = _place(url)
                host = place[0]
                if place != named:
                    _require_public(host)
                headers = {"Accept": _ACCEPT, "User-Agent": self._agent}
                try:
                    request = client.build_request("GET", url, headers=headers)
                    with closing(client.send(request, stream=True)) as response:
                        if place != named:
                            _require_public_peer(host, response)
                        if response.is_redirect:
                            url = urljoin(url, response.headers.get("location", ""))
                            continue
                        if not response.is_success:
                            status = f"{response.status_code} {response.reason_phrase}".strip()
                            raise LookupFailed(f"{host}: answers {status}")
                        self._write(response, scratch, host, until)
                        suffix = _suffix(scratch, response, host, pdf=pdf)
                        with scratch.open("rb") as file:
                            digest = hashlib.file_digest(file, "sha256").hexdigest()
                        return Fetched(scratch, digest, suffix)
                except (NotAnswered, httpx2.TransportError) as error:
                    raise LookupFailed(f"{host}: {error}") from error
                except (httpx2.InvalidURL, httpx2.DecodingError, ValueError) as error:
                    raise LookupFailed(f"{host}: its answer cannot be read") from error
        raise LookupFailed(f"{host}: redirects {_MOST_REDIRECTS} times")

    def _write(self, response: httpx2.Response, scratch: Path, host: str, until: float) -> None:
        size = 0
        try:
            with scratch.open("wb") as file:
                for piece in response.iter_bytes():
                    checkpoint()
                    size += len(piece)
                    if size > self._most_bytes:
                        most = f"{self._most_bytes // 1_000_000} MB"
                        raise LookupFailed(f"{host}: its file has more than {most}")
                    if self._clock.monotonic() > until:
                        raise LookupFailed(f"{host}: no whole file within {_MOST_SECONDS:g} s")
                    file.write(piece)
        except httpx2.TransportError as error:
            raise NotAnswered("its answer ended in the middle") from error
        except OSError as error:
            raise system_failed(error) from error


def _suffix(scratch: Path, response: httpx2.Response, host: str, *, pdf: bool) -> str:
    """The suffix of a file by its content, a PDF or, unless only that will do, a web page. A page
    is kept in UTF-8: the charset of the header is not in the file."""
    with scratch.open("rb") as file:
        head = file.read(_HEAD)
    if b"%PDF-" in head[:1024]:
        return ".pdf"
    said = response.headers.get("content-type", "").partition(";")[0].strip()[:60]
    if b"\0" in head or not _HTML.search(head):
        kind = "nothing" if not head else "another kind of file" + (f" ({said})" if said else "")
        raise LookupFailed(f"{host}: answers {kind}, neither a PDF nor a web page")
    if pdf:
        raise LookupFailed(f"{host}: answers a web page in place of a PDF")
    charset = (response.charset_encoding or "utf-8").lower()
    if charset not in ("utf-8", "utf8"):
        with suppress(LookupError, UnicodeDecodeError):
            scratch.write_bytes(scratch.read_bytes().decode(charset).encode("utf-8-sig"))
    return ".html"


def _place(url: str) -> tuple[str, int | None]:
    """Host and port. Raises LookupFailed if the text is not a web address."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    if not host or parts.scheme not in ("http", "https"):
        raise LookupFailed(f"{url[:80]}: is not an address of the web")
    return host, port


def _require_public(host: str) -> None:
    """Raise LookupFailed for a host of this machine or its network. What has no address here is
    left to the connection, or to the proxy that makes it."""
    try:
        found = {str(one[4][0]) for one in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):
        return
    if not all(map(_is_public, found)):
        raise LookupFailed(f"{host}: is an address of this machine or its network, not asked")


def _require_public_peer(host: str, response: httpx2.Response) -> None:
    """The same for the machine that answered: a name may have another address each time."""
    stream = response.extensions.get("network_stream")
    peer = stream.get_extra_info("server_addr") if stream is not None else None
    if peer and not getproxies() and not _is_public(str(peer[0])):
        raise LookupFailed(f"{host}: is an address of this machine or its network, not read")


def _is_public(address: str) -> bool:
    one = ip_address(address)
    if isinstance(one, IPv6Address) and one.ipv4_mapped:
        one = one.ipv4_mapped
    return one.is_global and not one.is_multicast
