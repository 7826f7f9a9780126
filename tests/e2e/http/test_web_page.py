"""The web page of ``citeloom serve`` in Chromium, on the sample library."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, ViewportSize, expect
from support.paths import LIBRARY
from support.pdf.written_pdf import Text, write_pdf
from support.served import served

ASK = "/ask?project=samples&q=how+far+does+a+pond+cool+the+evening+air"
NARROW = ViewportSize(width=320, height=700)


def test_a_passage_is_shown_marked_on_its_page_and_its_quotation_copied(page: Page) -> None:
    page.goto(ASK)
    best = page.locator(".hit.chosen mark").inner_text()
    marks, lines = page.locator(".marks.best rect"), page.locator(".lines text")
    assert 0 < marks.count() < page.locator(".marks.around rect").count()
    assert page.locator(".sheet img").evaluate("image => image.complete && image.naturalWidth")
    on_marks = page.evaluate(
        """() => [...document.querySelectorAll(".lines text")].filter(line => {
          const box = line.getBoundingClientRect(), y = (box.top + box.bottom) / 2;
          return [...document.querySelectorAll(".marks.best rect")].some(mark => {
            const own = mark.getBoundingClientRect();
            return own.top <= y && y <= own.bottom;
          });
        }).map(line => line.textContent.trim()).join(" ")"""
    )
    assert set(best.split()[:6]) <= set(on_marks.split())
    assert lines.count() > 20

    page.keyboard.press("c")
    expect(page.locator("#told")).to_have_text(re.compile("^Copied"))
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
    page.get_by_role("link", name="Next passage").click()
    page.wait_for_selector(".hit.chosen:not(#hit-2)")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "question"
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()


def test_a_citation_is_copied_as_a_formatted_reference_in_a_style(page: Page) -> None:
    page.goto(ASK)
    page.get_by_text("Citation", exact=True).click()
    forms = page.locator(".texts .note").all_inner_texts()
    assert forms == ["Pandoc, Quarto", "LaTeX", "Typst", "In text, APA", "Reference, APA"]
    page.get_by_label("Style").select_option("ieee")
    page.get_by_role("button", name="Use").click()
    page.wait_for_url("**style=ieee**")
    page.get_by_text("Citation", exact=True).click()
    page.get_by_role("button", name="Copy Reference, IEEE").click()
    expect(page.locator("#told")).to_have_text(re.compile("^Copied"))
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "O. Szélkuti" in copied
    assert "“Evening Cooling beside Small Urban Ponds" in copied
    page.keyboard.press("j")
    page.wait_for_selector("#hit-2.chosen")
    assert "style=ieee" in page.url


def test_a_quotation_in_the_basket_is_shortened_moved_and_brought_back(page: Page) -> None:
    page.goto(ASK)
    for following in (2, 3):
        page.keyboard.press("b")
        page.keyboard.press("j")
        page.wait_for_selector(f"#hit-{following}.chosen")
    page.locator("#basket summary").click()
    entries = page.locator("#basket li")
    words = entries.first.inner_text().partition("“")[2].partition("”")[0].split()

    def shorten(to: str) -> None:
        page.get_by_role("button", name="Shorten 1").click()
        page.locator("#basket textarea").fill(to)
        page.get_by_role("button", name="Save").click()

    for changed in (" ".join([*words[:3], "never", *words[3:]]), max(words, key=len)[1:]):
        shorten(changed)
        expect(page.locator("#told")).to_contain_text("Use only words of the paper")
        page.get_by_role("button", name="Cancel").click()
    shorten(f"{' '.join(words[:3])} […] {' '.join(words[-2:])}")
    expect(entries.first).to_contain_text(f"“{' '.join(words[:3])} […]")
    page.get_by_role("button", name="Move 2 up").click()
    expect(entries.last).to_contain_text("[…]")
    page.get_by_role("button", name="Remove 2").click()
    expect(entries).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(entries.last).to_contain_text("[…]")


def test_on_a_small_screen_filters_are_in_a_sheet_and_a_tap_enlarges_the_page(page: Page) -> None:
    page.set_viewport_size(NARROW)
    page.goto(ASK)
    page.get_by_role("button", name="Filters").click()
    page.locator("#facets summary", has_text="Section").click()
    page.locator("#facets .chip").first.click()
    expect(page.locator(".filters > .on .chip")).to_have_count(1)
    expect(page.locator(".sheet")).to_have_attribute("style", re.compile("--zoom"))
    width = "document.querySelector('.sheet').clientWidth"
    fits = page.evaluate(width)
    page.locator(".sheet").click(position={"x": 150, "y": 200})
    assert page.evaluate(width) == pytest.approx(2 * fits, abs=2)
    page.locator(".sheet").click(position={"x": 300, "y": 300})
    assert NARROW["width"] * 0.8 < page.evaluate(width) == fits
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]


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
    with page.expect_download() as saved:
        page.get_by_role("link", name="Report").click()
    assert "MISQUOTED" in Path(saved.value.path()).read_text("utf-8")
    verdicts = page.locator(".verdict")
    assert verdicts.all_inner_texts() == [f"misquoted\n: {key}", "unknown key\n: nobody2020"]
    verdicts.nth(1).click()
    expect(verdicts.nth(1)).to_have_attribute("aria-current", "true")
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
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the draft").click()
    assert "1.74 K cooler" in Path(saved.value.path()).read_text("utf-8")


def _still_running(route: Route) -> None:
    """The page of a check as it is before the check ends, however fast that was."""
    response = route.fetch()
    text = response.text().replace('data-job=""', 'data-job="running"')
    route.fulfill(response=response, body=text)


def test_a_draft_whose_check_fails_is_kept_and_saved_under_its_name(
    browser: Browser, address: str, tmp_path: Path
) -> None:
    context = browser.new_context(base_url=address)
    page = context.new_page()
    page.goto("/draft?project=samples")
    draft = tmp_path / "chapter.tex"
    draft.write_text("Ponds cool \\autocite[3]{nobody2020}.", "utf-8")
    page.set_input_files('#draft input[type="file"]', draft)
    expect(page.locator("#draft-said")).to_contain_text("chapter.tex is open")
    page.route("**/verifications", lambda route: route.abort())
    page.locator("#draft button[type=submit]").click()
    said = page.locator("#draft-said")
    expect(said).to_contain_text("The server does not answer: is it still running?")
    assert page.locator("textarea").input_value() == draft.read_text("utf-8")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the draft").click()
    assert saved.value.suggested_filename == "chapter.tex"
    page.unroute("**/verifications")
    page.route("**/verifications", lambda route: route.fulfill(status=502, body="<html>"))
    page.locator("#draft button[type=submit]").click()
    expect(said).to_contain_text("Bad Gateway")
    page.unroute("**/verifications")
    page.route("**/jobs/*/events", lambda route: route.fulfill(status=404, body="{}"))
    page.route("**/draft?**job=*", _still_running)
    page.locator("#draft button[type=submit]").click()
    page.wait_for_url("**job=*")
    expect(said).to_contain_text("stopped reporting on this")
    assert page.locator("textarea").input_value() == draft.read_text("utf-8")
    context.close()


def test_the_open_basket_covers_neither_passages_nor_page(page: Page) -> None:
    page.goto(ASK)
    page.keyboard.press("b")
    page.locator("#basket summary").click()
    page.wait_for_selector("#basket li")
    basket = page.locator("#basket").bounding_box()
    sheet = page.locator(".scroll").bounding_box()
    hits = page.locator(".hits").bounding_box()
    assert basket
    for part in (sheet, hits):
        assert part
        assert part["y"] + part["height"] <= basket["y"] + 1


def test_the_first_passage_begins_on_the_first_screen_of_a_small_one(page: Page) -> None:
    page.set_viewport_size(NARROW)
    page.goto(ASK)
    header = page.locator("header.top").bounding_box()
    first = page.locator(".hit blockquote").first.bounding_box()
    assert header
    assert first
    assert header["height"] < 60
    assert first["y"] < NARROW["height"] * 0.6


def test_a_review_is_followed_over_a_reload_read_at_its_sources_and_exported(page: Page) -> None:
    page.goto("/review?project=samples")
    question = "Does spaced re-reading help recall, and how far does a pond cool the air?"
    page.locator("#new-review textarea").fill(question)
    page.locator("#new-review button").click()
    page.wait_for_url("**session=*")
    page.reload()
    # The page is loaded anew when the review ends: keys of before then are lost.
    page.wait_for_selector("#review:not([data-running]) #statement-2")
    page.wait_for_load_state("load")
    assert page.locator("h1").inner_text() == question
    cited = page.locator("#statement-2 blockquote").inner_text()
    page.keyboard.press("j")
    page.wait_for_selector("#statement-2.chosen")
    page.wait_for_selector(".reader .marks rect")
    assert cited.split()[0] in (page.locator(".lines").text_content() or "")
    page.get_by_text("What was done").click()
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


def test_a_paper_shows_its_sections_and_which_papers_it_is_related_to(page: Page) -> None:
    page.goto("/library?project=samples&words=ponds")
    page.locator("tbody th a").first.click()
    page.get_by_role("heading", name="Cited by").wait_for()
    page.get_by_role("link", name="Sites and measurements").click()
    page.wait_for_url("**page=**")
    expect(page.locator(".contents a[aria-current]").first).to_be_visible()
    page.get_by_role("link", name="Ask this paper").click()
    page.wait_for_url("**/ask**")
    page.locator("#question").fill("how far does it cool")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hit")
    assert page.locator("article.paper").count() == 1


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


def test_papers_and_references_are_added_to_a_new_project_and_cited(
    browser: Browser, tmp_path: Path
) -> None:
    with served(tmp_path) as address:
        page = browser.new_page(base_url=address)
        page.goto("/library")
        page.get_by_role("button", name="New project…").click()
        page.locator("#project input").fill("ponds")
        page.get_by_role("button", name="Create").click()
        page.wait_for_url("**project=local%2Fponds")
        words = [Text(72, 740, "A note", 18, True), Text(72, 700, "Nobody has an entry of it.")]
        note = write_pdf(tmp_path / "note.pdf", [words])
        wrong = tmp_path / "wrong.bib"
        wrong.write_text("no entries here", "utf-8")
        paper = LIBRARY / "papers" / "pond-cooling.pdf"
        page.set_input_files("#drop input", [paper, note, wrong, LIBRARY / "library.csl.json"])
        expect(page.locator("#uploads .said")).to_contain_text(
            ["wrong.bib", "used for citations", "16 passages", "1 passages"], timeout=90_000
        )
        expect(page.locator("tbody th")).to_have_count(2)
        page.goto("/library?project=ponds")
        expect(page.locator(".uncited")).to_contain_text("1 of 2 papers has a provisional citation")
        assert page.locator("tbody th").last.inner_text().startswith("Evening Cooling")
        assert page.locator("tbody code").all_inner_texts() == [
            "@anonndNote",
            "@szelkutiEveningCoolingSmall2022",
        ]
        page.locator("tbody th a").first.click()
        expect(page.locator(".by .flag")).to_have_text("provisional")
        page.get_by_role("button", name="Remove…").click()
        page.get_by_role("button", name="Keep it").click()
        page.get_by_role("button", name="Remove…").click()
        page.get_by_role("button", name="Remove", exact=True).click()
        page.wait_for_url("**/library?project=**")
        expect(page.locator("tbody th")).to_have_count(1)
        page.close()
