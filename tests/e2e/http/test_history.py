"""Questions that are kept: asked again, named, rated, deleted and restored, in Chromium."""

from playwright.sync_api import Page, expect

QUESTION = "does spaced re-reading help recall after two weeks"
ASK = f"/ask?project=samples&q={QUESTION.replace(' ', '+')}"


def test_asking_records_nothing_until_the_question_is_kept(page: Page) -> None:
    counted = "async () => (await (await fetch('/api/v1/chats')).json()).total"
    page.goto(ASK)
    before = page.evaluate(counted)
    page.reload()
    assert page.evaluate(counted) == before
    passages = page.locator(".hit").count()

    page.get_by_role("button", name="Keep in history").click()
    page.get_by_role("link", name="Kept in history").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(QUESTION)
    page.wait_for_load_state("load")
    assert page.locator(".hit").count() == passages
    page.keyboard.press("j")
    page.wait_for_selector("#passage-2.chosen")
    page.wait_for_selector(".marks rect")
    assert page.evaluate(counted) == before + 1

    page.goto("/ask?project=samples")
    page.get_by_role("link", name=QUESTION).first.click()
    page.get_by_role("link", name="ask again").click()
    expect(page.locator("#question")).to_have_value(QUESTION)


def test_a_chat_is_named_asked_in_rated_deleted_and_restored(page: Page) -> None:
    page.goto(ASK)
    page.get_by_role("button", name="Keep in history").click()
    page.get_by_role("link", name="Kept in history").click()
    page.get_by_text("Rename or delete").click()
    page.get_by_label("Name", exact=True).fill("Recall & re-reading")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Recall & re-reading")

    page.locator("#question").fill("how far does a pond cool the evening air")
    page.get_by_role("button", name="Ask and keep").click()
    expect(page.locator(".feedback")).to_have_count(2)
    first = page.locator(".feedback").first
    first.get_by_label("Comment (optional)").fill("to the point")
    first.get_by_role("button", name="Yes").click()
    expect(first.get_by_role("status")).not_to_be_empty()
    page.reload()
    expect(page.locator("article").first).to_contain_text("positive · to the point")

    page.get_by_text("Rename or delete").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.wait_for_url("**/history")
    expect(page.locator(".kept").get_by_text("Recall & re-reading")).to_have_count(0)
    page.get_by_text("Deleted (").click()
    page.get_by_role("button", name="Restore: Recall & re-reading").first.click()
    expect(page.locator(".kept")).to_contain_text("Recall & re-reading")
    expect(page.locator(".kept")).to_contain_text("2 questions · samples")
