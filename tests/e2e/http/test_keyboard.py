"""The web page without a mouse, in Chromium."""

import re

from playwright.sync_api import Page, expect

FOCUSED = "document.activeElement"


def _tab_to(page: Page, selector: str, most: int = 40) -> None:
    """Go on by the tabulator until what ``selector`` names is reached; what has the focus can be
    seen, each time."""
    page.wait_for_load_state("load")
    for _ in range(most):
        page.keyboard.press("Tab")
        seen = page.evaluate(
            """() => {
              const one = document.activeElement, box = one.getBoundingClientRect();
              const rings = [one, one.closest("form.ask, .button") ?? one].map(getComputedStyle);
              const ring = rings.some(s => s.outlineStyle !== "none" || s.boxShadow !== "none");
              return one === document.body || (ring && box.width > 0 && box.height > 0);
            }"""
        )
        assert seen, page.evaluate(f"{FOCUSED}.outerHTML")
        if page.evaluate(f"{FOCUSED}.matches({selector!r})"):
            return
    raise AssertionError(f"{selector} is not reached by the tabulator")


def test_a_question_is_asked_read_and_cited(page: Page) -> None:
    page.goto("/library?project=samples")
    page.keyboard.press("Tab")
    assert page.evaluate(f"{FOCUSED}.className") == "skip"
    _tab_to(page, 'a[href^="/ask"]')
    page.keyboard.press("Enter")
    page.wait_for_url("**/ask?project=**")
    expect(page.locator("#question")).to_be_focused()
    page.keyboard.type("how far does a pond cool the evening air")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hit.chosen")
    _tab_to(page, "#hit-2 .open")
    page.keyboard.press("Enter")
    page.wait_for_selector("#hit-2.chosen")
    _tab_to(page, ".copies summary")
    page.keyboard.press("Enter")
    _tab_to(page, ".texts button")
    page.keyboard.press("Enter")
    expect(page.locator("#told")).to_have_text(re.compile("^Copied"))
    page.keyboard.press("Escape")
    assert page.evaluate(f"{FOCUSED}.matches('.copies summary')")
    assert page.locator(".menu[open]").count() == 0


def test_filters_are_chosen_and_taken_away(page: Page) -> None:
    page.goto("/library?project=samples")
    page.keyboard.press("c")
    expect(page.locator("#told")).to_have_text("This view shows no page of a paper")
    _tab_to(page, ".filters summary")
    page.keyboard.press("Enter")
    _tab_to(page, ".panel .chip")
    page.keyboard.press("Enter")
    page.wait_for_selector(".filters .chip.on")
    page.wait_for_load_state("load")
    few = page.locator("tbody tr").count()
    _tab_to(page, ".filters .chip.on")
    page.keyboard.press("Enter")
    expect(page.locator(".chip.on")).to_have_count(0)
    page.wait_for_load_state("load")
    assert page.locator("tbody tr").count() > few


def test_a_dialog_holds_the_focus_and_gives_it_back(page: Page) -> None:
    page.goto("/library?project=samples")
    page.goto(page.locator("tbody th a").first.get_attribute("href") or "")
    _tab_to(page, "#remove-open")
    page.keyboard.press("Enter")
    assert page.evaluate(f"document.querySelector('#remove').contains({FOCUSED})")
    page.keyboard.press("Escape")
    expect(page.locator("#remove-open")).to_be_focused()
