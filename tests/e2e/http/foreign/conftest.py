"""A served library, and a foreign page in the same browser: at another port of this machine, which
shares the cookies of the server, or at a site of its own. Without and with a login."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright
from support.servers.foreign import EVIL, REBOUND, Attack, foreign_pages
from support.servers.served import Served, served

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
NAMES = f"--host-resolver-rules=MAP {EVIL} 127.0.0.1, MAP {REBOUND} 127.0.0.1"
PLACES = ["another port", "another site"]


@pytest.fixture(scope="module", params=["", "t" * 43], ids=["loopback", "login"])
def server(
    request: pytest.FixtureRequest, samples: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("foreign") / "workspace"
    shutil.copytree(samples, folder)
    with served(folder, token=request.param) as server:
        yield server


@pytest.fixture(scope="module")
def job(server: Served) -> str:
    return server.finished_job()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", NAMES])
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser, server: Served) -> Iterator[BrowserContext]:
    """A browser in which somebody works, logged in where that is needed."""
    context = browser.new_context()
    context.set_default_timeout(20_000)
    if server.token:
        form = {"token": server.token, "next": "/library"}
        answer = context.request.post(f"{server.url}/login", form=form)
        assert answer.url.endswith("/library")
    yield context
    context.close()


@pytest.fixture(params=PLACES)
def attack(
    request: pytest.FixtureRequest, context: BrowserContext, server: Served
) -> Iterator[Attack]:
    own, foreign = context.new_page(), context.new_page()
    own.goto(f"{server.url}/library?project=samples")
    assert own.locator("tbody tr").count() > 0
    with foreign_pages() as url:
        foreign.goto(url if request.param == PLACES[0] else url.replace("127.0.0.1", EVIL))
        yield Attack(server, own, foreign)
