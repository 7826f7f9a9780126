"""``citeloom session``, ``feedback`` and ``preferences`` on sessions that are in the record."""

import json
import shutil
from pathlib import Path

import pytest
from support.command_line import inside
from support.research.records import NOW, REPORT, begin, complete, later

from citeloom.domain.research.events import from_wire
from citeloom.domain.research.session import ResearchSession
from citeloom.infrastructure.storage.research.record import SqlResearchRecord
from citeloom.infrastructure.system.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path, sqlite_template: Path) -> Path:
    home = Workspace(tmp_path).home
    home.mkdir()
    shutil.copy(sqlite_template, home)
    return tmp_path


@pytest.fixture
def sessions(workspace: Path) -> list[ResearchSession]:
    """The latest first: one whose worker died, and one that is completed."""
    record = SqlResearchRecord(Workspace(workspace).catalogue_url)
    done = complete(record, started_at=NOW)
    dead = begin(record, started_at=later(days=1), question="And by night?")
    record.close()
    return [dead, done]


def test_listed_shown_and_replayed(workspace: Path, sessions: list[ResearchSession]) -> None:
    dead, done = sessions
    table = inside("session", "list", workspace=workspace)
    assert table.code == 0, table.err
    assert table.out.index(str(dead.id)[:8]) < table.out.index(str(done.id)[:8])
    assert "And by night?" in table.out
    listed = inside("session", "list", "--status", "failed", "--json", workspace=workspace).json
    assert [one["id"] for one in listed["sessions"]] == [str(dead.id)]
    assert "state" not in listed["sessions"][0]
    shown = inside("session", "show", str(done.id)[:13], "--json", workspace=workspace).json
    assert shown["report"]["content"] == REPORT
    assert shown["session"]["verification_summary"]["supported"] == 1
    assert [one["citekey"] for one in shown["sources"] if one["is_cited"]] == ["a2020"]
    assert shown["citations"][1]["is_primary"] is True
    replayed = inside("session", "events", str(done.id), "--after", "1", workspace=workspace)
    events = [from_wire(json.loads(line)) for line in replayed.out.splitlines()]
    assert [one.sequence for one in events] == [2, 3, 4]
    assert '"eventType":"plan_created"' in replayed.out


def test_deleted_restored_and_rated(workspace: Path, sessions: list[ResearchSession]) -> None:
    _, done = sessions
    assert inside("session", "cancel", "last", workspace=workspace).code == 3
    assert "30 days" in inside("session", "delete", str(done.id), workspace=workspace).out
    gone = inside("session", "list", "--deleted", "--json", workspace=workspace).json
    assert [one["id"] for one in gone["sessions"]] == [str(done.id)]
    assert inside("session", "restore", "last", workspace=workspace).code == 0
    dead = str(sessions[0].id)
    assert (
        "is gone"
        in inside("session", "delete", dead, "--for-good", "--yes", workspace=workspace).out
    )
    assert inside("session", "show", dead, workspace=workspace).code == 3
    rated = inside("feedback", str(done.id), "negative", "zu lang", workspace=workspace)
    assert rated.code == 0, rated.err
    shown = inside("session", "show", str(done.id), workspace=workspace)
    assert "negative zu lang" in shown.out
    assert "Ponds cool" in shown.out


def test_preferences_and_an_empty_workspace(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    assert "no sessions" in inside("session", "list", workspace=empty).out
    lost = inside("session", "show", "last", "--json", workspace=empty)
    assert (lost.code, lost.json["error"]["code"]) == (3, "SESSION_NOT_FOUND")
    assert not empty.exists()
    told = tmp_path / "told.txt"
    told.write_text("Sag es auf Deutsch.", encoding="utf-8")
    chosen = ("preferences", "set", "--depth", "light", "--instructions", f"@{told}", "--json")
    assert inside(*chosen, workspace=empty).json == {
        "system_instructions": "Sag es auf Deutsch.",
        "default_research_depth": "light",
        "default_query_mode": None,
    }
