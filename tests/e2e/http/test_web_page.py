"""The web page of ``citeloom serve`` in Chromium, on the sample library."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright
from support.command_line import environment
from support.paths import LIBRARY

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
ASK = "/ask?project=samples&q=how+far+does+a+pond+cool+the+evening+air"
WIDE = ViewportSize(width=1280, height=860)
NARROW = ViewportSize(width=320, height=700)


@contextmanager
def served(workspace: Path) -> Iterator[str]:
    """The address of ``citeloom serve``."""
    command = [sys.executable, "-m", "citeloom", "serve", "--port", "0"]
    with subprocess.Popen(
        [*command, "--workspace", str(workspace)],
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment(),
    ) as server:
        assert server.stderr is not None
        told = server.stderr.readline().split()
        try:
            assert told[0] == "serving"
            yield told[1]
            assert (workspace / ".citeloom" / "serve.json").exists()
            server.send_signal(signal.SIGTERM)
            assert server.wait(20) == 0
        finally:
            server.kill()
    assert not (workspace / ".citeloom" / "serve.json").exists()


@pytest.fixture(scope="module")
def address(samples: Path) -> Iterator[str]:
    with served(samples) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    context = browser.new_context(viewport=WIDE, base_url=address)
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    context.set_default_timeout(8000)
    page = context.new_page()
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    yield page
    context.close()
    assert told == []


def test_a_passage_is_shown_marked_on_its_page_and_its_quotation_copied(page: Page) -> None:
    page.goto(ASK)
    best = page.locator(".hit.chosen mark").inner_text()
    marks, lines = page.locator(".marks rect"), page.locator(".lines text")
    assert marks.count() > 0
    assert page.locator(".sheet img").evaluate("image => image.complete && image.naturalWidth")
    on_marks = page.evaluate(
        """() => [...document.querySelectorAll(".lines text")].filter(line => {
          const box = line.getBoundingClientRect(), y = (box.top + box.bottom) / 2;
          return [...document.querySelectorAll(".marks rect")].some(mark => {
            const own = mark.getBoundingClientRect();
            return own.top <= y && y <= own.bottom;
          });
        }).map(line => line.textContent.trim()).join(" ")"""
    )
    assert set(best.split()[:6]) <= set(on_marks.split())
    assert lines.count() > 20

    page.keyboard.press("c")
    page.wait_for_function("document.querySelector('#told').textContent.startsWith('Copied')")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == f"“{best}” [@szelkutiEveningCoolingSmall2022, p. 1]"


def test_passages_and_pages_are_gone_through_by_keys_and_the_way_back_is_kept(page: Page) -> None:
    page.goto(ASK)
    page.keyboard.press("j")
    page.wait_for_selector("#hit-2.chosen")
    page.keyboard.press("n")
    page.wait_for_url("**hit=2&page=*")
    page.go_back()
    page.wait_for_url("**hit=2")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "question"
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()


def test_the_basket_keeps_quotations_and_saves_them(page: Page) -> None:
    page.goto(ASK)
    page.keyboard.press("b")
    page.keyboard.press("b")
    page.reload()
    page.locator("#basket summary").click()
    assert page.locator("#basket li").count() == 1
    with page.expect_download() as saved:
        page.locator("#basket-save").click()
    text = Path(saved.value.path()).read_text("utf-8")
    assert text.startswith("“")
    assert text.endswith("p. 1]\n")
    for format, name in (("docx", "quotations.docx"), ("bibtex", "quotations.bib")):
        with page.expect_download() as saved:
            page.locator(f"#basket [data-export={format}]").click()
        assert saved.value.suggested_filename == name
    assert "szelkutiEveningCoolingSmall2022" in Path(saved.value.path()).read_text("utf-8")


def test_a_misquotation_is_found_beside_its_source_and_corrected(page: Page) -> None:
    key = "szelkutiEveningCoolingSmall2022"
    page.goto("/draft?project=samples")
    page.locator("textarea").fill(
        f'The air was "1.74 K warmer than in the reference street" [@{key}, p. 1].\n\n'
        "The effect grows with the wind [@nobody2020].\n"
    )
    page.locator("#draft button[type=submit]").click()
    page.wait_for_selector(".checked")
    verdicts = page.locator(".verdict")
    assert verdicts.all_inner_texts() == [f"misquoted\n: {key}", "unknown key\n: nobody2020"]
    verdicts.nth(1).click()
    page.wait_for_selector(".verdict:nth-of-type(2)[aria-current], .verdict.error[aria-current]")
    page.go_back()
    page.wait_for_selector(".reader .marks rect")
    assert page.locator(".claim.chosen").inner_text().startswith("The air was")
    page.set_viewport_size(NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    first = parse_qs(urlsplit(page.url).query)["job"]
    page.locator("[data-old]").first.click()
    page.wait_for_url(lambda url: parse_qs(urlsplit(url).query)["job"] != first)
    page.wait_for_selector(".checked")
    assert "1.74 K cooler than in the reference street" in page.locator(".checked").inner_text()
    assert page.locator(".verdict").first.inner_text().startswith("supported")


def test_a_review_is_followed_over_a_reload_read_at_its_sources_and_exported(page: Page) -> None:
    page.goto("/review?project=samples")
    question = "Does spaced re-reading help recall, and how far does a pond cool the air?"
    page.locator("#new-review textarea").fill(question)
    page.locator("#new-review button").click()
    page.wait_for_url("**session=*")
    page.reload()
    page.wait_for_selector("#statement-2")
    assert page.locator("h1").inner_text() == question
    cited = page.locator("#statement-2 blockquote").inner_text()
    page.keyboard.press("j")
    page.wait_for_selector("#statement-2.chosen")
    page.wait_for_selector(".reader .marks rect")
    assert cited.split()[0] in (page.locator(".lines").text_content() or "")
    page.get_by_text("What happened").click()
    page.wait_for_selector("#events .verification_summary")
    told = page.locator("#events li").all_inner_texts()
    assert told[0].startswith("Plan: ")
    assert told.count(told[0]) == 1
    with page.expect_download() as saved:
        page.get_by_role("link", name="Markdown").click()
    assert saved.value.suggested_filename == "review.md"
    assert f"# {question}" in Path(saved.value.path()).read_text("utf-8")
    page.locator("#feedback input").fill("to the point")
    page.locator("#feedback button[value=positive]").click()
    expect(page.locator("#feedback-said")).not_to_be_empty()
    page.reload()
    assert "positive · to the point" in page.locator("#feedback").inner_text()
    page.set_viewport_size(NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]


@pytest.mark.parametrize("path", [ASK, "/ask", "/library?project=samples"])
def test_nothing_is_wider_than_a_small_screen(page: Page, path: str) -> None:
    page.set_viewport_size(NARROW)
    page.goto(path)
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]


def test_a_question_is_answered_without_scripts(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False, base_url=address)
    page = context.new_page()
    page.goto("/ask?project=samples")
    page.locator("#question").fill("how far does a pond cool the evening air")
    page.locator("form.ask button").click()
    page.locator(".hit .open").nth(1).click()
    assert page.locator(".hit.chosen").get_attribute("id") == "hit-2"
    assert page.locator(".marks rect").count() > 0
    context.close()


def test_papers_that_are_added_are_read_and_listed(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path) as address:
        page = browser.new_page(base_url=address)
        page.goto("/library")
        paper = LIBRARY / "papers" / "pond-cooling.pdf"
        page.set_input_files("#drop input", [paper, LIBRARY / "library.csl.json"])
        page.wait_for_selector("#uploads .flag", timeout=30_000)
        sent, refused = page.locator("#uploads .said").all_inner_texts()
        assert sent == "16 passages"
        assert "library.csl.json" in refused
        page.goto("/library")
        assert page.locator("tbody th").inner_text().startswith("Evening Cooling")
        page.close()
