"""A process that dies while it works on a session leaves whole steps."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from uuid import UUID

import pytest
from support.paths import TESTS
from support.research.records import later

from citeloom.domain.research.session import SessionStatus
from citeloom.infrastructure.storage.research.record import SqlResearchRecord

# Each step adds an event, a source and two spans, and says so in the state.
WORKING = """
import sys
from support.research.records import NOW, a_span, a_source, begin, events, a_step, an_outcome
from citeloom.infrastructure.storage.research.record import SqlResearchRecord

record = SqlResearchRecord(sys.argv[1])
session = begin(record, started_at=NOW)
print(session.id, flush=True)
for number in range(1, 10_000):
    source = a_source(session, f"s{number}")
    step = a_step(session, events=events(session, 1), sources=[source],
                  spans=[a_span(source, 0), a_span(source, 1)], state={"done": number})
    record.advance(session.id, "one", step, NOW)
    session = record.session(session.id)
"""


@pytest.mark.parametrize("kills", [1, pytest.param(5, marks=pytest.mark.faults)])
@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_nothing_is_half_written_and_it_can_be_taken_up(
    sqlite_template: Path, tmp_path: Path, kills: int
) -> None:
    path = tmp_path / "catalogue.sqlite"
    path.write_bytes(sqlite_template.read_bytes())
    url = f"sqlite:///{path}"
    randomly = random.Random(5)
    for turn in range(kills):
        worker = subprocess.Popen(
            [sys.executable, "-c", WORKING, url],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": f"{TESTS}:{os.environ.get('PYTHONPATH', '')}"},
        )
        assert worker.stdout is not None
        id = UUID(worker.stdout.readline().strip())
        time.sleep(randomly.uniform(0.02, 0.2))
        worker.send_signal(signal.SIGKILL)
        worker.communicate()
        record = SqlResearchRecord(url)
        found = record.recorded(id)
        steps = (found.session.state or {"done": 0})["done"]
        assert found.session.sequence == steps == len(found.sources)
        assert [one.sequence for one in record.events(id)] == list(range(1, steps + 1))
        assert len(found.spans) == 2 * steps
        assert record.bury(later(minutes=1)) == (id,)
        taken = record.take(id, f"turn {turn}", later(minutes=1))
        assert (taken.status, taken.state) == (SessionStatus.IN_PROGRESS, found.session.state)
        assert record.bury(later(minutes=2)) == (id,)
        record.close()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()
