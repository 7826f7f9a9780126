"""A catalogue with rows in all of its tables, in letters of many scripts."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

from support.research.records import a_chat, begin, complete
from support.stores.catalogues import HERE, ID_A, ID_B, THERE, a_citation, a_document, a_project

from citeloom.application.ports.catalogue import IndexedDocument, SourceStamp
from citeloom.application.ports.library import EntryKind, Following, LibraryEntry
from citeloom.application.ports.research import KeptCell
from citeloom.domain.citation.own import OwnChange, OwnMetadata
from citeloom.domain.jobs import JobStatus, RecordedJob
from citeloom.domain.library import (
    AnnotationKind,
    LibraryAnnotation,
    LibraryKind,
    LibraryRef,
    LibraryScope,
)
from citeloom.domain.research.session import (
    LOCAL_USER,
    Depth,
    Message,
    MessageFeedback,
    MessageRole,
    QueryMode,
    Rating,
    UserPreferences,
)
from citeloom.domain.resources.metadata import ResourceLabel
from citeloom.domain.review.report.table import CellState, PaperCell
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom.infrastructure.storage.jobs import SqlJobRecord
from citeloom.infrastructure.storage.research.record import (
    SqlChatRecord,
    SqlResearchRecord,
    SqlTableStore,
    SqlUserRecord,
)
from citeloom.infrastructure.storage.stores import (
    SqlAnnotationStore,
    SqlFollowedLibraries,
    SqlLabelStore,
    SqlOwnRecords,
)
from citeloom_server.application.access.access import digests_of
from citeloom_server.application.answers import GivenAnswer, RequestKey
from citeloom_server.application.audit.ports import AuditEvent, AuditOrigin
from citeloom_server.domain.access import Principal, Role
from citeloom_server.infrastructure.idempotency.requests import SqlAnswerRecord
from citeloom_server.infrastructure.operation.audit_trail import SqlAuditTrail
from citeloom_server.infrastructure.principals.store import SqlPrincipalStore

_NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def fill(url: str) -> None:
    """Write papers, labels, annotations, followed libraries, reviews and chats."""
    _fill_library(url)
    _fill_research(url)
    _fill_jobs(url)


def _fill_jobs(url: str) -> None:
    job = RecordedJob(
        id=uuid4().hex, kind="ingest", project=HERE.value, owner="Ångström", digest="d",
        worker="one", heard_at=_NOW, created_at=_NOW,
    )  # fmt: skip
    jobs = SqlJobRecord(url)
    jobs.enter(job, '{"sources": ["/päpers"]}')
    ended = job.progress.model_copy(update={"status": JobStatus.DONE})
    jobs.finish(job.model_copy(update={"progress": ended, "ended_at": _NOW}), '{"n": 1}')
    jobs.close()
    answers = SqlAnswerRecord(url)
    request = RequestKey(owner="Ångström", key="k1", target="POST /chats?")
    answers.begin(request, "one", _NOW)
    answers.keep(request, GivenAnswer(digest="d", status=201, headers=(("a", "b"),), body=b"{}"))
    answers.close()


def _fill_library(url: str) -> None:
    catalogue = SqlCatalogue(url)
    for project_id in (HERE, THERE):
        catalogue.add_project(a_project(project_id))
    catalogue.put_document(a_document(ID_A, citation=a_citation(), citation_how="doi"))
    catalogue.put_document(a_document(ID_B, project_id=THERE, title=None, warnings=("früh",)))
    catalogue.put_indexed(
        HERE,
        "proj-local-thesis~m1~",
        IndexedDocument(
            document_id=ID_A, chunks=3, conversion="a", chunking="b", embedding="c", cited="d"
        ),
    )
    catalogue.close()
    principals = SqlPrincipalStore(url)
    principals.add(Principal(name="ada", created_at=_NOW), digests_of("a token"))
    principals.grant("ada", THERE, Role.OWNER)
    principals.add(Principal(name="bob", created_at=_NOW), digests_of("another token"))
    principals.remove("bob", _NOW)
    principals.close()
    trail = SqlAuditTrail(url)
    for number in range(3):
        trail.append(
            AuditEvent(
                id=f"e{number}", time=_NOW, origin=AuditOrigin.REST, action="remove_document",
                principal="Ångström", project=HERE.value, object="Städte 法則", count=number + 1,
            )
        )  # fmt: skip
    trail.close()
    labels = SqlLabelStore(url)
    for value in ("Methode – 手法", "e\N{COMBINING ACUTE ACCENT}"):
        target = f"ndk://file/thesis/{value[:1]}/$body"
        labels.put(HERE, ID_A, ResourceLabel(name="topic", target=target, value=value))
    labels.close()
    annotations = SqlAnnotationStore(url)
    annotations.put(
        HERE,
        ID_A,
        [
            LibraryAnnotation(
                key="KEY",
                attachment_key="ATT",
                library=LibraryRef(kind=LibraryKind.GROUP, id=7, name="Städte", version=12),
                kind=AnnotationKind.UNDERLINE,
                rects=((1.5, 2.25, 0.1 + 0.2, 4.0),),
            )
        ],
    )
    annotations.close()
    followed = SqlFollowedLibraries(url)
    scope = LibraryScope(collections=("Thesis",), groups=("*",), user=False)
    followed.follow(
        HERE, Following(source="zotero.sqlite", place="/home/ann/Zotero", scope=scope,
                        synced_at="2026-03-01T12:00:00Z")
    )  # fmt: skip
    stamp = SourceStamp(path="/papers/ß.pdf", size=2**40, mtime_ns=2**61)
    followed.put_entries(
        HERE,
        [
            LibraryEntry(key="library/A", kind=EntryKind.ITEM, scope="{}", item="library/A"),
            LibraryEntry(key="library/B", kind=EntryKind.ATTACHMENT, scope="{}", stamp=stamp),
        ],
    )
    followed.close()
    own = SqlOwnRecords(url)
    own.put(HERE, OwnChange(document_id=ID_A, what="note", after=OwnMetadata(note="überlesen")))
    own.close()
    tables = SqlTableStore(url)
    tables.add_questions(HERE, ("Wie viele Städte?",))
    cell = PaperCell(state=CellState.SURE, answer="zwölf")
    tables.put_cells(
        HERE, [KeptCell(document_id=ID_A, question="Wie viele Städte?", version="1", cell=cell)]
    )
    tables.close()


def _fill_research(url: str) -> None:
    record, chats, users = SqlResearchRecord(url), SqlChatRecord(url), SqlUserRecord(url)
    session = complete(record)
    deleted = complete(record)
    begin(record)
    record.delete(deleted.id, _NOW)
    chat = a_chat()
    chats.open(chat)
    common = {"chat_id": chat.id, "created_at": _NOW, "query_mode": QueryMode.SIMPLE}
    chats.say(
        chat.id,
        [
            Message(id=uuid4(), role=MessageRole.USER, content="Kühlen Teiche?", **common),
            Message(id=uuid4(), role=MessageRole.AGENT, content=None, **common),
        ],
        _NOW,
    )
    users.prefer(
        UserPreferences(
            id=UUID(int=1),
            user_id=LOCAL_USER,
            system_instructions="auf Deutsch",
            default_research_depth=Depth.MEDIUM,
            created_at=_NOW,
            updated_at=_NOW,
        )
    )
    users.rate(
        MessageFeedback(
            id=UUID(int=2),
            message_id=session.message_id,
            user_id=LOCAL_USER,
            rating=Rating.POSITIVE,
            feedback_text="👍",
            created_at=_NOW,
        )
    )
    for one in (record, chats, users):
        one.close()
