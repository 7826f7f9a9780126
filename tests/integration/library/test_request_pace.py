"""How often, and how fast, Zotero's servers are asked."""

import pytest
from support.paths import cases
from support.zotero.account import articles
from support.zotero.api_double import Fault, ZoteroDouble

from citeloom.domain.errors import LibraryUnavailable
from citeloom.domain.library import LibraryScope
from citeloom.infrastructure.system.http_client import RetryPolicy

from .conftest import Open, Watch

ALL = LibraryScope()


def test_the_web_api_is_asked_twice_a_second_at_most(
    zotero: ZoteroDouble, opened: Open, watch: Watch
) -> None:
    zotero.user.put(*articles(250))
    opened("web", zotero).snapshot(ALL)
    asked = [target for target in zotero.seen if "better-bibtex" not in target]
    assert watch.waits == [0.5] * (len(asked) - 1)


def test_the_local_api_is_asked_without_a_pause(
    zotero: ZoteroDouble, opened: Open, watch: Watch
) -> None:
    zotero.user.put(*articles(250))
    opened("local", zotero).snapshot(ALL)
    assert not watch.waits


@pytest.mark.parametrize("status", [429, 503])
def test_whoever_asks_for_a_pause_gets_it(
    status: int, zotero: ZoteroDouble, opened: Open, watch: Watch
) -> None:
    zotero.user.put(*articles(1))
    zotero.faults = [Fault(only="/items", status=status, headers={"Retry-After": "7"})]
    assert opened("web", zotero).snapshot(ALL).complete
    assert [wait for wait in watch.waits if wait > 0.5] == [7]


def test_without_a_number_pauses_grow(zotero: ZoteroDouble, opened: Open, watch: Watch) -> None:
    zotero.user.put(*articles(1))
    zotero.faults = [Fault(only="/items", times=3, status=429)]
    with pytest.raises(LibraryUnavailable, match=r"429 .*\(3 attempts\)"):
        opened("web", zotero).snapshot(ALL)
    assert [wait for wait in watch.waits if wait > 0.5] == [1, 2]


def test_a_pause_that_is_too_long_ends_it_at_once(
    zotero: ZoteroDouble, opened: Open, watch: Watch
) -> None:
    zotero.faults = [Fault(only="/items", status=429, headers={"Retry-After": "3600"})]
    with pytest.raises(LibraryUnavailable, match="3600 s"):
        opened("web", zotero).snapshot(ALL)
    assert max(watch.waits) <= 0.5


def test_a_pause_asked_for_with_a_good_answer_is_kept(
    zotero: ZoteroDouble, opened: Open, watch: Watch
) -> None:
    zotero.user.put(*articles(250))
    zotero.faults = [Fault(only="/items", headers={"Backoff": "10"})]
    assert opened("web", zotero).snapshot(ALL).complete
    assert [wait for wait in watch.waits if wait > 0.5] == [10]
    zotero.faults = [Fault(only="/groups", headers={"Backoff": "900"})]
    with pytest.raises(LibraryUnavailable, match="it asked for a pause of 900 s"):
        opened("web", zotero).snapshot(ALL)


def test_the_numbers_of_the_reference() -> None:
    given = cases("zotero_sources")["web_rate_limit"]
    pace = RetryPolicy()
    assert (pace.attempts, pace.base, pace.longest) == (
        given["retries"], given["base_s"], given["max_s"],
    )  # fmt: skip
