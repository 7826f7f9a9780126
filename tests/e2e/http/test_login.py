"""Login in Chromium, and what pages of another port of the same host can do with it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from support.http_server import serving
from support.servers.foreign import foreign_pages
from support.world import World

TOKEN = "t" * 43
CHANGE = """async secret => (await fetch("/api/v1/chats", {method: "POST", body: "{}",
  headers: {"content-type": "application/json", "X-CiteLoom-Secret": secret}})).status"""
FOREIGN = """async address => {
  const asked = {credentials: "include"};
  const read = await fetch(`${address}/api/v1/projects`, asked).then(() => "read", () => "kept");
  const post = {...asked, method: "POST", mode: "no-cors", body: "{}"};
  await fetch(`${address}/api/v1/chats`, post).catch(() => null);
  return read;
}"""


@pytest.fixture
def neighbour() -> Iterator[str]:
    with foreign_pages() as address:
        yield address


def test_a_browser_logs_in_works_and_logs_out(
    browser: Browser, tmp_path: Path, neighbour: str
) -> None:
    with serving(World(tmp_path), token=TOKEN) as address:
        context = browser.new_context(base_url=address)
        page = context.new_page()
        page.set_default_timeout(8000)
        page.goto("/library?words=ponds")
        for token in ("wrong", TOKEN):
            page.get_by_label("Token of this server").fill(token)
            page.get_by_role("button", name="Log in").click()
            if token == "wrong":
                expect(page.get_by_role("alert")).to_contain_text("not the token")
        expect(page).to_have_url(f"{address}/library?words=ponds")
        secret = page.locator('meta[name="citeloom-secret"]').get_attribute("content")
        assert [page.evaluate(CHANGE, shown) for shown in ("no", secret)] == [403, 201]

        other = context.new_page()
        other.goto(neighbour)
        assert other.evaluate(FOREIGN, address) == "kept"
        counted = "async () => (await (await fetch('/api/v1/chats')).json()).chats.length"
        assert page.evaluate(counted) == 1

        page.get_by_role("link", name="Log out").click()
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_label("Token of this server")).to_be_focused()
        page.goto("/ask")
        expect(page.get_by_role("heading", name="Log in")).to_be_visible()
        context.close()
