"""Zotero on the loopback, and sources of it that wait for nothing."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.zotero.api_double import API_KEY, ZoteroDouble

from citeloom.infrastructure.library.api import ApiAccess, ZoteroApi, ZoteroLocalApi, ZoteroWebApi
from citeloom.infrastructure.library.better_bibtex import BetterBibTeX, addresses_beside
from citeloom.infrastructure.system.http_client import ClientClock


class Watch:
    """Time that passes only where somebody waits; ``waits`` are the pauses, in seconds."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    @property
    def time(self) -> ClientClock:
        return ClientClock(monotonic=lambda: self.now, sleep=self.sleep, jitter=lambda: 1.0)


@pytest.fixture
def zotero() -> Iterator[ZoteroDouble]:
    with ZoteroDouble() as double:
        yield double


@pytest.fixture
def watch() -> Watch:
    return Watch()


Open = Callable[..., ZoteroApi]


@pytest.fixture
def opened(tmp_path: Path, watch: Watch) -> Iterator[Open]:
    """``opened("web", double)``: a source of its own each time, with the same folder."""
    sources: list[ZoteroApi] = []

    def of(
        kind: str,
        double: ZoteroDouble,
        *,
        timeout: float = 5.0,
        folder: Path = tmp_path / "zotero",
        **more: object,
    ) -> ZoteroApi:
        rpc = BetterBibTeX(addresses_beside(double.local_url), timeout=timeout, clock=watch.time)
        access = ApiAccess(folder, rpc, timeout, watch.time)
        if kind == "local":
            source: ZoteroApi = ZoteroLocalApi(access, double.local_url)
        else:
            given = {"api_key": API_KEY, "place": double.web_url} | more
            source = ZoteroWebApi(access, **given)
        sources.append(source)
        return source

    yield of
    for source in sources:
        source.close()
