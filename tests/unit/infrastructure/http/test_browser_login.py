"""Cookies of logged-in browsers, and where a login leads."""

from urllib.parse import urljoin, urlsplit

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.infrastructure.http.browser_login import (
    SECONDS,
    SessionCookies,
    own_path,
    write_secret,
)

TOKEN, OTHER = "t" * 43, "o" * 43
# One for all examples: each cookie is another.
COOKIE = SessionCookies(TOKEN, lambda: 0).new()


def test_a_cookie_is_valid_for_a_week() -> None:
    now = [1000.0]
    cookies = SessionCookies(TOKEN, lambda: now[0])
    value = cookies.new()
    assert cookies.is_valid(value)
    now[0] += SECONDS - 1
    assert cookies.is_valid(value)
    now[0] += 1
    assert not cookies.is_valid(value)


def test_every_process_with_the_token_knows_a_cookie_and_none_with_another() -> None:
    value = SessionCookies(TOKEN, lambda: 0).new()
    assert SessionCookies(TOKEN, lambda: 1).is_valid(value)
    assert not SessionCookies(OTHER, lambda: 1).is_valid(value)


def test_neither_cookie_nor_secret_tells_the_token_or_the_other() -> None:
    value = SessionCookies(TOKEN, lambda: 0).new()
    assert TOKEN not in value
    assert write_secret(TOKEN) not in value
    assert write_secret(TOKEN) != write_secret(OTHER)


@given(st.data())
def test_no_changed_cookie_is_valid(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(COOKIE) - 1))
    put = data.draw(st.sampled_from("0123456789abcdefXYZ._- ü").filter(lambda c: c != COOKIE[at]))
    changed = COOKIE[:at] + put + COOKIE[at + 1 :]
    assert not SessionCookies(TOKEN, lambda: 0).is_valid(changed)


@given(st.text())
def test_no_text_is_a_cookie(text: str) -> None:
    assert not SessionCookies(TOKEN, lambda: 0).is_valid(text)


@each(
    "wanted",
    ["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "",
     "\\\\evil.example", "/a\r\nSet-Cookie: a=b", "/\tevil", " /ask", "ask"],
)  # fmt: skip
def test_a_login_leads_nowhere_else(wanted: str) -> None:
    assert own_path(wanted) == "/"


@given(st.text(alphabet="/\\.:@?#%aevil \t\r\n"))
def test_a_login_stays_at_this_server(wanted: str) -> None:
    found = own_path(wanted)
    # As browsers read it: backslashes are slashes; tabs and line ends are left out.
    read = found.replace("\\", "/").translate({9: None, 10: None, 13: None})
    there = urlsplit(urljoin("http://papers.example/login", read))
    assert (there.scheme, there.netloc) == ("http", "papers.example")


def test_a_page_is_found_again() -> None:
    assert own_path("/ask?project=a&q=%C3%BC+b") == "/ask?project=a&q=%C3%BC+b"
