"""The ingest journal: a line a record, in order, of bounded size."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.in_memory.stores import InMemoryIngestJournal

from citeloom.application.ports.ingest import IngestJournal, JournalEntry
from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.ingest.bundles import FileIngestJournal


def a_record(number: int = 0) -> JournalEntry:
    return JournalEntry(
        correlation_id=f"run-{number}",
        timestamp=datetime(2026, 1, 1, tzinfo=UTC),
        project_id="local/x",
        source_path="/ü\n.pdf",
        chunks_written=3,
        warnings=("page 3\u2028has no text",),
    )


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def test_every_log_takes_records(tmp_path: Path) -> None:
    memory = InMemoryIngestJournal()
    logs: list[IngestJournal] = [memory, FileIngestJournal(tmp_path / "logs" / "ingests.jsonl")]
    for log in logs:
        log.append(a_record(1))
        log.append(a_record(2))
    written = lines(tmp_path / "logs" / "ingests.jsonl")
    assert memory.records == [JournalEntry.model_validate(one) for one in written]


def test_a_line_holds_what_applies_and_no_more(tmp_path: Path) -> None:
    FileIngestJournal(tmp_path / "a.jsonl").append(a_record())
    [line] = lines(tmp_path / "a.jsonl")
    assert line["timestamp"] == "2026-01-01T00:00:00Z"
    assert line["chunks_written"] == 3
    assert "doc_id" not in line


def test_a_long_log_moves_aside(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    log = FileIngestJournal(path, max_bytes=600)
    for number in range(10):
        log.append(a_record(number))
    kept = lines(tmp_path / "a.jsonl.1") + lines(path)
    assert [one["correlation_id"] for one in kept] == [
        f"run-{number}" for number in range(10 - len(kept), 10)
    ]
    assert len(kept) >= 3
    assert path.stat().st_size < 1200


def test_a_line_that_was_cut_short_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"correlation_id": "cut')
    FileIngestJournal(path).append(a_record(7))
    assert json.loads(path.read_bytes().splitlines()[1])["correlation_id"] == "run-7"


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "write", lambda *_: 0)
    with pytest.raises(StorageFailed, match=r"a\.jsonl: the disk is full"):
        FileIngestJournal(tmp_path / "a.jsonl").append(a_record())
