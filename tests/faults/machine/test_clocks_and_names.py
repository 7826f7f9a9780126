"""Wrong clocks and hostile names."""

import os
from pathlib import Path

import pytest
from faults.kills.content import content
from support.command_line import citeloom

pytestmark = pytest.mark.faults
FAKETIME = [
    *Path("/usr/lib").glob("*/faketime/libfaketime.so.1"),
    *Path("/usr/lib").glob("faketime/libfaketime.so.1"),
]
NAMES = (
    "two\nlines.md", "\u202egnp.md", "\x1b[31mred.md", "🦆.md", "q" * 240 + ".md", "%20#?&.md",
    "it's \"quoted\".md", "-p.md", " leading.md", "trailing .md", "$(touch x).md", "ünïcödé.md",
    "CON.md", "a\tb.md", "\x9b31m.md", "\u200bzero.md",
)  # fmt: skip
PLACES = ("with space", "l'été ✓", "50%#?", "two\nlines", "-dash")


def folder(place: Path, names: tuple[str, ...]) -> Path:
    place.mkdir(parents=True)
    for number, name in enumerate(names):
        text = f"# Note {number}\n\nStation {number} measured a tide of {number} metres.\n"
        (place / name).write_text(text, encoding="utf-8")
    return place


@pytest.mark.skipif(not FAKETIME, reason="libfaketime is not installed")
@pytest.mark.parametrize(
    "now",
    ["1970-01-01 00:00:05", "2001-09-09 00:00:00", "2039-01-20 00:00:00", "2060-01-01 00:00:00"],
)
def test_a_clock_that_is_wrong_changes_nothing_but_dates(now: str, tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes", ("a.md", "b.md"))
    right, wrong = tmp_path / "right", tmp_path / "wrong"
    assert citeloom("ingest", notes, "-p", "p", workspace=right).code == 0
    clock = {
        "LD_PRELOAD": str(FAKETIME[0]), "FAKETIME": f"@{now}", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }  # fmt: skip
    done = citeloom("ingest", notes, "-p", "p", workspace=wrong, **clock)
    assert done.code == 0, done.err
    assert content(wrong) == content(right)
    again = citeloom("ingest", notes, "-p", "p", "--json", workspace=wrong)
    assert {one["status"] for one in again.json["documents"]} == {"unchanged"}
    assert citeloom("validate", workspace=wrong).code == 0


def test_files_of_any_name_are_ingested_named_and_opened(tmp_path: Path) -> None:
    notes, workspace = folder(tmp_path / "notes", NAMES), tmp_path / "w"
    done = citeloom("ingest", notes, "-p", "p", "--json", workspace=workspace)
    assert done.code == 0, done.err
    assert {one["status"] for one in done.json["documents"]} == {"added"}
    for command in (
        ("list", "-p", "p"),
        ("query", "tide", "-p", "p"),
        ("ingest", str(notes), "-p", "p"),
        ("validate", "-p", "p"),
        ("inspect", "-p", "p"),
    ):
        shown = citeloom(*command, workspace=workspace)
        assert shown.code == 0, shown.err
        raw = set(shown.out + shown.err) & {"\x1b", "\x9b", "\u202e", "\t"}
        assert not raw, (command, raw)
    for item in citeloom("query", "tide", "-p", "p", "--json", workspace=workspace).json["items"]:
        opened = citeloom("resolve", item["address"], "-p", "p", workspace=workspace)
        assert opened.code == 0, opened.err


@pytest.mark.parametrize("name", PLACES)
def test_a_workspace_of_any_name_works(name: str, tmp_path: Path) -> None:
    notes = folder(tmp_path / name / "notes", ("a.md",))
    workspace = tmp_path / name / "w"
    assert citeloom("ingest", notes, "-p", "p", workspace=workspace).code == 0
    done = citeloom("query", "tide", "-p", "p", "--json", workspace=workspace)
    assert done.json["items"], done.err
    assert citeloom("validate", workspace=workspace).code == 0


def test_a_name_that_is_no_text_does_not_stop_the_others(tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes", ("a.md",))
    with open(os.fsencode(notes) + b"/\xff\xfe.md", "wb") as file:
        file.write(b"# Unnamed\n\nNobody can name this file.\n")
    done = citeloom("ingest", notes, "-p", "p", "--json", workspace=tmp_path / "w")
    assert [one["status"] for one in done.json["documents"]].count("added") == 1
    assert "Traceback" not in done.err
