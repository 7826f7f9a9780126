"""One server of the sample library, and a browser, for all tests of the web page."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright
from support.served import CHROMIUM, served

WIDE = ViewportSize(width=1280, height=860)
_MOST_MS = 15_000
expect.set_options(timeout=_MOST_MS)


@pytest.fixture(scope="session")
def address(samples: Path) -> Iterator[str]:
    with served(samples) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page that has nothing to say on its console."""
    context = browser.new_context(viewport=WIDE, base_url=address)
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    context.set_default_timeout(_MOST_MS)
    page = context.new_page()
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    yield page
    context.close()
    assert told == []
