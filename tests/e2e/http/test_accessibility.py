"""Each view of the web page held against axe-core: light, dark, and on a small screen."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, Request
from support.served import CHROMIUM, client_of, ended

AXE = Path(__file__).parents[3] / "build" / "node" / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
needs_axe = pytest.mark.skipif(not AXE.is_file(), reason="no axe-core: make typescript")
#: Menus of filters close each other, and would cover each other: the first one is open.
OPEN_ALL = """() => document.querySelectorAll(
  "main details:not(.filters details), .facet:first-child details, #basket details"
).forEach(one => (one.open = true))"""
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
VIEWS = {
    "ask": "/ask?project=samples",
    "answer": "/ask?project=samples&q=how+far+does+a+pond+cool+the+evening+air",
    "filtered": "/ask?project=samples&q=pond&filter=year%3D2022",
    "error": "/ask?project=nowhere&q=x",
    "library": "/library?project=samples",
    "library by state": "/library?project=samples&sort=year&descending=true&state=no+citation",
    "draft": "/draft?project=samples",
    "review": "/review?project=samples",
    "history": "/history?project=samples",
    "no answer": "/ask?project=samples&q=%22zzzz+qqqq%22",
}
WITH_CONTENT = ("paper", "checked draft", "ended review", "kept question")
QUESTION = "how far does a pond cool the evening air"
DRAFT = """The air was "1.74 K warmer than in the street" [@szelkutiEveningCoolingSmall2022, p. 1].

A gap helps [@bronsagerSpacedRereadingTwoWeek2021]. So does the wind [@nobody2020].
"""
#: Bytes of a view with its styles and scripts, without pictures of pages.
MOST_BYTES = 200_000


@pytest.fixture(scope="module")
def contents(samples: Path, address: str) -> dict[str, str]:
    """The URLs of views with content: a checked draft, a review, and a kept question."""
    with client_of(samples) as client:
        job = client.post("/projects/local/samples/verifications", json={"text": DRAFT}).json()
        chat = client.post("/chats", json={}).json()["id"]
        kept = {"content": QUESTION, "project": "samples"}
        client.post(f"/chats/{chat}/messages", json=kept).raise_for_status()
        gone = client.post("/chats", json={"title": "Deleted"}).json()["id"]
        client.delete(f"/chats/{gone}").raise_for_status()
        other = client.post("/chats", json={}).json()["id"]
        asked = {**kept, "queryMode": "deep_research", "researchDepth": "light"}
        begun = client.post(f"/chats/{other}/messages", json=asked).json()["researchSession"]["id"]
        papers = client.get("/projects/local/samples/documents").json()["documents"]
        ended(client, f"/jobs/{job['id']}")
        ended(client, f"/research-sessions/{begun}")
    document = papers[0]["document_id"]
    return VIEWS | {
        "paper": f"/paper?project=samples&document={document}&related=true",
        "checked draft": f"/draft?project=samples&job={job['id']}",
        "ended review": f"/review?session={begun}",
        "kept question": f"/history?chat={chat}",
    }


def _bytes(request: Request) -> int:
    return request.sizes()["responseBodySize"]


@pytest.fixture(scope="module")
def uncached(browser: Browser, address: str) -> Iterator[Page]:
    """A page that loads all that it shows: one whose requests are routed has no cache."""
    context = browser.new_context(base_url=address)
    context.route("**/*", lambda route: route.continue_())
    yield context.new_page()
    context.close()


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 320])
@pytest.mark.parametrize("view", [*VIEWS, *WITH_CONTENT])
def test_a_view_has_no_fault_that_axe_finds(
    browser: Browser,
    address: str,
    contents: dict[str, str],
    view: str,
    width: int,
    scheme: Literal["light", "dark"],
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
        answer = page.goto(contents[view])
        assert answer is not None
        assert answer.ok == (view != "error")
        page.evaluate(OPEN_ALL)
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


@pytest.mark.parametrize("view", [*VIEWS, *WITH_CONTENT])
def test_a_view_is_small_before_pictures_of_pages(
    uncached: Page, contents: dict[str, str], view: str
) -> None:
    sizes: dict[str, int] = {}

    def finished(request: Request) -> None:
        if ".png" not in request.url:
            sizes[request.url] = _bytes(request)

    uncached.on("requestfinished", finished)
    answer = uncached.goto(contents[view])
    assert answer is not None
    assert answer.ok == (view != "error")
    uncached.wait_for_load_state("networkidle")
    uncached.remove_listener("requestfinished", finished)
    assert 0 < sum(sizes.values()) <= MOST_BYTES, sizes
    assert any(url.endswith("site.css") for url in sizes)
