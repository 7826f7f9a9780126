"""One server of the sample library, and one browser, for all tests of the web page."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Error,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)
from support.served import CHROMIUM, served
from support.servers.foreign import EVIL, REBOUND

_NAMES = f"--host-resolver-rules=MAP {EVIL} 127.0.0.1, MAP {REBOUND} 127.0.0.1"
_OPTIONS = ["--no-sandbox", _NAMES]
_running = ExitStack()
_browsers: list[Browser] = []
_pages: dict[str, Page] = {}

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
        _running.callback(_pages.clear)
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
    """A page that has nothing to say on its console, and in which nothing is kept. All tests of a
    server have one: another takes a process of its own, which costs half a second."""
    if address not in _pages or _pages[address].is_closed():
        context = browser.new_context(viewport=WIDE, base_url=address)
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
        context.set_default_timeout(_MOST_MS)
        _pages[address] = context.new_page()
    page = _pages[address]
    told: list[str] = []

    def hear(said: ConsoleMessage | Error) -> None:
        told.append(said.text if isinstance(said, ConsoleMessage) else str(said))

    page.on("console", hear)
    page.on("pageerror", hear)
    yield page
    page.remove_listener("console", hear)
    page.remove_listener("pageerror", hear)
    page.evaluate("localStorage.clear(), sessionStorage.clear()")
    page.context.clear_cookies()
    page.set_viewport_size(WIDE)
    page.goto("about:blank")
    assert told == []
