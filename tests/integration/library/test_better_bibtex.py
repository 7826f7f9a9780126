"""Citation keys asked of Better BibTeX over JSON-RPC."""

import pytest
from support.paths import cases
from support.zotero.account import articles, key_of
from support.zotero.api_double import Fault, ZoteroDouble

from citeloom.domain.library import KeySource, LibraryKind, LibraryRef, LibraryScope
from citeloom.infrastructure.library.better_bibtex import PORTS, BetterBibTeX, addresses_beside
from citeloom.infrastructure.references.fields.plain_text import note_field
from citeloom.infrastructure.system.http_client import NotAnswered

from .conftest import Open

OWN = LibraryRef()
PONDS = LibraryRef(kind=LibraryKind.GROUP, id=7, name="Ponds")


def asking(zotero: ZoteroDouble) -> BetterBibTeX:
    return BetterBibTeX(addresses_beside(zotero.local_url), timeout=2)


def test_keys_of_her_own_library_and_of_groups(zotero: ZoteroDouble) -> None:
    zotero.group(3, "Lakes")
    zotero.group(7, "Ponds")
    zotero.citation_keys = {(1, "AAAAAAAA"): "smith:2020", (3, "AAAAAAAA"): "müller+2021/a"}
    keys = asking(zotero).keys({OWN: ["AAAAAAAA", "BBBBBBBB"], PONDS: ["AAAAAAAA"]})
    assert keys == {OWN: {"AAAAAAAA": "smith:2020"}, PONDS: {"AAAAAAAA": "müller+2021/a"}}


def test_many_keys_are_asked_for_in_batches(zotero: ZoteroDouble) -> None:
    wanted = [key_of(number) for number in range(1201)]
    zotero.citation_keys = {(1, key): f"k{key}" for key in wanted}
    assert asking(zotero).keys({OWN: wanted})[OWN] == {key: f"k{key}" for key in wanted}
    assert len(zotero.seen) == 1 + 3  # whether it is ready, then 500, 500 and 201


def test_groups_of_one_name_are_left_out(zotero: ZoteroDouble) -> None:
    zotero.group(7, "Ponds")
    zotero.group(8, "Ponds")
    zotero.citation_keys = {(2, "AAAAAAAA"): "a", (3, "AAAAAAAA"): "b"}
    assert asking(zotero).keys({PONDS: ["AAAAAAAA"]}) == {PONDS: {}}


@pytest.mark.parametrize(
    "fault",
    [{"status": 404}, {"cut": True}, {"garble": True}, {"status": 503}],
    ids=["not installed", "cut", "garbled", "503"],
)
def test_no_answer_is_told_as_such(fault: dict[str, object], zotero: ZoteroDouble) -> None:
    zotero.faults = [Fault(times=9, **fault)]
    with pytest.raises(NotAnswered):
        asking(zotero).keys({OWN: ["AAAAAAAA"]})


def test_another_that_answers_is_used(zotero: ZoteroDouble) -> None:
    zotero.citation_keys = {(1, "AAAAAAAA"): "a"}
    nobody = "http://127.0.0.1:9/better-bibtex/json-rpc"
    client = BetterBibTeX([nobody, *addresses_beside(zotero.local_url)], timeout=2)
    assert client.keys({OWN: ["AAAAAAAA"]}) == {OWN: {"AAAAAAAA": "a"}}


@pytest.mark.parametrize("kind", ["local", "web"])
def test_native_keys_go_first_then_better_bibtex_then_extra(
    kind: str, zotero: ZoteroDouble, opened: Open
) -> None:
    one, two, three, four = articles(4)
    zotero.user.put(
        one | {"citationKey": "native1", "extra": "Citation Key: extra1"},
        two | {"extra": "Citation Key: extra2"},
        three | {"extra": "PMID: 3\ncitation key: extra3"},
        four,
    )
    zotero.citation_keys = {(1, key_of(1)): "bbt1", (1, key_of(2)): "bbt2"}
    items = opened(kind, zotero).snapshot(LibraryScope()).items
    assert [(item.citation.citekey, item.key_source) for item in items] == [
        ("native1", KeySource.NATIVE),
        ("bbt2", KeySource.BETTER_BIBTEX),
        ("extra3", KeySource.EXTRA),
        ("smith2020Ponds", KeySource.GENERATED),
    ]


