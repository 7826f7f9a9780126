"""The command ``audit``: which events it lists, in which form."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from support.command_line import inside

from citeloom_server.application.audit.ports import AuditEvent, AuditOrigin
from citeloom_server.infrastructure.operation.audit_trail import SqlAuditTrail

MIDDLE = datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audited")
    trail = SqlAuditTrail(f"sqlite:///{folder / '.citeloom' / 'catalogue.sqlite'}")
    for number in range(60):
        trail.append(
            AuditEvent(
                id=f"e{number:03}",
                time=MIDDLE + timedelta(days=number - 30),
                origin=AuditOrigin.REST,
                action="remove_document" if number % 2 else "create_project",
                principal="ada" if number % 3 else "bob",
                project="local/thesis",
                outcome="done",
                count=2 if number == 59 else 1,
            )
        )
    trail.append(
        AuditEvent(
            id="now", time=datetime.now(UTC), origin=AuditOrigin.LOGIN, action="log_in",
            outcome="done",
        )
    )  # fmt: skip
    trail.close()
    return folder


def ids(workspace: Path, *options: str) -> list[str]:
    done = inside("audit", "--jsonl", *options, workspace=workspace)
    assert done.code == 0, done.err
    return [json.loads(line)["id"] for line in done.out.splitlines()]


def test_the_last_fifty_are_a_table(workspace: Path) -> None:
    done = inside("audit", workspace=workspace)
    lines = done.out.splitlines()
    assert lines[0].split()[:2] == ["Time", "(UTC)"]
    assert len(lines) == 52
    assert "done ×2" in done.out


def test_all_of_them_are_exported_in_order(workspace: Path) -> None:
    assert ids(workspace, "-n", "0") == [*(f"e{number:03}" for number in range(60)), "now"]
    document = inside("audit", "-n", "1", "--json", workspace=workspace).json
    assert [one["id"] for one in document["events"]] == ["now"]


def test_events_are_chosen_by_time_and_names(workspace: Path) -> None:
    day = ("--since", "2026-03-10T00:00+00:00", "--until", "2026-03-12T00:00+00:00")
    assert ids(workspace, *day) == ["e030", "e031"]
    assert ids(workspace, *day, "--principal", "bob") == ["e030"]
    assert ids(workspace, *day, "--action", "remove_document", "-p", "thesis") == ["e031"]
    assert ids(workspace, "--since", "1h") == ["now"]
    assert ids(workspace, "--outcome", "401") == []


@pytest.mark.parametrize("wrong", ["yesterday", "", "7y", "2026-13-01"])
def test_a_time_that_is_none_is_refused_with_what_to_write(workspace: Path, wrong: str) -> None:
    done = inside("audit", "--since", wrong, workspace=workspace)
    assert done.code == 2
    assert "write 2026-11-25" in done.err


def test_a_workspace_without_events_says_what_is_recorded(tmp_path: Path) -> None:
    done = inside("audit", workspace=tmp_path)
    assert (done.code, done.out) == (0, "")
    assert "are recorded" in done.err
    assert not (tmp_path / ".citeloom" / "catalogue.sqlite").exists()
