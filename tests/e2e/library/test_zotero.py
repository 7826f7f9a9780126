"""``citeloom zotero``: looking around in a library, without network and without changing it."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.zotero.library import annotation, attachment, key, work, write_database
from typer.testing import CliRunner, Result

from citeloom.domain.library import LibraryKind, LibraryRef
from citeloom.infrastructure.cli.app import app
from citeloom.infrastructure.library.snapshot import RawLibrary


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    own = [
        work(1, title="Ponds", citationKey="ponds1", collections=[key(1, "C")],
             tags=[{"tag": "water"}], dateAdded="2024-02-01T00:00:00Z"),
        work(2, title="Lakes", citationKey="lakes2"),
        attachment(1, key(1, "W")), annotation(1, key(1, "F")),
    ]  # fmt: skip
    collections = [{"key": key(1, "C"), "name": "Thesis", "parentCollection": False}]
    group = LibraryRef(kind=LibraryKind.GROUP, id=7, name="Reading group")
    folder = tmp_path / "Zotero"
    write_database(
        folder / "zotero.sqlite",
        [RawLibrary(LibraryRef(version=3), own, collections), RawLibrary(group, [work(9)])],
    )
    return folder


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    return


def run(data_dir: Path, *arguments: str) -> Result:
    place = ["--data-dir", str(data_dir), "--workspace", str(data_dir.parent / "w")]
    return CliRunner().invoke(app, ["zotero", *arguments, *place])


def test_status_counts_items_attachments_and_annotations(data_dir: Path) -> None:
    shown = run(data_dir, "status")
    assert shown.exit_code == 0
    for text in ("zotero.sqlite", "My Library", "library, version 3", "groups/7"):
        assert text in shown.stdout
    document = json.loads(run(data_dir, "status", "--json").stdout)
    assert (document["items"], document["attachments"], document["annotations"]) == (3, 1, 1)
    assert document["asks_network"] is False


def test_items_by_title_and_recent_ones(data_dir: Path) -> None:
    document = json.loads(run(data_dir, "items", "--json").stdout)
    assert [item["citekey"] for item in document["items"]] == ["lakes2", "ponds1"]
    assert document["source"] == "zotero.sqlite"
    assert document["items"][1]["files"] == document["items"][1]["annotations"] == 1
    recent = run(data_dir, "recent", "--limit", "1")
    assert "ponds1" in recent.stdout
    assert "lakes2" not in recent.stdout
    assert "1 of 2" in recent.stdout


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--collection", "thesis"], ["ponds1"]),
        (["--tag", "water"], ["ponds1"]),
        (["--exclude-tag", "water"], ["lakes2"]),
        (["--group", "7"], ["smith91959Winter"]),
        (["--group", "*", "--own"], ["lakes2", "ponds1", "smith91959Winter"]),
    ],
)
def test_a_part_of_the_library(data_dir: Path, options: list[str], found: list[str]) -> None:
    document = json.loads(run(data_dir, "items", *options, "--json").stdout)
    assert sorted(item["citekey"] for item in document["items"]) == found


def test_collections_and_tags_are_listed_with_their_items(data_dir: Path) -> None:
    (collection,) = json.loads(run(data_dir, "collections", "--json").stdout)["collections"]
    assert (collection["path"], collection["items"]) == ("Thesis", 1)
    (tag,) = json.loads(run(data_dir, "tags", "--json").stdout)["tags"]
    assert tag == {"tag": "water", "items": 1}


def test_errors_name_what_is_there_and_the_next_step(data_dir: Path) -> None:
    wrong = run(data_dir, "items", "--collection", "Theses")
    assert wrong.exit_code == 2
    assert "did you mean Thesis?" in wrong.stderr
    missing = run(data_dir / "nowhere", "status", "--json")
    assert missing.exit_code == 4
    assert json.loads(missing.stdout)["error"]["code"] == "LIBRARY_UNAVAILABLE"
    assert "zotero.data_dir" in missing.stderr


def test_the_database_is_left_as_it_is(data_dir: Path) -> None:
    path = data_dir / "zotero.sqlite"
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    for command in ("status", "collections", "items", "tags", "recent"):
        assert run(data_dir, command).exit_code == 0
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert [entry.name for entry in data_dir.iterdir()] == ["zotero.sqlite"]
