"""Each view of the web page held against axe-core: light, dark, and on a small screen."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, Request, sync_playwright
from support.command_line import environment

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
AXE = Path(__file__).parents[3] / "build" / "node" / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
needs_axe = pytest.mark.skipif(not AXE.is_file(), reason="no axe-core: make typescript")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
VIEWS = {
    "ask": "/ask?project=samples",
    "answer": "/ask?project=samples&q=how+far+does+a+pond+cool+the+evening+air",
    "filtered": "/ask?project=samples&q=pond&filter=year%3D2022",
    "error": "/ask?project=nowhere&q=x",
    "library": "/library?project=samples",
    "paper": "paper",
    "draft": "/draft",
    "review": "/review",
}
#: Bytes of a view with its styles and scripts, without pictures of pages.
MOST_BYTES = 200_000


@pytest.fixture(scope="module")
def address(samples: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "citeloom", "serve", "--port", "0"]
    with subprocess.Popen(
        [*command, "--workspace", str(samples)],
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment(),
    ) as server:
        try:
            assert server.stderr is not None
            yield server.stderr.readline().split()[1]
        finally:
            server.kill()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def _open(page: Page, view: str) -> None:
    """Skips a view that this version does not have."""
    if view == "paper":
        page.goto(VIEWS["library"])
        page.goto(page.locator("tbody th a").first.get_attribute("href") or "")
        return
    answer = page.goto(VIEWS[view])
    if answer is not None and "json" in answer.headers.get("content-type", ""):
        pytest.skip(f"there is no view {view}")


def _bytes(request: Request) -> int:
    return request.sizes()["responseBodySize"]


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 320])
@pytest.mark.parametrize("view", VIEWS)
def test_a_view_has_no_fault_that_axe_finds(
    browser: Browser, address: str, view: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    # The policy of the page allows no script of others.
    context = browser.new_context(
        base_url=address,
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
        bypass_csp=True,
    )
    try:
        page = context.new_page()
        _open(page, view)
        for details in page.locator("main details:not([open]) > summary").all():
            details.click()
        page.add_script_tag(path=AXE)
        found = page.evaluate(
            "tags => axe.run(document, { runOnly: { type: 'tag', values: tags } })", TAGS
        )
        assert len(found["passes"]) > 10
        faults = [
            f"{one['id']}: {one['help']}: " + "; ".join(n["html"][:150] for n in one["nodes"][:3])
            for one in found["violations"]
        ]
        assert not faults, "\n".join(faults)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    finally:
        context.close()


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_small_before_pictures_of_pages(
    browser: Browser, address: str, view: str
) -> None:
    context = browser.new_context(base_url=address)
    sizes: dict[str, int] = {}
    try:
        page = context.new_page()
        page.on(
            "requestfinished",
            lambda request: sizes.update(
                {} if ".png" in request.url else {request.url: _bytes(request)}
            ),
        )
        _open(page, view)
        page.wait_for_load_state("networkidle")
        assert sum(sizes.values()) <= MOST_BYTES, sizes
        assert any(url.endswith("site.css") for url in sizes)
    finally:
        context.close()
