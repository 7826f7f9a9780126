"""Libraries read page by page: whole, at one version, or said not to be."""

import pytest
from support.zotero.account import articles, attachment, key_of
from support.zotero.api_double import API_KEY, Fault, ZoteroDouble

from citeloom.domain.errors import InvalidRequest, LibraryUnavailable
from citeloom.domain.library import LibraryKind, LibraryScope

from .conftest import Open, Watch

ALL = LibraryScope()
BOTH = pytest.mark.parametrize("kind", ["local", "web"])
ITEMS = "/items?"


def keys(first: int, last: int) -> set[str]:
    return {key_of(number) for number in range(first, last + 1)}


@BOTH
def test_each_page_of_a_library_is_read(kind: str, zotero: ZoteroDouble, opened: Open) -> None:
    zotero.user.put(*articles(250))
    snapshot = opened(kind, zotero).snapshot(ALL)
    assert snapshot.complete
    assert {item.key for item in snapshot.items} == keys(1, 250)
    assert len(zotero.requests(ITEMS)) == (3 if kind == "web" else 1)
    assert snapshot.libraries[0].version == zotero.user.version


@BOTH
def test_the_key_goes_to_the_web_api_only(kind: str, zotero: ZoteroDouble, opened: Open) -> None:
    zotero.user.put(*articles(1))
    opened(kind, zotero).snapshot(ALL)
    pairs = zip(zotero.headers, zotero.seen, strict=True)
    asked = [headers for headers, target in pairs if "better-bibtex" not in target]
    sent = {headers.get("authorization") for headers in asked}
    assert sent == ({None} if kind == "local" else {f"Bearer {API_KEY}"})
    assert {headers["zotero-api-version"] for headers in asked} == {"3"}
    assert not any(API_KEY in target for target in zotero.seen)


@BOTH
def test_groups_are_read_where_they_are_meant(
    kind: str, zotero: ZoteroDouble, opened: Open
) -> None:
    zotero.user.put(*articles(2))
    zotero.group(7, "Ponds").put(*articles(3, start=50))
    source = opened(kind, zotero)
    assert {item.key for item in source.snapshot(ALL).items} == keys(1, 2)
    group = source.snapshot(LibraryScope(groups=("ponds",), user=False))
    assert {item.key for item in group.items} == keys(50, 52)
    assert [(one.kind, one.id, one.name) for one in group.libraries] == [
        (LibraryKind.GROUP, 7, "Ponds")
    ]
    both = source.snapshot(LibraryScope(groups=("*",)))
    assert {item.key for item in both.items} == keys(1, 2) | keys(50, 52)
    with pytest.raises(InvalidRequest, match="Ponds"):
        source.snapshot(LibraryScope(groups=("Lakes",)))


@BOTH
def test_what_is_in_the_bin_is_not_there(kind: str, zotero: ZoteroDouble, opened: Open) -> None:
    zotero.user.put(*articles(3), attachment("PDFAAAAA", key_of(2), "a.pdf"))
    zotero.user.trash(key_of(2))
    snapshot = opened(kind, zotero).snapshot(ALL)
    assert {item.key for item in snapshot.items} == {key_of(1), key_of(3)}
    assert not snapshot.attachments
    assert snapshot.complete
    assert not [warning for warning in snapshot.warnings if "citation key" not in warning]


@BOTH
def test_a_status_counts_without_reading(kind: str, zotero: ZoteroDouble, opened: Open) -> None:
    note = {"key": "NTEAAAAA", "itemType": "note", "note": "<p>Mud</p>"}
    zotero.user.put(*articles(120), attachment("PDFAAAAA", key_of(2), "a.pdf"), note)
    zotero.group(7, "Ponds").put(*articles(3, start=200))
    source = opened(kind, zotero)
    status = source.status()
    assert (status.items, status.attachments, status.notes, status.annotations) == (123, 1, 1, 0)
    assert [library.name for library in status.libraries] == ["My Library", "Ponds"]
    assert all("limit=1&" in target for target in zotero.requests(ITEMS))
    assert source.snapshot(ALL).state == status.state
    assert source.snapshot(LibraryScope(groups=("*",))).state == status.state
    again = source.status()
    assert again == status
    zotero.groups[7].change(key_of(200), title="Lakes")
    assert source.status().state != status.state


