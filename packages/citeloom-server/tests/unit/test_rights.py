"""Rights in use: read again, of jobs, and of chats whose project was taken away."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from support.builders import SteadyClock
from support.cases import each
from support.in_memory.chat_record import InMemoryChatRecord
from support.in_memory.principals import InMemoryPrincipalStore
from support.in_memory.research_record import InMemoryResearchRecord
from support.in_memory.stores import InMemoryCatalogue
from support.stores.catalogues import HERE, THERE, a_project

from citeloom.application.research.chats import Chats
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.research.session import (
    AnswerPassage,
    ChatNotFound,
    Message,
    MessageNotFound,
    MessageRole,
)
from citeloom_server.application.access.access import digests_of
from citeloom_server.application.access.current_rights import CurrentRights, JobSight
from citeloom_server.application.access.permitted.research import PermittedChatRecord
from citeloom_server.domain.access import Principal, Role, principal_name

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Group:
    """Two projects; each principal has the roles that it is given."""

    def __init__(self) -> None:
        self.catalogue = InMemoryCatalogue()
        for id in (HERE, THERE):
            self.catalogue.add_project(a_project(id))
        self.store = InMemoryPrincipalStore(self.catalogue)
        for name in ("ada", "bob", "root"):
            added = Principal(name=name, created_at=AT, is_administrator=name == "root")
            self.store.add(added, digests_of(name))

    def rights(self, name: str) -> CurrentRights:
        found = self.store.rights(name)
        assert found is not None
        return CurrentRights(self.store, SteadyClock(), found)

    def sight(self, name: str) -> JobSight:
        return JobSight(self.rights(name), self.catalogue)


@pytest.fixture
def group() -> Group:
    return Group()


def test_rights_are_read_anew_and_end_with_the_principal(group: Group) -> None:
    rights = group.rights("ada")
    assert not rights.may_read(HERE)
    group.store.grant("ada", HERE, Role.READER)
    assert rights.may_read(HERE)
    group.store.remove("ada", AT)
    assert not rights.may_read(HERE)


def test_another_principal_of_the_name_does_not_inherit_what_goes_on(group: Group) -> None:
    rights = group.rights("ada")
    group.store.remove("ada", AT)
    again = Principal(name="ada", created_at=datetime.now(UTC))
    group.store.add(again, digests_of("new"), again=True)
    group.store.grant("ada", HERE, Role.OWNER)
    assert not rights.may_read(HERE)


def test_ingests_are_seen_by_readers_and_other_jobs_by_their_owner(group: Group) -> None:
    group.store.grant("ada", HERE, Role.READER)
    group.store.grant("bob", HERE, Role.OWNER)
    ada, bob, root = map(group.sight, ("ada", "bob", "root"))
    here, there = HERE.value, THERE.value
    assert ada.sees("ingest", here, "bob")
    assert not ada.sees("verify", here, "bob")
    assert not ada.sees("ingest", there, "bob")
    assert ada.sees("verify", here, "ada")
    assert not ada.sees("verify", there, "ada")
    assert ada.sees("validate", "", "ada")
    assert root.sees("verify", there, "bob")
    assert not ada.may_cancel(here, "bob")
    assert bob.may_cancel(here, "ada")
    assert not bob.may_change("no project at all")


def test_an_ingest_into_a_project_that_is_still_to_come_is_seen_by_its_owner(group: Group) -> None:
    assert group.sight("ada").sees("ingest", "ada/new", "ada")
    assert not group.sight("bob").sees("ingest", "ada/new", "ada")


def test_answers_from_a_project_go_with_the_role_and_questions_stay(group: Group) -> None:
    group.store.grant("ada", HERE, Role.READER)
    record, rights = InMemoryChatRecord(InMemoryResearchRecord()), group.rights("ada")
    permitted = PermittedChatRecord(record, InMemoryResearchRecord(), rights)
    clock = SteadyClock()
    chats = Chats(permitted, InMemoryResearchRecord(), clock, uuid4, "ada")
    chat = chats.open("ponds")
    passage = AnswerPassage.model_construct(project=HERE.value)
    question = Message(
        id=uuid4(), chat_id=chat.id, role=MessageRole.USER, content="?", created_at=AT
    )
    answer = question.model_copy(
        update={"id": uuid4(), "role": MessageRole.AGENT, "passages": (passage,)}
    )
    record.say(chat.id, [question, answer], AT)
    assert len(chats.entries(chat.id)) == 2
    group.store.revoke("ada", HERE)
    assert [one.message.id for one in chats.entries(chat.id)] == [question.id]
    with pytest.raises(MessageNotFound):
        chats.message(answer.id)
    other = PermittedChatRecord(record, InMemoryResearchRecord(), group.rights("bob"))
    with pytest.raises(ChatNotFound):
        other.chat(chat.id)


@each("name", ["", "Ada", "a b", "-a", "a-", "ä", "local", "x" * 41, "a/b"])
def test_what_is_no_name_of_a_principal_is_told(name: str) -> None:
    with pytest.raises(InvalidRequest, match="no name of a principal"):
        principal_name(name)
