"""What a page of somebody else, open in the same browser, reads and changes by requests, and does
with frames, windows, sockets and names: nothing.

Each attack is tried by a page of the server as well, where it succeeds: what fails is kept from
the foreign page, not broken.
"""

from typing import Any

from playwright.sync_api import BrowserContext, Page
from support.http_client import request
from support.servers.foreign import REBOUND, Attack, Served

READ = """async url => {
  const tried = [{}, {credentials: "include"}, {mode: "no-cors", credentials: "include"}];
  const found = await Promise.all(tried.map(how => fetch(url, how).then(
    async answer => (await answer.text()).length > 0, () => false)));
  return found.some(read => read);
}"""
LISTEN = """url => new Promise(tell => {
  const events = new EventSource(url, {withCredentials: true});
  const end = heard => { events.close(); tell(heard); };
  for (const name of ["progress", "done"]) events.addEventListener(name, () => end(true));
  events.onerror = () => end(false);
})"""
EMBED = """([tag, url]) => new Promise(tell => {
  const made = document.createElement(tag);
  made.onload = () => tell(true);
  made.onerror = () => tell(false);
  if (tag === "link") { made.rel = "stylesheet"; made.href = url; } else { made.src = url; }
  document.head.append(made);
})"""
SEND = """async ([url, how]) => {
  const told = {credentials: "include", ...how};
  return fetch(url, told).then(answer => answer.type === "opaque" ? "sent" : "read", () => "kept");
}"""
FORM = """([url, encoding, name, value]) => {
  const form = document.createElement("form");
  Object.assign(form, {method: "post", action: url, enctype: encoding});
  const field = document.createElement("input");
  Object.assign(field, {name, value});
  form.append(field);
  document.body.append(form);
  form.submit();
}"""


def test_it_reads_nothing(attack: Attack) -> None:
    for path in ("/api/v1/projects", "/library?project=samples", "/static/reader.js"):
        url = attack.url(path)
        assert attack.own.evaluate(READ, url)
        assert not attack.foreign.evaluate(READ, url), path


def test_it_hears_no_events(attack: Attack, job: str) -> None:
    url = attack.url(f"/api/v1/jobs/{job}/events")
    assert attack.own.evaluate(LISTEN, url)
    assert not attack.foreign.evaluate(LISTEN, url)


def test_it_embeds_no_picture_script_or_style(attack: Attack) -> None:
    picture = attack.own.locator("tbody th a").first.get_attribute("href") or ""
    document = picture.partition("document=")[2].partition("&")[0]
    for tag, path in {
        "img": f"/api/v1/documents/{document}/pages/1.png?project=samples",
        "script": "/static/basket.js",
        "link": "/static/site.css",
    }.items():
        assert attack.own.evaluate(EMBED, [tag, attack.url(path)]), path
        assert not attack.foreign.evaluate(EMBED, [tag, attack.url(path)]), path
    json = attack.url("/api/v1/projects")
    assert not attack.foreign.evaluate(EMBED, ["script", json])


CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    "a plain request": ("/chats", {"method": "POST", "mode": "no-cors", "body": "{}"}),
    "JSON": (
        "/chats",
        {"method": "POST", "body": "{}", "headers": {"content-type": "application/json"}},
    ),
    "a made-up secret": ("/chats", {"method": "POST", "headers": {"X-CiteLoom-Secret": "x"}}),
    "PUT": ("/preferences", {"method": "PUT", "body": '{"systemInstructions": "obey"}'}),
    "DELETE": ("/projects/local/samples", {"method": "DELETE"}),
    "an upload": ("/projects/local/evil/uploads/a.md", {"method": "PUT", "body": "# Evil"}),
}


def test_it_changes_nothing(attack: Attack) -> None:
    before = attack.state
    for name, (path, how) in CHANGES.items():
        told = attack.foreign.evaluate(SEND, [attack.url(f"/api/v1{path}"), how])
        assert told in ("kept", "sent"), name
    assert attack.state == before


def test_it_changes_nothing_even_with_the_secret(attack: Attack) -> None:
    """The secret that it cannot read; of a page of our own it is enough."""
    secret = attack.own.locator('meta[name="citeloom-secret"]').get_attribute("content")
    headers = {"X-CiteLoom-Secret": secret, "content-type": "application/json"}
    send = [attack.url("/api/v1/chats"), {"method": "POST", "body": "{}", "headers": headers}]
    before = attack.state
    assert attack.foreign.evaluate(SEND, send) == "kept"
    assert attack.state == before
    assert attack.own.evaluate(SEND, send) == "read"
    assert attack.state != before


def _send_form(page: Page, url: str, *form: str) -> int:
    """The status of the answer, which the tab shows; then the page is there again."""
    here = page.url
    with page.expect_navigation() as told:
        page.evaluate(FORM, [url, *form])
    page.goto(here)
    return told.value.status


def test_its_forms_change_nothing_and_log_nobody_out(attack: Attack) -> None:
    before = attack.state
    # One field of text/plain is JSON: its name and its value around the sign `=`.
    for path in ("/api/v1/chats", "/mcp"):
        field = ("text/plain", '{"title": "', '"}')
        assert _send_form(attack.foreign, attack.url(path), *field) == 403
    log_out = ("application/x-www-form-urlencoded", "a", "b")
    assert _send_form(attack.foreign, attack.url("/logout"), *log_out) == 403
    assert attack.state == before
    attack.own.reload()
    assert attack.own.locator("tbody tr").count() > 0


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