@BOTH
def test_a_library_that_changes_between_pages_is_read_once_more(
    kind: str, zotero: ZoteroDouble, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citeloom.infrastructure.library.api._LOCAL_PAGE", 100)
    zotero.user.put(*articles(250))
    zotero.faults = [Fault(only=ITEMS, skip=1, then=lambda: zotero.user.put(*articles(1, 251)))]
    snapshot = opened(kind, zotero).snapshot(ALL)
    assert snapshot.complete
    assert {item.key for item in snapshot.items} == keys(1, 251)


@BOTH
def test_one_that_changes_each_time_is_not_called_whole(
    kind: str, zotero: ZoteroDouble, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citeloom.infrastructure.library.api._LOCAL_PAGE", 100)
    zotero.user.put(*articles(250))
    numbers = iter(range(1000, 2000))
    zotero.faults = [
        Fault(only=ITEMS, times=50, then=lambda: zotero.user.put(*articles(1, next(numbers))))
    ]
    snapshot = opened(kind, zotero).snapshot(ALL)
    assert not snapshot.complete
    assert snapshot.items
    assert any("changed while it was read" in warning for warning in snapshot.warnings)


@pytest.mark.parametrize(
    "fault",
    [
        {"cut": True},
        {"garble": True},
        {"status": 500},
        {"status": 503, "headers": {"Retry-After": "2"}},
        {"status": 429, "headers": {"Retry-After": "3"}},
        {"status": 429},
    ],
    ids=["cut", "garbled", "500", "503", "429 with Retry-After", "429"],
)
@BOTH
def test_a_page_that_fails_twice_is_asked_for_again(
    kind: str, fault: dict[str, object], zotero: ZoteroDouble, opened: Open
) -> None:
    zotero.user.put(*articles(150))
    zotero.faults = [Fault(only=ITEMS, skip=kind == "web", times=2, **fault)]
    snapshot = opened(kind, zotero).snapshot(ALL)
    assert snapshot.complete
    assert {item.key for item in snapshot.items} == keys(1, 150)
    assert not zotero.faults


@pytest.mark.parametrize(
    "fault",
    [{"cut": True}, {"garble": True}, {"status": 503}, {"status": 403}, {"status": 404}],
    ids=["cut", "garbled", "503", "403", "404"],
)
def test_a_page_that_stays_away_leaves_the_library_incomplete(
    fault: dict[str, object], zotero: ZoteroDouble, opened: Open
) -> None:
    zotero.user.put(*articles(150))
    zotero.faults = [Fault(only=ITEMS, skip=1, times=100, **fault)]
    source = opened("web", zotero)
    snapshot = source.snapshot(ALL)
    assert not snapshot.complete
    assert len(snapshot.items) == 100
    assert any("page 2" in warning for warning in snapshot.warnings)
    zotero.faults = []
    whole = source.snapshot(ALL)
    assert whole.complete
    assert len(whole.items) == 150
    assert whole.state != snapshot.state


@pytest.mark.parametrize(
    ("fault", "come"),
    [({"shorten": 20}, 130), ({"total": 170}, 150), ({"total": 120}, 150)],
    ids=["last objects missing", "total too large", "total too small"],
)
def test_pages_that_do_not_add_up_are_no_whole_library(
    fault: dict[str, int], come: int, zotero: ZoteroDouble, opened: Open
) -> None:
    zotero.user.put(*articles(150))
    only = "start=1" if "shorten" in fault else ITEMS
    zotero.faults = [Fault(only=only, times=100, **fault)]
    snapshot = opened("web", zotero).snapshot(ALL)
    assert not snapshot.complete
    assert len(snapshot.items) == come
    assert any("where it had said" in warning for warning in snapshot.warnings)


@BOTH
@pytest.mark.parametrize("part", ["/collections?", ITEMS])
def test_a_library_of_which_nothing_comes_is_an_error(
    kind: str, part: str, zotero: ZoteroDouble, opened: Open
) -> None:
    zotero.user.put(*articles(3))
    zotero.faults = [Fault(only=part, times=100, status=503)]
    if part == ITEMS:
        with pytest.raises(LibraryUnavailable, match=r"503 .*\(3 attempts\)"):
            opened(kind, zotero).snapshot(ALL)
    else:
        snapshot = opened(kind, zotero).snapshot(ALL)
        assert not snapshot.complete
        assert any("collections" in warning for warning in snapshot.warnings)


@BOTH
def test_one_library_of_two_that_fails_is_told(
    kind: str, zotero: ZoteroDouble, opened: Open
) -> None:
    zotero.user.put(*articles(3))
    zotero.group(7, "Ponds").put(*articles(3, start=50))
    zotero.faults = [Fault(only="groups/7/items", times=100, status=404)]
    snapshot = opened(kind, zotero).snapshot(LibraryScope(groups=("*",)))
    assert not snapshot.complete
    assert {item.key for item in snapshot.items} == keys(1, 3)
    assert any("Ponds" in warning and "404" in warning for warning in snapshot.warnings)


def test_a_key_for_a_group_alone_reads_that(zotero: ZoteroDouble, opened: Open) -> None:
    zotero.user.put(*articles(3))
    zotero.group(7, "Ponds").put(*articles(2, start=50))
    zotero.faults = [Fault(only="users/475425/items", times=100, status=403)]
    source = opened("web", zotero)
    group = source.snapshot(LibraryScope(groups=("Ponds",), user=False))
    assert (group.complete, len(group.items)) == (True, 2)
    status = source.status()
    assert (status.items, status.state) == (2, group.state)
    assert any("My Library" in notice for notice in status.notices)
    with pytest.raises(LibraryUnavailable, match="what the key may read"):
        source.snapshot(ALL)


@pytest.mark.parametrize(
    "body",
    ["[]", "{}", "null", '[{"key": "AAAAAAAA"}]', "[1]", '[{"key":"A","data":[],"version":1}]'],
)
def test_an_answer_that_is_not_of_zoteros_api_is_an_error(
    body: str, zotero: ZoteroDouble, opened: Open
) -> None:
    zotero.user.put(*articles(3))
    zotero.faults = [Fault(only="/items?limit=100", times=100, body=body)]
    try:
        snapshot = opened("web", zotero).snapshot(ALL)
    except LibraryUnavailable:
        return
    assert not snapshot.complete


@BOTH
def test_a_collection_that_did_not_come_is_not_called_missing(
    kind: str, zotero: ZoteroDouble, opened: Open
) -> None:
    zotero.user.put(*articles(3))
    zotero.user.put_collections({"key": "CCCCCCCC", "name": "Thesis", "parentCollection": False})
    scope = LibraryScope(collections=("Thesis",))
    zotero.faults = [Fault(only="/collections", times=100, status=503)]
    with pytest.raises(LibraryUnavailable):
        opened(kind, zotero).snapshot(scope)
    zotero.faults = []
    assert opened(kind, zotero).snapshot(scope).complete


@BOTH
def test_silence_ends_after_the_time_set(kind: str, zotero: ZoteroDouble, opened: Open) -> None:
    zotero.faults = [Fault(times=100, seconds=0.3)]
    with pytest.raises(LibraryUnavailable, match=r"no answer within 0\.05 s"):
        opened(kind, zotero, timeout=0.05).snapshot(ALL)
    assert len(zotero.seen) == 3


def test_a_wrong_key_is_told_with_where_to_look(zotero: ZoteroDouble, opened: Open) -> None:
    with pytest.raises(LibraryUnavailable, match=r"zotero\.api_key") as error:
        opened("web", zotero, api_key="wrong").snapshot(ALL)
    assert "wrong" not in str(error.value)
    with pytest.raises(LibraryUnavailable, match=r"zotero\.api_key"):
        opened("web", zotero, api_key="").status()


def test_a_local_api_that_is_off_says_where_it_is_switched_on(
    zotero: ZoteroDouble, opened: Open
) -> None:
    zotero.local_enabled = False
    with pytest.raises(LibraryUnavailable, match="Advanced"):
        opened("local", zotero).status()


@BOTH
def test_a_zotero_that_does_not_run_is_told_at_once(
    kind: str, zotero: ZoteroDouble, opened: Open, watch: Watch
) -> None:
    zotero.stop()
    with pytest.raises(LibraryUnavailable, match="no response"):
        opened(kind, zotero).snapshot(ALL)
    assert not watch.waits  # a program that does not run will not do so in a second


@BOTH
def test_only_the_web_source_asks_the_network(
    kind: str, zotero: ZoteroDouble, opened: Open
) -> None:
    assert opened(kind, zotero).asks_network is (kind == "web")
