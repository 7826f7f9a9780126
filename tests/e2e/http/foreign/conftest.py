"""A served library, and a foreign page in the same browser: at another port of this machine, which
shares the cookies of the server, or at a site of its own. Without and with a login."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page
from support.http_server import serving_application
from support.in_process import without_processes
from support.once import copied
from support.servers.foreign import EVIL, Attack, Served, foreign_pages

from citeloom.infrastructure.composition.application import open_application

PORT, SITE = "another port", "another site"
LOGIN, SECRET = "t" * 43, "s" * 43


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(("", SITE), id="loopback-another site"),
        pytest.param((LOGIN, PORT), id="login-another port"),
        pytest.param(("", PORT), id="loopback-another port", marks=pytest.mark.server),
        pytest.param((LOGIN, SITE), id="login-another site", marks=pytest.mark.server),
    ],
)
def setting(request: pytest.FixtureRequest) -> tuple[str, str]:
    """The token of the server, and where the foreign page is."""
    token, place = request.param
    return token, place


@pytest.fixture(scope="module")
def server(
    setting: tuple[str, str], samples: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    folder, token = tmp_path_factory.mktemp("foreign") / "workspace", setting[0]
    copied(samples, folder)
    shown = {"authorization": f"Bearer {token}"} if token else {"X-CiteLoom-Secret": SECRET}
    secret = None if token else SECRET
    with (
        without_processes(),
        closing(open_application(folder)) as application,
        serving_application(application, token, secret) as url,
    ):
        yield Served(url, token, shown)


@pytest.fixture(scope="module")
def job(server: Served) -> str:
    return server.finished_job()


@contextmanager
def _working(browser: Browser, server: Served) -> Iterator[BrowserContext]:
    context = browser.new_context()
    context.set_default_timeout(20_000)
    if server.token:
        form = {"token": server.token, "next": "/library"}
        answer = context.request.post(f"{server.url}/login", form=form)
        assert answer.url.endswith("/library")
    yield context
    context.close()


@pytest.fixture
def context(browser: Browser, server: Served) -> Iterator[BrowserContext]:
    """A browser in which somebody works, logged in where that is needed."""
    with _working(browser, server) as context:
        yield context


@pytest.fixture(scope="module")
def tabs(
    setting: tuple[str, str], browser: Browser, server: Served
) -> Iterator[tuple[Page, Page, str]]:
    """A page of the library, an empty one, and where the foreign page is."""
    with _working(browser, server) as context, foreign_pages() as url:
        own = context.new_page()
        own.goto(f"{server.url}/library?project=samples")
        assert own.locator("tbody tr").count() > 0
        place = url if setting[1] == PORT else url.replace("127.0.0.1", EVIL)
        yield own, context.new_page(), place


@pytest.fixture
def attack(server: Served, tabs: tuple[Page, Page, str]) -> Iterator[Attack]:
    own, foreign, place = tabs
    foreign.goto(place)
    yield Attack(server, own, foreign)
    for page in own.context.pages:
        if page not in (own, foreign):
            page.close()
