"""Sixteen writers of one catalogue on PostgreSQL: nothing is lost, nobody waits for ever."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import create_engine, text
from support.paths import TESTS, WORKERS
from support.research.records import a_chat, begin
from support.stores.catalogues import HERE, a_project

from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom.infrastructure.storage.research.record import SqlChatRecord, SqlResearchRecord
from citeloom.infrastructure.storage.stores import SqlLabelStore

# By default two processes of eight threads, a few rounds; `CITELOOM_TEST_WRITERS=16x1x200` are
# sixteen processes and 200 rounds of each writer.
PROCESSES, THREADS, ROUNDS = map(int, os.environ.get("CITELOOM_TEST_WRITERS", "2x8x2").split("x"))
WRITERS = PROCESSES * THREADS

pytestmark = pytest.mark.server


def write(url: str, *arguments: str) -> list[Any]:
    """What the processes printed, which begin at the same moment."""
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    command = [sys.executable, WORKERS / "catalogue_writer.py", url]
    processes = [
        subprocess.Popen(
            [*command, str(number * THREADS), str(THREADS), str(ROUNDS), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for number in range(PROCESSES)
    ]
    for one in processes:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    for one in processes:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    return [json.loads(one.communicate()[0]) for one in processes]


def values(url: str, statement: str) -> Sequence[Any]:
    engine = create_engine(url)
    with engine.connect() as connection:
        found = connection.execute(text(statement)).scalars().all()
    engine.dispose()
    return found


def test_of_sixteen_writers_at_once_none_loses_anything(postgres_url: str) -> None:
    catalogue, record = SqlCatalogue(postgres_url), SqlResearchRecord(postgres_url)
    chats, labels = SqlChatRecord(postgres_url), SqlLabelStore(postgres_url)
    catalogue.add_project(a_project(HERE))
    session, chat = begin(record), a_chat()
    chats.open(chat)

    printed = write(postgres_url, str(session.id), str(chat.id))

    assert [one["errors"] for one in printed] == [[]] * PROCESSES
    written = WRITERS * ROUNDS
    documents = [one for one in catalogue.documents(HERE) if one.citation is not None]
    assert len(documents) == written
    paths = [source.path for one in documents for source in one.sources]
    assert paths.count("/papers/latest.pdf") == 1
    assert len(paths) == written + 1
    assert len(labels.labels(HERE)) == written + 1
    assert len(chats.entries(chat.id)) == written
    events = record.events(session.id)
    assert [one.sequence for one in events] == list(range(1, written + 1))
    titles = {getattr(one, "step_title", None) for one in events}
    assert titles == {f"{writer} {turn}" for writer in range(WRITERS) for turn in range(ROUNDS)}
    assert record.session(session.id).sequence == written
    reviews = values(postgres_url, "SELECT sequence FROM research_sessions WHERE worker IS NULL")
    assert list(reviews) == [4] * written
    assert values(postgres_url, "SELECT COUNT(*) FROM research_events") == [written * 5]
    deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    assert values(postgres_url, deadlocks) == [0]
    for one in (catalogue, record, chats, labels):
        one.close()
