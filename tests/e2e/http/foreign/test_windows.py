"""What a page of somebody else does with frames, windows, sockets and names: nothing."""

from playwright.sync_api import BrowserContext, Page
from support.http_client import request
from support.servers.foreign import REBOUND, Attack
from support.servers.served import Served

FRAME = """url => new Promise(tell => {
  const frame = document.createElement("iframe");
  frame.src = url;
  frame.onload = () => tell(true);
  document.body.append(frame);
})"""
# What can be known of a window: whether it is in reach once it has loaded, and what it says.
OPEN = """url => new Promise(tell => {
  const heard = [];
  addEventListener("message", message => heard.push(message.data));
  const opened = open(url);
  let looks = 500;
  const look = setInterval(() => {
    if (!opened.closed && heard.length === 0 && looks-- > 0) return;
    clearInterval(look);
    tell(opened.closed && heard.length === 0 ? "out of reach" : "in reach");
  }, 20);
})"""
SOCKET = """url => new Promise(tell => {
  const socket = new WebSocket(url.replace("http", "ws"));
  socket.onopen = () => tell(true);
  socket.onerror = () => tell(false);
})"""
ASK = """async () => {
  const answers = await Promise.all(["/api/v1/projects", "/library?project=samples", "/mcp"].map(
    path => fetch(path, {headers: {"X-CiteLoom-Secret": "x"}})));
  return Promise.all(answers.map(async answer => [answer.status, await answer.text()]));
}"""


def _framed(page: Page, url: str) -> str:
    """What a frame with ``url`` shows."""
    with page.expect_event(
        "framenavigated", lambda frame: frame.url not in ("", "about:blank")
    ) as told:
        page.evaluate(FRAME, url)
    shown: str = told.value.url
    return shown


def test_it_frames_no_page(attack: Attack) -> None:
    for path in ("/library?project=samples", "/login", "/api/v1/projects"):
        assert _framed(attack.foreign, attack.url(path)) == "chrome-error://chromewebdata/", path
    assert _framed(attack.foreign, attack.foreign.url) == attack.foreign.url


def test_a_window_that_it_opens_is_out_of_its_reach(attack: Attack) -> None:
    """Which is to say that a link to the page works, and that the page knows of no opener."""
    with attack.foreign.context.expect_page() as opened:
        told = attack.foreign.evaluate(OPEN, attack.url("/library?project=samples"))
    page = opened.value
    assert told == "out of reach"
    assert page.locator("tbody tr").count() > 0
    assert page.evaluate("opener") is None


def test_it_opens_no_socket(attack: Attack) -> None:
    for path in ("/", "/api/v1/projects", "/mcp"):
        assert not attack.foreign.evaluate(SOCKET, attack.url(path))


def test_a_name_that_leads_here_later_reads_nothing(
    context: BrowserContext, server: Served
) -> None:
    """DNS rebinding: the page came from the attacker, its name now leads to this server, and for
    the browser both are one origin."""
    address = server.url.replace("127.0.0.1", REBOUND)
    page = context.new_page()
    answer = page.goto(f"{address}/evil")
    assert answer is not None
    assert answer.status == 421
    for status, text in page.evaluate(ASK):
        assert status == 421
        assert "local/samples" not in text
        assert REBOUND in text
    page.goto(f"{address}/library?project=samples")
    assert page.locator("tbody").count() == 0
    shown = {**server.told, "host": f"{REBOUND}:80"}
    assert request("POST", f"{server.url}/api/v1/chats", json={}, headers=shown).status_code == 421