@pytest.mark.parametrize("kind", ["local", "web"])
def test_a_key_changed_there_changes_the_state(
    kind: str, zotero: ZoteroDouble, opened: Open
) -> None:
    zotero.user.put(*articles(1))
    zotero.group(7, "Ponds").put(*articles(1, start=9))
    zotero.citation_keys = {(1, key_of(1)): "first", (2, key_of(9)): "shared"}
    source = opened(kind, zotero)
    source.snapshot(LibraryScope(groups=("*",)))
    first = source.snapshot(LibraryScope())
    assert source.status().state == first.state
    zotero.citation_keys[1, key_of(1)] = "second"
    assert source.status().state != first.state
    second = source.snapshot(LibraryScope())
    assert second.items[0].citation.citekey == "second"
    assert second.items[0].digest != first.items[0].digest
    assert source.status().state == second.state


def test_without_it_a_notice_and_only_if_keys_are_missing(
    zotero: ZoteroDouble, opened: Open
) -> None:
    zotero.better_bibtex = False
    zotero.user.put(*(one | {"citationKey": "native"} for one in articles(1)))
    zotero.user.put(*(one | {"extra": "Citation Key: x"} for one in articles(1, start=2)))
    source = opened("local", zotero)
    assert not source.snapshot(LibraryScope()).warnings
    zotero.user.put(*articles(1, start=3))
    snapshot = source.snapshot(LibraryScope())
    assert snapshot.complete
    assert any(warning.startswith("Better BibTeX: ") for warning in snapshot.warnings)
    assert any(notice.startswith("Better BibTeX: ") for notice in source.status().notices)


@pytest.mark.parametrize("kind", ["local", "web"])
def test_keys_are_remembered_while_it_does_not_answer(
    kind: str, zotero: ZoteroDouble, opened: Open
) -> None:
    zotero.user.put(*articles(2))
    zotero.citation_keys = {(1, key_of(1)): "first", (1, key_of(2)): "second"}
    before = opened(kind, zotero).snapshot(LibraryScope())
    zotero.better_bibtex = False
    zotero.user.put(*articles(1, start=3))
    after = opened(kind, zotero).snapshot(LibraryScope())
    assert after.items[:2] == tuple(
        item.model_copy(update={"library": after.items[0].library}) for item in before.items
    )
    assert after.items[2].key_source is KeySource.GENERATED
    (notice,) = (warning for warning in after.warnings if warning.startswith("Better BibTeX"))
    assert "2 items keep" in notice
    assert "the keys of 1 are unknown" in notice
    zotero.better_bibtex = True
    zotero.citation_keys[1, key_of(1)] = "changed"
    again = opened(kind, zotero).snapshot(LibraryScope())
    assert again.items[0].citation.citekey == "changed"


def test_better_bibtex_is_asked_at_the_ports_of_zotero_and_juris_m() -> None:
    (beside,) = addresses_beside("http://127.0.0.1:4711/api")
    assert beside == "http://127.0.0.1:4711/better-bibtex/json-rpc"
    usual = addresses_beside("http://localhost:23119")
    assert [address.split(":")[2].partition("/")[0] for address in usual] == ["23119", "24119"]


def test_the_reference_says_the_same() -> None:
    given = cases("zotero_sources")["better_bibtex"]
    assert given["ports"] == PORTS
    assert given["endpoint_documented"] == addresses_beside("http://localhost:23119")[0]
    assert given["method"] == "item.citationkey"
    for row in given["fallback_cases"]:
        expected = row.get("key", row.get("ours", "").partition(" ")[0] or None)
        assert (note_field(row["extra"], "citation key") or None) == expected, row
