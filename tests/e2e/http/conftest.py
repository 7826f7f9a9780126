"""One server of the sample library, and one browser, for all tests of the web page."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright
from support.served import CHROMIUM, served
from support.servers.foreign import EVIL, REBOUND

_NAMES = f"--host-resolver-rules=MAP {EVIL} 127.0.0.1, MAP {REBOUND} 127.0.0.1"
_OPTIONS = ["--no-sandbox", _NAMES]
_running = ExitStack()
_browsers: list[Browser] = []
_contexts: dict[str, BrowserContext] = {}

WIDE = ViewportSize(width=1280, height=860)
_MOST_MS = 15_000
expect.set_options(timeout=_MOST_MS)


@pytest.fixture(scope="session")
def address(samples: Path) -> Iterator[str]:
    with served(samples) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Browser:
    """Runs until a test of another folder comes: Playwright's event loop would be in its way."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    if not _browsers:
        playwright = _running.enter_context(sync_playwright())
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=_OPTIONS)
        _running.callback(launched.close)
        _running.callback(_browsers.clear)
        _running.callback(_contexts.clear)
        _browsers.append(launched)
    return _browsers[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Iterator[None]:
    try:
        yield
    finally:
        if nextitem is None or Path(__file__).parent not in nextitem.path.parents:
            _running.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page that has nothing to say on its console, in a context in which nothing is kept. All
    pages of a server have one: the processes of another take a second."""
    if address not in _contexts:
        made = browser.new_context(viewport=WIDE, base_url=address)
        made.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
        made.set_default_timeout(_MOST_MS)
        _contexts[address] = made
    page = _contexts[address].new_page()
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    yield page
    page.evaluate("localStorage.clear(), sessionStorage.clear()")
    _contexts[address].clear_cookies()
    page.close()
    assert told == []
