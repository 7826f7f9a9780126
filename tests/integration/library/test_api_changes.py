"""A library that was read before: only what changed since is asked for, and what is held on
disk stays whole whatever goes wrong."""

import random
from pathlib import Path

import orjson
import pytest
from support.zotero.account import Library, articles, key_of
from support.zotero.api_double import Fault, ZoteroDouble

from citeloom.domain.errors import LibraryUnavailable
from citeloom.domain.library import LibraryScope, LibrarySnapshot

from .conftest import Open

ALL = LibraryScope()
BOTH = pytest.mark.parametrize("kind", ["local", "web"])
COLLECTIONS = [
    {"key": "CCCCCCCC", "name": "Thesis", "parentCollection": False},
    {"key": "DDDDDDDD", "name": "Chapter", "parentCollection": "CCCCCCCC"},
]


def titles(snapshot: LibrarySnapshot) -> dict[str, str]:
    return {item.key: item.citation.title for item in snapshot.items}


@pytest.fixture
def held(zotero: ZoteroDouble, monkeypatch: pytest.MonkeyPatch) -> Library:
    """45 items, in pages of 20."""
    for kind in ("local", "web"):
        monkeypatch.setattr(f"citeloom.infrastructure.library.api._{kind.upper()}_PAGE", 20)
    zotero.user.put(*(one | {"citationKey": f"key{n}"} for n, one in enumerate(articles(45))))
    zotero.user.put_collections(*COLLECTIONS)
    return zotero.user


@BOTH
def test_nothing_changed_is_one_request_a_library(
    kind: str, held: Library, zotero: ZoteroDouble, opened: Open
) -> None:
    first = opened(kind, zotero).snapshot(ALL)
    zotero.seen.clear()
    assert opened(kind, zotero).snapshot(ALL) == first
    asked = [target for target in zotero.seen if "better-bibtex" not in target]
    entrance, groups, items = (target.partition("?")[0] for target in asked)
    assert entrance == ("/api/" if kind == "local" else "/keys/current")
    assert groups.endswith("/groups")
    assert items.endswith("/items")


@BOTH
def test_ten_changed_items_are_one_page(
    kind: str, held: Library, zotero: ZoteroDouble, opened: Open
) -> None:
    before = opened(kind, zotero).snapshot(ALL)
    for number in range(1, 11):
        held.change(key_of(number), title=f"Lakes {number}")
    zotero.seen.clear()
    after = opened(kind, zotero).snapshot(ALL)
    assert after.complete
    assert len(zotero.requests("start=")) == 2  # one for the list of groups
    assert not zotero.requests("start=20")
    differ = {one.key for one, other in zip(before.items, after.items, strict=True)
              if one.digest != other.digest}  # fmt: skip
    assert differ == {key_of(number) for number in range(1, 11)}
    assert [item.key for item in after.items] == [item.key for item in before.items]


@BOTH
def test_whatever_is_done_to_a_library_shows(
    kind: str, held: Library, zotero: ZoteroDouble, opened: Open
) -> None:
    opened(kind, zotero).snapshot(ALL)
    held.put(*articles(3, start=900))
    held.delete(key_of(7), key_of(8))
    held.trash(key_of(9))
    held.change(key_of(10), collections=["DDDDDDDD"])
    held.put_collections(COLLECTIONS[0] | {"name": "Book"})
    zotero.seen.clear()
    updated = opened(kind, zotero).snapshot(ALL)
    assert all("since=" in target for target in zotero.requests("/items?limit=20"))
    for path in Path(opened(kind, zotero)._access.folder).glob("*-library.json"):
        path.unlink()
    assert updated == opened(kind, zotero).snapshot(ALL)
    assert not titles(updated).keys() & {key_of(7), key_of(8), key_of(9)}
    assert len(updated.items) == 45
    moved = next(item for item in updated.items if item.key == key_of(10))
    assert moved.citation.collections == ("Book", "Book/Chapter")


