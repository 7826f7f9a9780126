"""Files over HTTP: what is taken, what is refused, and what is left on disk."""

import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest

from citeloom.domain.errors import LookupFailed
from citeloom.infrastructure.references.lookup import downloads
from citeloom.infrastructure.references.lookup.downloads import HttpDownloads
from citeloom.infrastructure.system.http_client import ClientClock

PDF = b"%PDF-1.7\nponds"
PAGE = b"<!DOCTYPE html><html><title>Ponds</title><p>A pond cools the air.</p></html>"
Answer = tuple[int, dict[str, str], bytes]
ANSWERS: dict[str, Answer] = {
    "/ponds.pdf": (200, {"content-type": "text/html"}, PDF),
    "/page": (200, {"content-type": "application/pdf"}, PAGE),
    "/latin": (
        200,
        {"content-type": "text/html; charset=iso-8859-1"},
        "<html>Weiß".encode("latin-1"),
    ),
    "/picture.pdf": (200, {"content-type": "application/pdf"}, b"GIF89a\0\0"),
    "/data.pdf": (200, {"content-type": "application/json"}, b'{"a": 1}'),
    "/empty": (200, {}, b""),
    "/large.pdf": (200, {}, PDF + b" " * 2_000_000),
    "/bomb.pdf": (200, {"content-encoding": "gzip"}, gzip.compress(PDF + b" " * 20_000_000)),
    "/damaged.pdf": (200, {"content-encoding": "gzip"}, b"no gzip"),
    "/login": (403, {}, b"no"),
    "/here": (302, {"location": "/ponds.pdf"}, b""),
    "/circle": (302, {"location": "/circle"}, b""),
    "/file": (302, {"location": "file:///etc/passwd"}, b""),
    "/nowhere": (302, {"location": "http://[bad/"}, b""),
    "/bare": (302, {}, b""),
    "/port": (302, {"location": "http://127.0.0.1:9/x.pdf"}, b""),
    "/local": (302, {"location": "http://localhost/x.pdf"}, b""),
    "/cloud": (302, {"location": "http://169.254.169.254/latest/meta-data"}, b""),
    "/mapped": (302, {"location": "http://[::ffff:127.0.0.1]/x.pdf"}, b""),
    "/number": (302, {"location": "http://2130706433/x.pdf"}, b""),
    "/router": (302, {"location": "http://192.168.0.1/"}, b""),
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status, headers, body = ANSWERS.get(self.path, (404, {}, b"no"))
        self.send_response(status)
        for name, value in ({"content-length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """A server on this machine, as the user's own addresses may be."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def opened(**values: Any) -> HttpDownloads:
    clock = ClientClock(lambda: 0.0, lambda _: None, lambda: 1.0)
    return HttpDownloads(version="1.0", timeout=5.0, clock=clock, most_bytes=1_000_000, **values)


def refusal(url: str, folder: Path, *, typed: bool = True, pdf: bool = False) -> str:
    with pytest.raises(LookupFailed) as refused, opened().fetch(url, folder, typed=typed, pdf=pdf):
        pass
    assert list(folder.iterdir()) == []
    return str(refused.value)


@pytest.mark.parametrize(
    ("path", "suffix", "content"),
    [("/ponds.pdf", ".pdf", PDF), ("/page", ".html", PAGE), ("/here", ".pdf", PDF)],
)
def test_the_content_says_what_a_file_is(
    site: str, tmp_path: Path, path: str, suffix: str, content: bytes
) -> None:
    with opened().fetch(site + path, tmp_path, typed=True) as got:
        assert (got.suffix, got.path.read_bytes()) == (suffix, content)
        assert got.path.name.startswith(".")
    assert list(tmp_path.iterdir()) == []


def test_a_page_keeps_the_charset_that_its_header_says(site: str, tmp_path: Path) -> None:
    with opened().fetch(f"{site}/latin", tmp_path, typed=True) as got:
        assert got.path.read_text("utf-8-sig") == "<html>Weiß"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/picture.pdf", "another kind of file (application/pdf), neither a PDF nor a web page"),
        ("/data.pdf", "another kind of file (application/json), neither"),
        ("/empty", "answers nothing, neither a PDF"),
        ("/large.pdf", "its file has more than 1 MB"),
        ("/bomb.pdf", "its file has more than 1 MB"),
        ("/damaged.pdf", "its answer cannot be read"),
        ("/login", "answers 403 Forbidden"),
        ("/gone", "answers 404 Not Found"),
        ("/circle", "redirects 8 times"),
        ("/file", "file:///etc/passwd: is not an address of the web"),
        ("/nowhere", "its answer cannot be read"),
        ("/bare", "redirects 8 times"),
        ("/port", "127.0.0.1: is an address of this machine or its network, not asked"),
        ("/local", "localhost: is an address of this machine"),
        ("/cloud", "169.254.169.254: is an address of this machine"),
        ("/mapped", "::ffff:127.0.0.1: is an address of this machine"),
        ("/number", "2130706433: is an address of this machine"),
        ("/router", "192.168.0.1: is an address of this machine"),
    ],
)
def test_what_is_refused_leaves_nothing(site: str, tmp_path: Path, path: str, reason: str) -> None:
    assert reason in refusal(site + path, tmp_path)


def test_a_page_in_place_of_a_pdf_is_refused(site: str, tmp_path: Path) -> None:
    told = refusal(f"{site}/page", tmp_path, pdf=True)
    assert "answers a web page in place of a PDF" in told


def test_an_address_that_a_service_names_is_public(site: str, tmp_path: Path) -> None:
    assert "is an address of this machine" in refusal(f"{site}/ponds.pdf", tmp_path, typed=False)


def test_a_name_whose_address_changes_meanwhile_is_not_read(
    site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "_require_public", lambda _: None)
    monkeypatch.setattr(downloads, "getproxies", dict)
    assert "not read" in refusal(f"{site}/ponds.pdf", tmp_path, typed=False)


@pytest.mark.parametrize("url", ["ftp://weir.example/x", "http://", "http://weir.example:port/"])
def test_what_is_no_address_of_the_web_is_refused(tmp_path: Path, url: str) -> None:
    assert "is not an address of the web" in refusal(url, tmp_path)


def test_a_slow_file_has_an_end(tmp_path: Path) -> None:
    now = [0.0]

    class Drops(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            for _ in range(1000):
                now[0] += 4.0
                yield b"%PDF-"

    def answer(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, stream=Drops())

    clock = ClientClock(lambda: now[0], lambda _: None, lambda: 1.0)
    transport = httpx2.MockTransport(answer)
    slow = HttpDownloads(version="1", clock=clock, transport=transport)
    with (
        pytest.raises(LookupFailed, match="no whole file within 180 s"),
        slow.fetch("https://weir.example/x", tmp_path, typed=True),
    ):
        pass
    assert now[0] < 200


def test_a_server_that_breaks_off_is_named(tmp_path: Path) -> None:
    class Broken(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            yield b"%PDF-"
            raise httpx2.ReadError("")

    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, stream=Broken()))
    with (
        pytest.raises(LookupFailed, match=r"weir\.example: its answer ended in the middle"),
        opened(transport=transport).fetch("https://weir.example/x", tmp_path, typed=True),
    ):
        pass


def test_it_says_who_asks(tmp_path: Path) -> None:
    seen: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request.headers["user-agent"])
        return httpx2.Response(200, content=PDF)

    fetching = opened(transport=httpx2.MockTransport(answer), contact="me@uni.example")
    with fetching.fetch("https://weir.example/x", tmp_path, typed=True):
        pass
    assert seen == ["Mozilla/5.0 (compatible; CiteLoom/1.0; mailto:me@uni.example)"]


def test_a_kept_file_overwrites_nothing(tmp_path: Path) -> None:
    names = []
    for number in range(3):
        path = tmp_path / f"scratch{number}"
        path.write_text(str(number))
        names.append(opened().keep(path, "Weir 2020.pdf").name)
    assert names == ["Weir 2020.pdf", "Weir 2020 2.pdf", "Weir 2020 3.pdf"]
    assert [(tmp_path / name).read_text() for name in names] == ["0", "1", "2"]
    same = tmp_path / "Weir 2020.pdf"
    assert opened().keep(same, "Weir 2020.pdf") == same
