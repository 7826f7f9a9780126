"""What the view *History* shows: kept questions and reviews, and the messages of one chat."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research.session import (
    RECOVERABLE,
    AnswerPassage,
    Chat,
    ChatEntry,
    MessageFeedback,
    MessageRole,
)

from .ask import Marked, marked, printed_pages
from .source import CitedPassage, SourcePage, source_page

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

_ROWS: Final = 50
#: Chats that are looked through for the questions of one project.
_MOST_READ: Final = 100


class HistoryAddress(NamedTuple):
    """The parameters of the view's URL; ``passage`` counts those of the chat, from 1; ``start`` the
    chats, from 0."""

    chat: UUID | None = None
    passage: int = 1
    page: int | None = None
    start: int = 0

    def url(self, passage: int, page: int | None = None) -> str:
        named = {"chat": str(self.chat), "passage": passage}
        return "/history?" + urlencode(named | ({"page": page} if page else {}))


class KeptChat(NamedTuple):
    """A chat in the list; ``what`` describes its content, ``project`` is that of its passages."""

    id: UUID
    title: str
    what: str
    project: str
    at: datetime
    url: str


class DeletedChat(NamedTuple):
    id: UUID
    title: str
    until: datetime


class KeptPassage(NamedTuple):
    """A passage as it was quoted when the question was asked."""

    number: int
    passage: AnswerPassage
    text: Marked
    where: str
    url: str
    is_chosen: bool


class KeptAnswer(NamedTuple):
    """A question with its answer: ``passages``, or a review at ``review``. ``again`` asks it
    again."""

    question: str
    at: datetime
    message: UUID
    passages: Sequence[KeptPassage]
    review: str | None
    again: str | None
    feedback: Sequence[MessageFeedback]


class ShownChat(NamedTuple):
    """``project`` is that of the passages, empty without any."""

    id: UUID
    title: str
    project: str
    answers: Sequence[KeptAnswer]
    chosen: KeptPassage | None
    page: SourcePage | None
    note: str | None


class HistoryView(NamedTuple):
    kept: Sequence[KeptChat] = ()
    deleted: Sequence[DeletedChat] = ()
    chat: ShownChat | None = None
    before: str | None = None
    after: str | None = None


def remembered(application: "Application", asked: HistoryAddress) -> HistoryView:
    """Raises ChatNotFound."""
    chats = application.research.chats
    if asked.chat is not None:
        return HistoryView(chat=_shown(application, asked, chats.show(asked.chat)))
    listed = chats.list()
    after = asked.start + _ROWS
    return HistoryView(
        kept=[
            _kept(one, chats.entries(one.id)) for one in listed[asked.start : asked.start + _ROWS]
        ],
        deleted=[
            DeletedChat(one.id, one.title or "Untitled", one.deleted_at + RECOVERABLE)
            for one in chats.list(deleted=True)
            if one.deleted_at is not None
        ],
        before=f"/history?start={max(0, asked.start - _ROWS)}" if asked.start else None,
        after=f"/history?start={after}" if after < len(listed) else None,
    )


def kept_questions(application: "Application", project: str, most: int) -> Sequence[KeptChat]:
    """The chats with passages of a project, the last changed first."""
    chats = application.research.chats
    found: list[KeptChat] = []
    for one in chats.list()[:_MOST_READ]:
        kept = _kept(one, chats.entries(one.id))
        if kept.project == project and kept.url.startswith("/history"):
            found.append(kept)
        if len(found) == most:
            break
    return found


def _kept(chat: Chat, entries: Sequence[ChatEntry]) -> KeptChat:
    reviews = {one.session_id for one in entries if one.session_id}
    questions = sum(
        one.session_id is None and one.message.role is MessageRole.USER for one in entries
    )
    told = [
        f"{count} {name}{'s' if count > 1 else ''}"
        for count, name in ((questions, "question"), (len(reviews), "review"))
        if count
    ]
    only = next(iter(reviews)) if len(reviews) == 1 and not questions else None
    return KeptChat(
        id=chat.id,
        title=chat.title or _first(entries) or "Untitled",
        what=", ".join(told) or "empty",
        project=_project(entries),
        at=chat.updated_at,
        url=f"/review?session={only}" if only else f"/history?chat={chat.id}",
    )


def _first(entries: Sequence[ChatEntry]) -> str:
    return next((one.message.content or "" for one in entries), "")


def _project(entries: Sequence[ChatEntry]) -> str:
    passages = (passage for one in entries for passage in one.message.passages or ())
    return next((one.project for one in passages), "")


def _shown(application: "Application", asked: HistoryAddress, chat: Chat) -> ShownChat:
    entries = application.research.chats.entries(chat.id)
    answers = list(_answers(application, asked, entries))
    passages = [passage for one in answers for passage in one.passages]
    chosen = next((one for one in passages if one.is_chosen), None)
    page, note = None, None
    if chosen is not None:
        kept = chosen.passage
        place = CitedPassage(
            ProjectId.parse(kept.project), kept.document_id, asked.page or kept.page, None
        )
        page, note = source_page(
            application, place, lambda number: asked.url(asked.passage, number), kept.text
        )
    title = chat.title or _first(entries) or "Untitled"
    return ShownChat(chat.id, title, _project(entries), answers, chosen, page, note)


def _answers(
    application: "Application", asked: HistoryAddress, entries: Sequence[ChatEntry]
) -> Iterator[KeptAnswer]:
    number = 0
    question: ChatEntry | None = None
    for entry in entries:
        if entry.message.role is MessageRole.USER:
            question = entry
            continue
        text = (question.message.content or "") if question else ""
        passages = [
            KeptPassage(
                number=number + place,
                passage=one,
                text=marked(one.text),
                where=printed_pages(one.page_labels, None),
                url=asked.url(number + place),
                is_chosen=number + place == asked.passage,
            )
            for place, one in enumerate(entry.message.passages or (), start=1)
        ]
        number += len(passages)
        project = passages[0].passage.project if passages else ""
        yield KeptAnswer(
            question=text,
            at=entry.message.created_at,
            message=entry.message.id,
            passages=passages,
            review=f"/review?session={entry.session_id}" if entry.session_id else None,
            again="/ask?" + urlencode({"project": project, "q": text}) if passages else None,
            feedback=application.research.users.feedback(entry.message.id),
        )