@BOTH
def test_what_comes_out_of_the_bin_is_there_again(
    kind: str, held: Library, zotero: ZoteroDouble, opened: Open
) -> None:
    held.trash(key_of(9))
    opened(kind, zotero).snapshot(ALL)
    held.put({name: value for name, value in held.items[key_of(9)].items() if name != "deleted"})
    held.delete("DDDDDDDD")
    again = opened(kind, zotero).snapshot(ALL)
    assert key_of(9) in titles(again)
    assert [collection.path for collection in again.collections] == ["Thesis"]


def whatever(library: Library, chance: random.Random, number: int) -> None:
    """One change of any kind."""
    keys = sorted(library.items)
    bin_ = [key for key in keys if library.items[key].get("deleted")]
    match chance.choice(["new", "title", "move", "bin", "back", "gone", "shelf", "no shelf"]):
        case "new":
            library.put(*articles(chance.randint(1, 30), start=number * 100))
        case "title":
            library.change(chance.choice(keys), title=f"Lakes {number}")
        case "move":
            library.change(chance.choice(keys), collections=sorted(library.collections)[:1])
        case "bin":
            library.trash(*chance.sample(keys, 2))
        case "back" if bin_:
            library.put({k: v for k, v in library.items[bin_[0]].items() if k != "deleted"})
        case "gone":
            library.delete(*chance.sample(keys, min(3, len(keys) - 5)))
        case "shelf":
            shelf = {"key": f"SHELF{number:03}", "name": f"{number}", "parentCollection": False}
            library.put_collections(shelf)
        case "no shelf" if library.collections:
            library.delete(chance.choice(sorted(library.collections)))


@BOTH
@pytest.mark.parametrize("seed", range(2))
def test_changes_add_up_to_what_a_fresh_reading_gives(
    kind: str,
    seed: int,
    held: Library,
    zotero: ZoteroDouble,
    opened: Open,
    tmp_path: Path,
) -> None:
    chance = random.Random(seed)
    source = opened(kind, zotero)
    source.snapshot(ALL)
    for number in range(1, 9):
        for _ in range(chance.randint(1, 3)):
            whatever(held, chance, number)
        fresh = opened(kind, zotero, folder=tmp_path / f"{number}")
        assert source.snapshot(ALL) == fresh.snapshot(ALL)
        assert source.status() == fresh.status()


def test_a_collection_in_the_bin_goes_though_nothing_tells_of_it(
    held: Library, zotero: ZoteroDouble, opened: Open
) -> None:
    opened("web", zotero).snapshot(ALL)
    del held.collections["DDDDDDDD"]  # as the web API shows it: no longer listed, not deleted
    held.change(key_of(1), title="Lakes")
    after = opened("web", zotero).snapshot(ALL)
    assert [collection.path for collection in after.collections] == ["Thesis"]


