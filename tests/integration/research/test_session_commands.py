"""``citeloom session export`` and ``compare``, on sessions put into a workspace's record."""

import csv
import io
import json
from pathlib import Path

import pytest
from docx import Document
from support.command_line import Done, inside
from support.research import records as made

from citeloom.infrastructure.storage.research.record import SqlResearchRecord
from citeloom.infrastructure.system.workspace import Workspace


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with two sessions: one that is completed, and one that runs."""
    root = tmp_path_factory.mktemp("sessions")
    record = SqlResearchRecord(Workspace(root).catalogue_url)
    made.complete(record)
    made.begin(record, started_at=made.NOW.replace(year=2099))
    return root


@pytest.fixture(scope="module")
def completed(place: Path) -> str:
    done = inside("session", "list", "--status", "completed", "--json", workspace=place)
    assert done.code == 0, done.err
    name: str = done.json["sessions"][0]["id"]
    return name


def export(place: Path, *arguments: str | Path) -> Done:
    return inside("session", "export", *arguments, workspace=place)


def test_each_format_is_written_whole_and_never_over_another_file(
    place: Path, completed: str, tmp_path: Path
) -> None:
    for name in ("review.md", "review.docx", "review.csv", "review.json"):
        done = export(place, completed[:8], "-o", tmp_path / name)
        assert done.code == 0, done.err
        assert str(tmp_path / name) in done.err
    assert (tmp_path / "review.md").read_text("utf-8").startswith(made.REPORT)
    assert Document(str(tmp_path / "review.docx")).paragraphs[0].text == "Ponds"
    text = (tmp_path / "review.csv").read_bytes().decode("utf-8-sig")
    assert [row["role"] for row in csv.DictReader(io.StringIO(text, newline=""))] == [
        "", "primary", "alternate"
    ]  # fmt: skip
    assert json.loads((tmp_path / "review.json").read_text("utf-8"))["version"] == 1

    before = (tmp_path / "review.md").read_bytes()
    again = export(place, completed, "--format", "csv", "-o", tmp_path / "review.md")
    assert again.code == 2
    assert "--force replaces it" in again.err
    assert (tmp_path / "review.md").read_bytes() == before
    forced = export(place, completed, "--format", "csv", "-o", tmp_path / "review.md", "--force")
    assert forced.code == 0, forced.err
    assert (tmp_path / "review.md").read_bytes() == (tmp_path / "review.csv").read_bytes()


def test_the_search_record_is_markdown_or_json(place: Path, completed: str) -> None:
    text = export(place, completed, "--format", "prisma")
    assert text.code == 0, text.err
    assert "```mermaid" in text.out
    told = export(place, completed, "--format", "prisma", "--json")
    assert told.json["format"] == "citeloom.search_record"
    assert told.json["flow"]["screened"] == 2


def test_what_cannot_be_written_is_said(place: Path, completed: str, tmp_path: Path) -> None:
    running = export(place, "last")
    assert running.code == 3
    assert "is not over yet" in running.err
    unknown = export(place, "0" * 32, "--json")
    assert unknown.code == 3
    assert unknown.json["error"]["code"] == "SESSION_NOT_FOUND"
    nowhere = export(place, completed, "-o", tmp_path / "no" / "review.md")
    assert nowhere.code == 4
    assert "no such file or directory" in nowhere.err.lower()
    folder = export(place, completed, "-o", tmp_path, "--force")
    assert folder.code == 2
    word = export(place, completed, "--format", "docx")
    assert word.code == 2
    assert "-o FILE.docx" in word.err


def test_a_session_beside_itself(place: Path, completed: str) -> None:
    done = inside("session", "compare", completed, completed[:9], workspace=place)
    assert done.code == 0, done.err
    assert "sources" in done.out
    assert "only in A" not in done.out
    told = inside("session", "compare", completed, completed, "--json", workspace=place).json
    assert len(told["claims"]["both"]) == 2
    assert not told["changed"]
