"""A server that is killed while a client follows a review, and started again."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
from support.paths import TESTS

from citeloom.infrastructure.storage.research.record import SqlResearchRecord
from citeloom.infrastructure.system.workspace import Workspace

Event = tuple[str | None, str, Any]
"""Its id, its name, its data."""

# A server, and one who works on the one session of the record: a step of one event at a time,
# until a file says that it is enough. A later process goes on where an earlier one was killed.
_SERVER = """
import sys, threading, time
from datetime import UTC, datetime
from pathlib import Path
from support.http_server import serving
from support.research.records import a_step, an_outcome, begin, events
from support.world import World
from citeloom.application.ports.research import SessionFilter
from citeloom.infrastructure.system.clock import SystemClock

folder = Path(sys.argv[1])
world = World(folder, clock=SystemClock())
application = world.application
record = application.stores.research_record
known = record.sessions(SessionFilter())
now = lambda: datetime.now(UTC)
session = record.take(known[0].id, "one", now()) if known else begin(record, started_at=now())

def work():
    global session
    while not (folder / "enough").exists():
        step = a_step(session, events=events(session, 1), sources=(), spans=())
        record.advance(session.id, "one", step, now())
        session = record.session(session.id)
        time.sleep(0.003)
    outcome = an_outcome(session, claims=(), citations=(), cited=())
    record.finish(session.id, "one", outcome)

with serving(world, application=application) as address:
    print(address, session.id, flush=True)
    work()
    threading.Event().wait()
"""


def followed_through_kills(folder: Path, kills: int, seed: int) -> tuple[list[Event], list[Any]]:
    """What a client has received that came back after each kill, up to the end of the stream, and
    the events of the record."""
    randomly = random.Random(seed)
    received: list[Event] = []
    for kill in range(kills + 1):
        if kill == kills:
            (folder / "enough").touch()
        server, address, session_id = _started(folder)
        url = f"{address}/api/v1/research-sessions/{session_id}/events"
        try:
            _follow(url, received, server if kill < kills else None, randomly.randrange(60))
        finally:
            server.kill()
            server.communicate()
    record = SqlResearchRecord(Workspace(folder).catalogue_url)
    kept = record.events(UUID(session_id))
    record.close()
    return received, list(kept)


def _started(folder: Path) -> tuple["subprocess.Popen[str]", str, str]:
    server = subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": f"{TESTS}:{os.environ.get('PYTHONPATH', '')}"},
    )
    assert server.stdout is not None
    address, session_id = server.stdout.readline().split()
    return server, address, session_id


def _follow(
    url: str, received: list[Event], victim: "subprocess.Popen[str] | None", events: int
) -> None:
    """Add whole events to ``received``; kill ``victim`` after so many, in the middle of the
    stream."""
    last = next((id for id, _, _ in reversed(received) if id is not None), None)
    headers = {} if last is None else {"Last-Event-ID": last}
    fields: dict[str, str] = {}
    try:
        with httpx2.stream("GET", url, headers=headers, timeout=60) as stream:
            assert stream.status_code == 200
            for line in stream.iter_lines():
                name, _, text = line.partition(": ")
                if line:
                    fields[name] = text
                    continue
                if "data" in fields:
                    data = json.loads(fields["data"])
                    received.append((fields.get("id"), fields["event"], data))
                    events -= 1
                fields = {}
                if events <= 0 and victim is not None and victim.poll() is None:
                    victim.send_signal(signal.SIGKILL)
                    victim.wait()
    except httpx2.TransportError:
        assert victim is not None