@BOTH
@pytest.mark.parametrize(
    "part",
    ["start=20", "versions", "deleted", "limit=1&", "since"],
    ids=["second page", "versions", "deleted", "count", "first page"],
)
@pytest.mark.parametrize("fault", ["cut", "503", "changes"])
def test_an_update_that_fails_leaves_what_is_held(
    kind: str,
    part: str,
    fault: str,
    held: Library,
    zotero: ZoteroDouble,
    opened: Open,
) -> None:
    """No reading that ended in its middle may look as though items were gone."""
    opened(kind, zotero).snapshot(ALL)
    folder = Path(opened(kind, zotero)._access.folder)
    kept = {path: path.read_bytes() for path in folder.glob("*-library.json")}
    for number in range(1, 31):
        held.items[key_of(number)]["title"] = "Lakes"
    held.put(*(held.items[key_of(number)] for number in range(1, 31)))
    held.delete(key_of(40))
    numbers = iter(range(1000, 2000))
    zotero.faults = [
        Fault(only=part, times=60, then=lambda: held.put(*articles(1, next(numbers))))
        if fault == "changes"
        else Fault(only=part, times=60, cut=fault == "cut", status=503 if fault == "503" else 0)
    ]  # fmt: skip
    reached = not (kind == "local" and part in ("deleted", "limit=1&"))
    if part == "since" and fault != "changes":
        with pytest.raises(LibraryUnavailable):
            opened(kind, zotero).snapshot(ALL)
    else:
        snapshot = opened(kind, zotero).snapshot(ALL)
        if reached and not snapshot.complete:
            assert titles(snapshot)[key_of(40)] == "Ponds, part 40"
            assert any("shown as it was at version" in warning for warning in snapshot.warnings)
            assert {path: path.read_bytes() for path in folder.glob("*-library.json")} == kept
        else:
            assert key_of(40) not in titles(snapshot)
        if reached and fault != "changes":
            assert not snapshot.complete
    zotero.faults = []
    whole = opened(kind, zotero).snapshot(ALL)
    assert whole.complete
    assert set(titles(whole)) == {
        key for key, item in held.items.items() if not item.get("deleted")
    }
    assert titles(whole)[key_of(30)] == "Lakes"


@BOTH
def test_what_does_not_add_up_is_read_anew(
    kind: str, held: Library, zotero: ZoteroDouble, opened: Open
) -> None:
    opened(kind, zotero).snapshot(ALL)
    del held.items[key_of(5)]  # gone without a trace in the list of deletions
    held.change(key_of(1), title="Lakes")
    after = opened(kind, zotero).snapshot(ALL)
    assert after.complete
    assert key_of(5) not in titles(after)
    assert len(after.items) == 44


@BOTH
@pytest.mark.parametrize("damage", ["cut", "other shape", "changed", "gone", "list"])
def test_a_damaged_file_of_what_is_held_is_read_anew(
    kind: str, damage: str, held: Library, zotero: ZoteroDouble, opened: Open
) -> None:
    first = opened(kind, zotero).snapshot(ALL)
    (path,) = Path(opened(kind, zotero)._access.folder).glob("*-library.json")
    content = path.read_bytes()
    if damage == "gone":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "list":
        path.write_bytes(b"[]")
    else:
        kept = orjson.loads(content)
        if damage == "changed":
            kept["items"].pop(key_of(3))
        path.write_bytes(orjson.dumps(kept | {"format": 0} if damage == "other shape" else kept))
    assert opened(kind, zotero).snapshot(ALL) == first


def test_what_another_key_may_see_is_not_taken_up(
    held: Library, zotero: ZoteroDouble, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened("web", zotero).snapshot(ALL)
    monkeypatch.setattr("support.zotero.api_double.API_KEY", "another")
    zotero.seen.clear()
    opened("web", zotero, api_key="another").snapshot(ALL)
    assert zotero.requests("start=40")


def test_another_database_of_zotero_is_read_anew(
    held: Library, zotero: ZoteroDouble, opened: Open
) -> None:
    source = opened("local", zotero)
    source.snapshot(ALL)
    zotero.server_id = "OtherDatabase"
    held.items.clear()
    held.put(*articles(2))
    snapshot = source.snapshot(ALL)
    assert snapshot.complete
    assert len(snapshot.items) == 2


def test_before_zotero_10_a_change_shows_though_no_version_moves(
    zotero: ZoteroDouble, opened: Open
) -> None:
    zotero.server_id = None
    zotero.user.put(*articles(5))
    source = opened("local", zotero)
    first = source.snapshot(ALL)
    zotero.user.put(zotero.user.items[key_of(2)] | {"title": "Lakes"}, synced=False)
    assert source.status().state != first.state
    second = source.snapshot(ALL)
    assert second.libraries == first.libraries
    assert titles(second)[key_of(2)] == "Lakes"
    assert second.state != first.state
