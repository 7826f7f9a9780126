"""Chats of a user, and answers that quote what a query found."""

from datetime import timedelta
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest
from support.in_memory.chat_record import InMemoryChatRecord
from support.in_memory.research_record import (
    InMemoryResearchRecord,
    InMemoryUserRecord,
)
from support.research.records import NOW, a_chat
from support.world import GRIDS, HERE, PONDS, World

from citeloom.application.research.chats import Chats, QuotedAnswers, Users
from citeloom.domain.errors import InvalidRequest, ProjectNotFound
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research.session import (
    RECOVERABLE,
    ChatNotFound,
    Depth,
    MessageNotFound,
    MessageRole,
    QueryMode,
)
from citeloom.domain.search.request import QueryRequest


class Clock:
    at = NOW

    def now(self) -> Any:
        return self.at


class Desk:
    def __init__(self) -> None:
        self.sessions = InMemoryResearchRecord()
        self.record = InMemoryChatRecord(self.sessions)
        self.clock = Clock()
        self.chats = Chats(self.record, self.sessions, cast(Any, self.clock), uuid4)

    def answers(self, world: World) -> QuotedAnswers:
        query = world.application.search.query
        return QuotedAnswers(self.chats, self.record, query, cast(Any, self.clock), uuid4)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_chats_of_others_are_not_there(desk: Desk) -> None:
    other = a_chat(user_id="another")
    desk.record.open(other)
    assert desk.chats.list() == ()
    for asked in (desk.chats.show, desk.chats.delete, desk.chats.restore, desk.chats.entries):
        with pytest.raises(ChatNotFound):
            asked(other.id)
    assert not desk.record.chat(other.id).is_deleted


def test_a_deleted_chat_says_until_when_it_can_be_restored(desk: Desk) -> None:
    chat = desk.chats.open()
    desk.chats.delete(chat.id)
    with pytest.raises(ChatNotFound, match="was deleted; it can be restored until 2026-03-31"):
        desk.chats.rename(chat.id, "Ponds")
    assert desk.chats.list(deleted=True) == (desk.record.chat(chat.id),)
    assert desk.chats.restore(chat.id) == chat


def test_lists_remove_what_was_deleted_long_ago(desk: Desk) -> None:
    chat = desk.chats.open()
    desk.chats.delete(chat.id)
    desk.clock.at = NOW + RECOVERABLE + timedelta(seconds=1)
    assert desk.chats.list(deleted=True) == ()
    with pytest.raises(ChatNotFound):
        desk.chats.restore(chat.id)


def test_an_answer_quotes_its_passages_and_names_the_chat(desk: Desk, tmp_path: Path) -> None:
    world = World(tmp_path)
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest()
    chat = desk.chats.open()
    request = QueryRequest(project_id=HERE, query_text="cooling at one hundred metres", top_k=2)
    exchange = desk.answers(world)(chat.id, request)
    found = world.application.search.query(request)
    answer = exchange.answer
    assert (answer.role, answer.query_mode) == (MessageRole.AGENT, QueryMode.SIMPLE)
    assert [one.text for one in answer.passages or ()] == [one.text for one in found.items]
    quoted = "\n".join(line[2:] for line in (answer.content or "").splitlines() if line)
    assert all(one.text in quoted for one in found.items)
    assert [one.message for one in desk.chats.entries(chat.id)] == [exchange.question, answer]
    assert desk.chats.show(chat.id).title == request.query_text
    assert desk.chats.message(answer.id) == answer
    desk.chats.delete(chat.id)
    with pytest.raises(MessageNotFound):
        desk.chats.message(answer.id)


def test_a_question_that_cannot_be_asked_leaves_nothing(desk: Desk, tmp_path: Path) -> None:
    chat = desk.chats.open()
    nowhere = QueryRequest(project_id=ProjectId.parse("nowhere"), query_text="x")
    with pytest.raises(ProjectNotFound):
        desk.answers(World(tmp_path))(chat.id, nowhere)
    assert desk.chats.entries(chat.id) == ()
    assert desk.chats.show(chat.id) == chat


def test_preferences_are_replaced_as_a_whole(desk: Desk) -> None:
    users = Users(InMemoryUserRecord(desk.sessions), cast(Any, desk.clock))
    users.replace("Short.", QueryMode.SIMPLE, Depth.LIGHT)
    desk.clock.at = NOW + timedelta(days=1)
    replaced = users.replace(None, QueryMode.DEEP_RESEARCH, None)
    assert users.preferences() == replaced
    assert (replaced.system_instructions, replaced.default_research_depth) == (None, None)
    assert (replaced.created_at, replaced.updated_at) == (NOW, desk.clock.at)
    with pytest.raises(InvalidRequest, match="nothing is asked of the web"):
        users.replace(None, QueryMode.WEB_SEARCH, None)
    assert users.preferences() == replaced
