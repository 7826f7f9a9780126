"""The proxies of docs/http.md in front of a server, and those of docs/group-server.md in front of
two: nginx and Caddy, with TLS on the loopback."""

import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import pytest
from support.http_client import client_at, request
from support.http_server import serving
from support.paths import ROOT
from support.world import PONDS, CountingConverter, World

from citeloom.application.ports.ingest import ConversionJob, ConversionOutcome, Heard
from citeloom.infrastructure.http.guards import SECRET_HEADER as HEADER

NAME = "papers.example.org"
TOKEN = "t" * 43
ADDRESSES = ("127.0.0.1:8420", "127.0.0.1:8421")
BEARER = {"authorization": f"Bearer {TOKEN}"}
HTML = {"accept": "text/html"}


class HeldConverter(CountingConverter):
    """Converts when ``go_on`` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = threading.Event()

    def convert(
        self, jobs: Iterable[ConversionJob], on_pages: Heard | None = None
    ) -> Iterator[ConversionOutcome]:
        assert self.go_on.wait(60)
        return super().convert(jobs, on_pages)


def _shown(page_name: str, language: str) -> str:
    page = (ROOT / "docs" / page_name).read_text("utf-8")
    (block,) = re.findall(rf"^```{language}\n(.*?)^```", page, re.M | re.S)
    return str(block)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _nginx(page: str, folder: Path, servers: Sequence[str], port: int) -> list[str]:
    certificate, key = folder / "papers.pem", folder / "papers.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-subj", f"/CN={NAME}", "-days", "2", "-out", certificate, "-keyout", key],
        check=True, capture_output=True,
    )  # fmt: skip
    shown = _shown(page, "nginx")
    for old, new in {
        "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
        "/etc/ssl/papers.example.org.pem": str(certificate),
        "/etc/ssl/papers.example.org.key": str(key),
        **dict(zip(ADDRESSES, servers, strict=False)),
    }.items():
        assert old in shown
        shown = shown.replace(old, new)
    kept = "".join(
        f"{name}_temp_path {folder};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    configuration = folder / "nginx.conf"
    configuration.write_text(
        f"daemon off;\nmaster_process off;\npid {folder}/pid;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{kept}{shown}}}\n"
    )
    return ["nginx", "-p", str(folder), "-e", "stderr", "-c", str(configuration)]


def _caddy(page: str, folder: Path, servers: Sequence[str], port: int) -> list[str]:
    shown = _shown(page, "caddyfile")
    for old, new in zip(ADDRESSES, servers, strict=False):
        assert old in shown
        shown = shown.replace(old, new)
    configuration = folder / "Caddyfile"
    configuration.write_text(
        "{\nadmin off\nlocal_certs\nskip_install_trust\nauto_https disable_redirects\n"
        f"https_port {port}\nstorage file_system {folder}\n}}\n{shown}"
    )
    return ["caddy", "run", "--config", str(configuration)]


PROXIES: dict[str, Callable[[str, Path, Sequence[str], int], list[str]]] = {
    "nginx": _nginx,
    "caddy": _caddy,
}


@contextmanager
def _running(command: list[str], folder: Path, port: int) -> Iterator[None]:
    log = folder / "log"
    with log.open("w") as told, subprocess.Popen(command, stdout=told, stderr=told) as proxy:
        try:
            until = time.monotonic() + 60
            while not _answers(port):
                assert proxy.poll() is None, log.read_text()
                assert time.monotonic() < until, log.read_text()
                time.sleep(0.05)
            yield
        finally:
            proxy.kill()


def _answers(port: int) -> bool:
    with _asking(f"https://127.0.0.1:{port}") as client:
        try:
            return client.get("/login").is_success
        except httpx2.TransportError:
            return False


def _asking(address: str) -> httpx2.Client:
    """Asks the proxy at ``address`` under its name."""

    def named(request: httpx2.Request) -> None:
        request.extensions["sni_hostname"] = NAME

    return client_at(
        address,
        headers={"host": NAME},
        event_hooks={"request": [named]},
    )


@pytest.fixture(scope="module")
def converter() -> HeldConverter:
    return HeldConverter()


@pytest.fixture(
    scope="module",
    params=[(proxy, page) for page in ("http.md", "group-server.md") for proxy in PROXIES],
    ids="-".join,
)
def proxied(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    converter: HeldConverter,
) -> Iterator[str]:
    """The address of a proxy."""
    proxy, page = request.param
    needed = [proxy, *(["openssl"] if proxy == "nginx" else [])]
    for program in needed:
        if shutil.which(program) is None:
            pytest.skip(f"no {program} is installed")
    folder, port = tmp_path_factory.mktemp("proxy"), _free_port()
    world = World(tmp_path_factory.mktemp("world"), converter=converter)
    with ExitStack() as stack:
        servers = [
            stack.enter_context(serving(world, token=TOKEN, names=[NAME])).removeprefix("http://")
            for _ in range(1 if page == "http.md" else 2)
        ]
        command = PROXIES[proxy](page, folder, servers, port)
        stack.enter_context(_running(command, folder, port))
        yield f"https://127.0.0.1:{port}"


@pytest.fixture
def browser(proxied: str) -> Iterator[httpx2.Client]:
    with _asking(proxied) as client:
        yield client


def test_a_browser_logs_in_by_a_secure_cookie_and_stays_there(browser: httpx2.Client) -> None:
    sent = browser.get("/library?words=ponds", headers=HTML)
    assert (sent.status_code, sent.headers["location"]) == (
        303,
        "/login?next=/library%3Fwords%3Dponds",
    )
    own = {"origin": f"https://{NAME}"}
    answer = browser.post("/login", data={"token": TOKEN, "next": "/library"}, headers=own)
    assert (answer.status_code, answer.headers["location"]) == (303, "/library")
    cookie = answer.headers["set-cookie"]
    assert cookie.endswith("; Secure")
    page = browser.get("/library", headers={"cookie": cookie.partition(";")[0]})
    assert page.status_code == 200
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert 'name="citeloom-secret"' in page.text


def test_events_of_an_upload_come_while_it_is_read(
    browser: httpx2.Client, converter: HeldConverter
) -> None:
    path = "/api/v1/projects/local/thesis/uploads/ponds.md"
    converter.go_on.clear()  # the test of the other proxy has set it
    large = PONDS + "\n" * 2_000_000  # more than proxies take where they are told nothing
    sent = browser.put(path, content=large.encode(), headers=BEARER)
    assert sent.status_code == 202
    seen: list[str] = []
    with browser.stream("GET", f"/api/v1/jobs/{sent.json()['id']}/events", headers=BEARER) as told:
        for line in told.iter_lines():
            if line.startswith("event: "):
                seen.append(line)
                converter.go_on.set()  # only now the job can end
    assert seen[0] == "event: progress"
    assert seen[-1] == "event: done"


def test_agents_are_answered(browser: httpx2.Client) -> None:
    asked = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "proxied", "version": "1"},
        },
    }  # fmt: skip
    headers = {"accept": "application/json, text/event-stream"}
    assert browser.post("/mcp", json=asked, headers=headers).status_code == 401
    answer = browser.post("/mcp", json=asked, headers=headers | BEARER)
    assert answer.status_code == 200
    assert "serverInfo" in answer.text


def test_pages_of_other_origins_change_nothing(browser: httpx2.Client) -> None:
    cookie = browser.post("/login", data={"token": TOKEN}).headers["set-cookie"].partition(";")[0]
    page = browser.get("/library", headers={"cookie": cookie}).text
    found = re.search(r'citeloom-secret" content="([^"]+)"', page)
    assert found is not None
    shown = {"cookie": cookie, HEADER: found[1]}
    own = {"origin": f"https://{NAME}", "sec-fetch-site": "same-origin"}
    assert browser.delete("/api/v1/jobs/nothing", headers=shown | own).status_code == 404
    for origin in ("https://evil.example.org", f"https://{NAME}:8443", "null"):
        foreign = shown | {"origin": origin}
        assert browser.delete("/api/v1/jobs/nothing", headers=foreign).status_code == 403


def test_other_names_lead_nowhere(proxied: str) -> None:
    try:
        answer = request("GET", f"{proxied}/login", headers={"host": "evil.example.org"})
    except httpx2.TransportError:
        return  # Caddy has no certificate for them
    assert answer.status_code == 421
