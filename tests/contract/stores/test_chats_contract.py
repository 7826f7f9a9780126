"""Every record of chats does the same: in memory, on SQLite, on PostgreSQL."""

import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import pytest
from support.in_memory.chat_record import InMemoryChatRecord
from support.in_memory.research_record import (
    InMemoryResearchRecord,
    InMemoryUserRecord,
)
from support.research.records import NOW, a_chat, begin, complete, later, messages
from support.stores.catalogues import STORES

from citeloom.application.ports.research import (
    ChatRecord,
    ResearchRecord,
    SessionFilter,
    UserRecord,
)
from citeloom.domain.errors import SessionBusy, SessionNotFound
from citeloom.domain.research.session import (
    AnswerPassage,
    Chat,
    ChatNotFound,
    Message,
    MessageFeedback,
    MessageNotFound,
    MessageRole,
    QueryMode,
    Rating,
)
from citeloom.infrastructure.storage.research.record import (
    SqlChatRecord,
    SqlResearchRecord,
    SqlUserRecord,
)


class Stored(NamedTuple):
    chats: ChatRecord
    sessions: ResearchRecord
    users: UserRecord


@pytest.fixture(params=STORES)
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stored]:
    if request.param == "memory":
        memory = InMemoryResearchRecord()
        yield Stored(InMemoryChatRecord(memory), memory, InMemoryUserRecord(memory))
        return
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_url")
    else:
        template: Path = request.getfixturevalue("sqlite_template")
        url = f"sqlite:///{shutil.copy(template, tmp_path)}"
    opened: Any = (SqlChatRecord(url), SqlResearchRecord(url), SqlUserRecord(url))
    yield Stored(*opened)
    for one in opened:
        one.close()


def said(
    chat: Chat, text: str, at: datetime, passages: tuple[AnswerPassage, ...] | None = None
) -> Message:
    role = MessageRole.USER if passages is None else MessageRole.AGENT
    return Message(
        id=uuid4(),
        chat_id=chat.id,
        role=role,
        content=text,
        query_mode=QueryMode.SIMPLE,
        passages=passages,
        created_at=at,
    )


PASSAGE = AnswerPassage(
    rank=1,
    text="Kühlung: 1.74 K",
    citation="[@a2020, p. 12]",
    authors=("A", "B"),
    page=2,
    page_labels=("12",),
    address="doc://ab#pages=2",
    knowledge_uri="ndk://file/a/$body",
    document_id="ab" * 32,
    chunk_id="c",
    project="local/reading",
    score=0.5,
)


def opened(stored: Stored, **changes: object) -> Chat:
    chat = a_chat(**changes)
    stored.chats.open(chat)
    return chat


def test_nothing_was_written_yet(stored: Stored) -> None:
    assert stored.chats.chats("local") == ()
    assert stored.chats.entries(uuid4()) == ()
    for asked in (stored.chats.chat, stored.chats.restore):
        with pytest.raises(ChatNotFound, match="no such chat"):
            asked(uuid4())
    with pytest.raises(ChatNotFound):
        stored.chats.delete(uuid4(), NOW)
    with pytest.raises(MessageNotFound, match="no such message"):
        stored.chats.message(uuid4())


def test_chats_are_listed_the_last_changed_first(stored: Stored) -> None:
    first, second = opened(stored), opened(stored, title=None)
    opened(stored, user_id="another")
    assert stored.chats.chat(second.id) == second
    stored.chats.rename(second.id, "Ponds", later(seconds=1))
    assert [one.title for one in stored.chats.chats("local")] == ["Ponds", first.title]
    renamed = stored.chats.rename(first.id, None, later(seconds=2))
    assert (renamed.title, renamed.updated_at) == (None, later(seconds=2))
    assert [one.id for one in stored.chats.chats("local")] == [first.id, second.id]
    with pytest.raises(ChatNotFound):
        stored.chats.rename(uuid4(), "x", NOW)


def test_messages_are_kept_in_order_with_their_passages(stored: Stored) -> None:
    chat = opened(stored)
    question, answer = said(chat, "Do they?", NOW), said(chat, "> Kühlung", NOW, (PASSAGE,))
    empty = said(chat, "Nothing", later(seconds=2), ())
    stored.chats.say(chat.id, (answer, question), later(seconds=1))
    stored.chats.say(chat.id, (empty,), later(seconds=2))
    assert [one.message for one in stored.chats.entries(chat.id)] == [question, answer, empty]
    assert {one.session_id for one in stored.chats.entries(chat.id)} == {None}
    assert stored.chats.message(answer.id) == answer
    assert stored.chats.chat(chat.id).updated_at == later(seconds=2)


def test_nothing_is_said_in_a_chat_that_is_gone(stored: Stored) -> None:
    chat = opened(stored)
    stored.chats.delete(chat.id, NOW)
    for gone in (chat, a_chat()):
        message = said(gone, "?", NOW)
        with pytest.raises(ChatNotFound):
            stored.chats.say(gone.id, (message,), NOW)
        with pytest.raises(MessageNotFound):
            stored.chats.message(message.id)


