"""Login of browsers with the server's token, by a cookie."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs, quote

import anyio
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from citeloom.infrastructure.serving.http import (
    ANYBODY,
    BrowserSessions,
    Caller,
    Failures,
    Interceptor,
    Sleep,
    client_address,
    is_token,
    let_in,
)

from .page.views import rendered as page
from .problems import problem_response

COOKIE: Final = "citeloom_session"
LOGIN: Final = "/login"
LOGOUT: Final = "/logout"
#: How long a login lasts.
SECONDS: Final = 7 * 24 * 3600
_STATIC: Final = "/static/"
_MOST_BYTES: Final = 4096
_SESSION: Final = re.compile(r"([0-9]{1,12})\.([A-Za-z0-9_-]{22})\.([0-9a-f]{64})")
# Browsers read a backslash as a slash, and two slashes as another host.
_OWN_PATH: Final = re.compile(r"/(?![/\\])[!-~]*")
_WRONG: Final = "This is not the token of this server."
_WAIT: Final = "Too many wrong tokens came from this address; wait a minute, then try again."


class SessionCookies:
    """Values of the cookie, signed with a key made from the token: every process of the server
    knows them, none is stored, and a new token ends them all. ``now``: seconds since 1970."""

    def __init__(self, token: str, now: Callable[[], float]) -> None:
        self._key = _derived(token, "session")
        self._now = now

    def new(self) -> str:
        told = f"{int(self._now()) + SECONDS}.{secrets.token_urlsafe(16)}"
        return f"{told}.{self._signed(told)}"

    def is_valid(self, value: str) -> bool:
        found = _SESSION.fullmatch(value)
        if found is None:
            return False
        signed = self._signed(f"{found[1]}.{found[2]}")
        return hmac.compare_digest(signed, found[3]) and self._now() < int(found[1])

    def _signed(self, told: str) -> str:
        return hmac.new(self._key, told.encode(), hashlib.sha256).hexdigest()


class TokenSessions:
    """Browser sessions of a server with one token."""

    def __init__(self, token: str, now: Callable[[], float]) -> None:
        self._token = token
        self._cookies = SessionCookies(token, now)

    async def begin(self, token: str) -> str | None:
        return self._cookies.new() if is_token(token, self._token) else None

    async def caller(self, cookie: str) -> Caller | None:
        return ANYBODY if self._cookies.is_valid(cookie) else None


@dataclass(eq=False)
class BrowserLogin(Interceptor):
    """An ASGI application before another, for requests without the header ``Authorization``. Those
    with a valid cookie go on; a browser that opens a page is sent to the form of the login."""

    sessions: BrowserSessions
    failures: Failures
    sleep: Sleep = anyio.sleep

    async def answer(self, request: Request) -> Response | None:
        path: str = request.scope["path"]
        asked = (request.method, path)
        if asked == ("POST", LOGIN):
            return await self._login(request)
        if asked == ("POST", LOGOUT):
            # Pictures of pages and drafts are no longer to be found in this browser.
            return _to(LOGIN, _cookie(request, "", 0), {"Clear-Site-Data": '"cache"'})
        caller = await self.sessions.caller(request.cookies.get(COOKIE, ""))
        is_known = caller is not None
        if asked == ("GET", LOGIN):
            following = request.query_params.get("next")
            if is_known and following is not None:
                return _to(own_path(following))
            return _form(own_path(following or "/"), is_known=is_known)
        if caller is not None or path.startswith(_STATIC):
            let_in(request.scope, caller or ANYBODY)
            return None
        if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
            asked_for = path + (f"?{request.url.query}" if request.url.query else "")
            return _to(f"{LOGIN}?next={quote(asked_for, safe='/')}")
        return _token_needed(request)

    async def _login(self, request: Request) -> Response:
        form = await _read(request)
        following = own_path(form.get("next", "/"))
        client = client_address(request.scope)
        if self.failures.is_full(client):
            return _form(following, 429, _WAIT, {"Retry-After": "60"})
        cookie = await self.sessions.begin(form.get("token", "").strip())
        if cookie is not None:
            return _to(following, _cookie(request, cookie, SECONDS))
        try:
            await self.sleep(self.failures.begin(client))
        finally:
            self.failures.end(client)
        return _form(following, 401, _WRONG)


def write_secret(token: str) -> str:
    """The secret that pages of a server with ``token`` send with changes."""
    return _derived(token, "changes").hex()


def own_path(wanted: str) -> str:
    """``wanted`` where it is a path of this server, else its first page."""
    return wanted if _OWN_PATH.fullmatch(wanted) else "/"


def _derived(token: str, purpose: str) -> bytes:
    return hmac.new(token.encode(), f"citeloom {purpose}".encode(), hashlib.sha256).digest()


async def _read(request: Request) -> dict[str, str]:
    """The fields of a form; none if it is too long or incomplete."""
    body = b""
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > _MOST_BYTES:
                return {}
    except ClientDisconnect:
        return {}
    return {name: values[0] for name, values in parse_qs(body.decode("ascii", "replace")).items()}


def _cookie(request: Request, value: str, seconds: int) -> str:
    """``Lax``, as links of other sites open pages, which change nothing. A proxy reports TLS; of
    several the first, which the browser asked."""
    told_scheme = request.headers.get("x-forwarded-proto", "").partition(",")[0].strip().lower()
    is_secure = "https" in (told_scheme, request.url.scheme)
    told = f"{COOKIE}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax"
    return f"{told}; Secure" if is_secure else told


def _to(path: str, cookie: str = "", headers: dict[str, str] | None = None) -> Response:
    told = {"Set-Cookie": cookie} if cookie else {}
    return RedirectResponse(path, 303, told | (headers or {}))


def _form(
    following: str,
    status: int = 200,
    error: str = "",
    headers: dict[str, str] | None = None,
    *,
    is_known: bool = False,
) -> Response:
    response = page("login", status, following=following, error=error, is_known=is_known)
    # Without it browsers tell no origin when they send the form.
    response.headers.update({"Referrer-Policy": "same-origin", **(headers or {})})
    return response


def _token_needed(request: Request) -> Response:
    """RFC 6750, section 3: no error if no token was sent."""
    headers = {"WWW-Authenticate": 'Bearer realm="citeloom"'}
    if request.url.path.startswith("/api/"):
        detail = "this server needs its token: send the header `Authorization: Bearer TOKEN`"
        return problem_response(request, 401, "TOKEN_NEEDED", detail, headers=headers)
    detail = f"this server needs its token: log in at {LOGIN}, or send the header "
    return PlainTextResponse(f"{detail}`Authorization: Bearer TOKEN`\n", 401, headers)
