"""edit, undo, remove and duplicates on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.once import copied
from typer.testing import CliRunner

from citeloom.infrastructure.cli.app import app

KEY = "quillenbrookGridRandomTransect2019"


@pytest.fixture
def workspace(samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return copied(samples, tmp_path / "workspace")


def run(workspace: Path, *arguments: str, answer: str = "") -> Any:
    given = [*arguments, "-p", "samples", "--workspace", str(workspace)]
    return CliRunner().invoke(app, given, input=answer)


def test_an_edit_is_printed_before_and_after_and_taken_back(workspace: Path) -> None:
    refused = run(workspace, "edit", KEY, "volume=99")
    assert refused.exit_code != 0
    assert "--force keeps the change as your own here" in refused.output
    done = run(workspace, "edit", KEY, "volume=99", "key=mine", "because=wrong plots", "--force")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "mine",
        f"  key: {KEY} → mine",
        "  volume: 34 → 99",
        "  status: (none) → excluded: wrong plots",
    ]
    assert run(workspace, "cite", KEY).stdout == "[@mine]\n"
    (paper,) = json.loads(run(workspace, "list", "--filter", "status=excluded", "--json").stdout)[
        "resources"
    ]
    assert (paper["citekey"], paper["excluded_because"]) == ("mine", "wrong plots")
    undone = run(workspace, "undo")
    assert undone.stdout.splitlines()[0] == f"{KEY}: undone: edited: volume, key, because"
    assert run(workspace, "undo").stdout == "nothing to undo\n"


def test_a_paper_is_removed_after_a_yes(workspace: Path) -> None:
    assert run(workspace, "remove", KEY, answer="n\n").exit_code == 1
    assert KEY in run(workspace, "list").stdout
    done = run(workspace, "remove", KEY, answer="y\n")
    assert done.exit_code == 0, done.output
    assert "removed 1 paper from local/samples" in done.stdout
    assert KEY not in run(workspace, "list").stdout


def test_copies_are_listed_and_merged_after_a_yes(workspace: Path, tmp_path: Path) -> None:
    listed = json.loads(run(workspace, "list", "--json").stdout)["resources"]
    (paper,) = (one for one in listed if one["citekey"] == KEY)
    copy = tmp_path / "copy.pdf"
    # Bytes after the end of a PDF change the file and nothing in it.
    copy.write_bytes(Path(paper["source_path"]).read_bytes() + b"\n")
    assert run(workspace, "ingest", str(copy)).exit_code == 0
    run(workspace, "edit", str(copy), "tag+=wet")
    told = run(workspace, "duplicates")
    assert told.exit_code == 0, told.output
    first, *_ = told.stdout.splitlines()
    assert "the same DOI" in first
    assert "100 % of the text in common" in first
    assert "keeps the first" in told.stdout
    (group,) = json.loads(run(workspace, "duplicates", "--json").stdout)["groups"]
    assert (group["kind"], len(group["documents"])) == ("duplicate", 2)
    names = [paper["document_id"], str(copy)]
    assert run(workspace, "duplicates", "--merge", *names, answer="n\n").exit_code == 1
    done = run(workspace, "duplicates", "--merge", *names, answer="y\n")
    assert done.exit_code == 0, done.output
    assert f"{KEY}: taken over from a copy\n  tag: " in done.stdout
    assert "; wet\n" in done.stdout
    assert "no duplicates" in run(workspace, "duplicates").stdout
    assert run(workspace, "duplicates", "--merge", KEY).exit_code == 2
    assert run(workspace, "duplicates", "--yes").exit_code == 2