def test_messages_of_reviews_stand_among_the_others(stored: Stored) -> None:
    chat = opened(stored)
    question = said(chat, "Do they?", later(seconds=-5))
    stored.chats.say(chat.id, (question,), NOW)
    session = complete(stored.sessions, chat)
    asked, report = (one.id for one in messages(session))
    shown = [(one.message.id, one.session_id) for one in stored.chats.entries(chat.id)]
    assert shown == [(question.id, None), (asked, session.id), (report, session.id)]
    stored.sessions.delete(session.id, later(days=1))
    assert [one.message.id for one in stored.chats.entries(chat.id)] == [question.id]
    assert not stored.chats.chat(chat.id).is_deleted


def test_a_chat_is_deleted_and_restored_with_its_sessions(stored: Stored) -> None:
    chat = opened(stored)
    before, session = complete(stored.sessions, chat), complete(stored.sessions, chat)
    question = said(chat, "Do they?", NOW)
    stored.chats.say(chat.id, (question,), NOW)
    stored.sessions.delete(before.id, later(days=1))
    stored.chats.delete(chat.id, later(days=2))
    stored.chats.delete(chat.id, later(days=3))
    assert stored.chats.chats("local") == ()
    assert [one.id for one in stored.chats.chats("local", deleted=True)] == [chat.id]
    assert stored.chats.chat(chat.id).deleted_at == later(days=2)
    assert stored.sessions.sessions(SessionFilter()) == ()
    stored.chats.restore(chat.id)
    stored.chats.restore(chat.id)
    assert [one.id for one in stored.chats.chats("local")] == [chat.id]
    assert [one.id for one in stored.sessions.sessions(SessionFilter())] == [session.id]
    assert stored.sessions.session(before.id).is_deleted


def test_a_chat_in_which_a_review_runs_is_not_deleted(stored: Stored) -> None:
    chat = opened(stored)
    ended = complete(stored.sessions, chat)
    begin(stored.sessions, chat)
    with pytest.raises(SessionBusy):
        stored.chats.delete(chat.id, later(seconds=1))
    assert not stored.chats.chat(chat.id).is_deleted
    assert not stored.sessions.session(ended.id).is_deleted


def test_a_session_restored_alone_brings_its_chat_back(stored: Stored) -> None:
    chat = opened(stored)
    one, other = complete(stored.sessions, chat), complete(stored.sessions, chat)
    stored.chats.delete(chat.id, later(days=1))
    stored.sessions.restore(one.id)
    assert not stored.chats.chat(chat.id).is_deleted
    assert stored.sessions.session(other.id).is_deleted


def test_deleting_a_session_again_does_not_restore_its_chat(stored: Stored) -> None:
    chat = opened(stored)
    stored.chats.say(chat.id, (said(chat, "Do they?", NOW),), NOW)
    session = complete(stored.sessions, chat)
    stored.chats.delete(chat.id, later(days=1))
    stored.sessions.delete(session.id, later(days=2))
    assert stored.chats.chat(chat.id).is_deleted
    stored.sessions.remove(session.id, later(days=3))
    assert stored.chats.chat(chat.id).is_deleted
    stored.chats.restore(chat.id)
    assert [one.message.content for one in stored.chats.entries(chat.id)] == ["Do they?"]


def test_deleted_chats_are_removed_for_good_in_their_own_time(stored: Stored) -> None:
    chat, other = opened(stored), opened(stored)
    message = said(chat, "Do they?", NOW)
    stored.chats.say(chat.id, (message,), NOW)
    session = complete(stored.sessions, chat)
    stored.sessions.delete(session.id, later(days=1))
    stored.chats.delete(chat.id, later(days=9))
    assert stored.sessions.purge(later(days=5)) == 1
    assert stored.chats.message(message.id) == message
    assert stored.sessions.purge(later(days=10)) == 0
    with pytest.raises(ChatNotFound):
        stored.chats.restore(chat.id)
    with pytest.raises(MessageNotFound):
        stored.chats.message(message.id)
    assert [one.id for one in stored.chats.chats("local")] == [other.id]


def test_answers_can_be_rated(stored: Stored) -> None:
    chat = opened(stored)
    answer = said(chat, "> Kühlung", NOW, (PASSAGE,))
    stored.chats.say(chat.id, (answer,), NOW)

    def rating(message_id: UUID) -> MessageFeedback:
        return MessageFeedback(
            id=uuid4(),
            message_id=message_id,
            user_id="local",
            rating=Rating.NEGATIVE,
            feedback_text="wrong page",
            created_at=NOW,
        )

    given = rating(answer.id)
    stored.users.rate(given)
    assert stored.users.feedback(answer.id) == (given,)
    with pytest.raises(SessionNotFound):
        stored.users.rate(rating(uuid4()))
