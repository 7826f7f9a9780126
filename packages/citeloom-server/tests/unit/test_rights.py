"""Rights in use: read again, of jobs, of each method of a store, and of chats whose project was
taken away."""

from datetime import UTC, datetime
from inspect import Parameter, signature
from typing import Any
from unittest.mock import Mock
from uuid import uuid4

import pytest
from support.builders import SteadyClock
from support.cases import each
from support.in_memory.chat_record import InMemoryChatRecord
from support.in_memory.principals import InMemoryPrincipalStore
from support.in_memory.research_record import InMemoryResearchRecord
from support.in_memory.stores import InMemoryCatalogue
from support.stores.catalogues import HERE, THERE, a_project

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.citation import OwnRecords
from citeloom.application.ports.ingest import BundleStore
from citeloom.application.ports.library import AnnotationStore, FollowedLibraries
from citeloom.application.ports.maps import LabelStore
from citeloom.application.ports.research import ChatRecord, ResearchRecord, TableStore
from citeloom.application.research.chats import Chats
from citeloom.domain.errors import InvalidRequest, NotPermitted, ProjectNotFound, SessionNotFound
from citeloom.domain.research.session import (
    AnswerPassage,
    ChatNotFound,
    Message,
    MessageNotFound,
    MessageRole,
)
from citeloom_server.application.access.access import digests_of
from citeloom_server.application.access.current_rights import CurrentRights, JobSight
from citeloom_server.application.access.permitted.catalogue import PermittedCatalogue
from citeloom_server.application.access.permitted.research import (
    PermittedChatRecord,
    PermittedResearchRecord,
)
from citeloom_server.application.access.permitted.stores import (
    PermittedAnnotations,
    PermittedBundles,
    PermittedFollowedLibraries,
    PermittedLabels,
    PermittedOwnRecords,
    PermittedTables,
)
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


def methods(port: type, *besides: str) -> set[str]:
    return {name for name in vars(port) if name[0] != "_"} - {*besides}


def called(store: Any, port: type, name: str) -> Any:
    """With what a call must have; what names a project names ``HERE``."""
    given = {"project_id": HERE, "project": a_project(HERE), "document": Mock(project_id=HERE)}
    given["before"] = Mock(project=a_project(HERE))
    must = list(signature(getattr(port, name)).parameters.values())[1:]
    values = [given.get(one.name, one.name) for one in must if one.default is Parameter.empty]
    return getattr(store, name)(*values)


def is_nothing(answer: object, port: type, name: str) -> bool:
    """Empty, and None only where the port says so."""
    may_be_none = "None" in str(signature(getattr(port, name)).return_annotation)
    return not answer and (answer is None) == may_be_none


# Of each port: what only reads, and what has a rule of its own.
OF_PROJECTS: dict[type, tuple[Any, str, str]] = {
    Catalogue: (
        lambda store, rights: PermittedCatalogue(store, rights, Mock()),
        "documents version document languages passages find_documents documents_beginning indexed "
        "project state",
        "add_project projects holder amounts verify",
    ),
    LabelStore: (PermittedLabels, "labels", ""),
    AnnotationStore: (PermittedAnnotations, "annotations digests counts", ""),
    OwnRecords: (PermittedOwnRecords, "own owned last", ""),
    TableStore: (PermittedTables, "questions cells", "put_cells"),
    FollowedLibraries: (PermittedFollowedLibraries, "following entries", ""),
}


@each("port", OF_PROJECTS)
def test_each_method_of_a_store_asks_for_the_role_that_it_needs(group: Group, port: type) -> None:
    permitted, reads, besides = OF_PROJECTS[port]
    group.store.grant("ada", HERE, Role.READER)
    group.store.grant("root", HERE, Role.OWNER)
    names = methods(port, *besides.split())
    assert names > {*reads.split()}
    for name in sorted(names):
        store = Mock()
        store.projects.return_value = []
        as_seen = {who: permitted(store, group.rights(who)) for who in ("bob", "ada", "root")}
        is_change = name not in reads.split()
        if is_change or name in ("project", "state"):
            with pytest.raises(ProjectNotFound):
                called(as_seen["bob"], port, name)
        else:
            assert is_nothing(called(as_seen["bob"], port, name), port, name), name
        if is_change:
            with pytest.raises(NotPermitted):
                called(as_seen["ada"], port, name)
        assert not getattr(store, name).called, name
        for who in ("root",) if is_change else ("ada", "root"):
            called(as_seen[who], port, name)
        assert getattr(store, name).call_count == (1 if is_change else 2), name


def test_what_is_kept_of_cells_depends_on_the_role(group: Group) -> None:
    group.store.grant("ada", HERE, Role.READER)
    group.store.grant("root", HERE, Role.OWNER)
    store = Mock()
    for who in ("bob", "ada"):
        PermittedTables(store, group.rights(who)).put_cells(HERE, [])
    assert not store.put_cells.called
    PermittedTables(store, group.rights("root")).put_cells(HERE, [])
    assert store.put_cells.called


def test_conversions_of_documents_that_one_does_not_see_are_not_read(group: Group) -> None:
    store, hidden = Mock(), group.rights("bob")
    catalogue = PermittedCatalogue(group.catalogue, hidden, group.store)
    permitted = PermittedBundles(store, catalogue, hidden)
    writes = {"save", "save_map", "save_works", "refuse", "delete"}
    for name in methods(BundleStore, "ids", "map_ids", *writes):
        assert is_nothing(called(permitted, BundleStore, name), BundleStore, name), name
    assert not store.method_calls
    for name in writes:
        called(permitted, BundleStore, name)
    assert {one[0] for one in store.method_calls} == writes
    store.ids.return_value = store.map_ids.return_value = ["a" * 64]
    assert [*permitted.ids(), *permitted.map_ids()] == []


@each("kept", [(PermittedResearchRecord, ResearchRecord), (PermittedChatRecord, ChatRecord)])
def test_reviews_and_chats_of_others_are_not_there(group: Group, kept: tuple[type, type]) -> None:
    permitted, port = kept
    owned = Mock(user_id="bob", project_id=HERE.value)
    store = Mock(**{f"{name}.return_value": owned for name in ("session", "chat", "message")})
    record = permitted(store, *[Mock()] * (port is ChatRecord), group.rights("root"))
    besides = "begin open find sessions chats entries beat bury purge"
    for name in methods(port, *besides.split()):
        with pytest.raises(SessionNotFound):
            called(record, port, name)
    assert {one[0] for one in store.method_calls} <= {"session", "chat", "message"}


@each("name", ["", "Ada", "a b", "-a", "a-", "ä", "local", "x" * 41, "a/b"])
def test_what_is_no_name_of_a_principal_is_told(name: str) -> None:
    with pytest.raises(InvalidRequest, match="no name of a principal"):
        principal_name(name)
