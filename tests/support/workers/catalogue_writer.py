"""A process that writes to a catalogue that others write to: documents, labels, chats, reviews.

``catalogue_writer.py URL NUMBER THREADS ROUNDS SESSION CHAT``: each thread is a writer with a
number of its own, from NUMBER. Prints one JSON document: errors, and retries of the session that
all append to.
"""

import json
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from uuid import UUID, uuid4

from support.research.records import a_chat, a_session, a_step, an_outcome, messages
from support.stores.catalogues import HERE, a_citation, a_document, stamp

from citeloom.application.ports.catalogue import IndexedDocument
from citeloom.application.ports.library import EntryKind, LibraryEntry
from citeloom.application.ports.research import Step
from citeloom.domain.research.events import StepStarted
from citeloom.domain.research.session import Message, MessageRole, QueryMode
from citeloom.domain.resources.metadata import ResourceLabel
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom.infrastructure.storage.research.record import SqlChatRecord, SqlResearchRecord
from citeloom.infrastructure.storage.stores import SqlFollowedLibraries, SqlLabelStore

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
#: Keys that all writers change, each in an order of its own.
SHARED = [f"{number:064x}" for number in range(0xF0, 0xF4)]
OTHER = "proj-local-thesis~m1~"


class Writer:
    def __init__(self, url: str, number: int, session: UUID, chat: UUID) -> None:
        self.number = number
        self.dice = random.Random(number)
        self.session, self.chat = session, chat
        self.catalogue, self.labels = SqlCatalogue(url), SqlLabelStore(url)
        self.chats, self.record = SqlChatRecord(url), SqlResearchRecord(url)
        self.followed = SqlFollowedLibraries(url)
        self.retries = 0

    def round(self, turn: int) -> None:
        steps = [self.ingest, self.change_shared, self.label, self.say, self.append, self.review]
        self.dice.shuffle(steps)
        for step in steps:
            step(turn)

    def ingest(self, turn: int) -> None:
        """A document of its own, and a path that all take from each other."""
        id = f"{self.number + 1:032x}{turn:032x}"
        sources = (stamp(f"/papers/{id}.pdf"), stamp("/papers/latest.pdf"))
        key = f"key{self.number}:{turn}"
        self.catalogue.put_document(a_document(id, sources=sources, citation=a_citation(key)))

    def change_shared(self, turn: int) -> None:
        ids = self.dice.sample(SHARED, len(SHARED))
        for id in ids[:2]:
            sources = (stamp(f"/papers/shared-{self.dice.randrange(3)}.pdf"),)
            self.catalogue.put_document(a_document(id, sources=sources))
            indexed = IndexedDocument(
                document_id=id, chunks=turn, conversion="a", chunking="b", embedding="c", cited="d"
            )
            self.catalogue.put_indexed(HERE, OTHER, indexed)
        self.catalogue.remove_documents(HERE, ids)
        keys = self.dice.sample(SHARED, len(SHARED))
        entries = [
            LibraryEntry(key=one, kind=EntryKind.ITEM, scope="{}", item=f"{self.number}/{turn}")
            for one in keys
        ]
        self.followed.put_entries(HERE, entries)

    def label(self, turn: int) -> None:
        own = f"ndk://file/thesis/{self.number}-{turn}/$body"
        for target in (own, "ndk://file/thesis/shared/$body"):
            label = ResourceLabel(name="topic", target=target, value=f"{self.number} {turn}")
            self.labels.put(HERE, None, label)

    def say(self, turn: int) -> None:
        said = Message(
            id=uuid4(),
            chat_id=self.chat,
            role=MessageRole.USER,
            content=f"{self.number} {turn}",
            query_mode=QueryMode.SIMPLE,
            created_at=NOW,
        )
        self.chats.say(self.chat, [said], NOW)

    def append(self, turn: int) -> None:
        """The next event of the session of all: who reads the same number as another is refused,
        and tries again."""
        while True:
            session = self.record.session(self.session)
            event = StepStarted(
                session_id=session.id,
                sequence=session.sequence + 1,
                timestamp=NOW,
                step_index=turn,
                step_title=f"{self.number} {turn}",
            )
            try:
                self.record.advance(session.id, "one", Step(events=(event,)), NOW)
                return
            except ValueError:
                self.retries += 1

    def review(self, turn: int) -> None:
        """A session of its own, from its beginning to its end."""
        chat = a_chat(f"user {self.number}")
        session = a_session(chat)
        self.record.begin(chat, *messages(session), session)
        self.record.advance(session.id, "one", a_step(session), NOW)
        self.record.beat(session.id, "one", NOW)
        self.record.finish(session.id, "one", an_outcome(self.record.session(session.id)))
        if turn % 2:
            self.record.delete(session.id, NOW)

    def close(self) -> None:
        for one in (self.catalogue, self.labels, self.chats, self.record, self.followed):
            one.close()


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    url, first, threads, rounds, session, chat = sys.argv[1:]
    errors: list[str] = []

    def write(number: int) -> int:
        writer = Writer(url, number, UUID(session), UUID(chat))
        for turn in range(int(rounds)):
            try:
                writer.round(turn)
            except Exception as error:
                errors.append(f"{type(error).__name__}: {error}")
        writer.close()
        return writer.retries

    say("ready")
    sys.stdin.readline()
    with ThreadPoolExecutor(int(threads)) as pool:
        numbers = range(int(first), int(first) + int(threads))
        retries = sum(pool.map(write, numbers))
    say(json.dumps({"errors": errors, "retries": retries}))


if __name__ == "__main__":
    main()
