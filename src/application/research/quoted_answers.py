"""Answers in chats from the passages of a query."""

from collections.abc import Callable
from typing import Final
from uuid import UUID

from citeloom.application.ports.research import ChatRecord
from citeloom.application.ports.system import Clock
from citeloom.application.research.chats import Chats
from citeloom.application.search.query import Query
from citeloom.domain.messages import MessageText
from citeloom.domain.research.session import AnswerPassage, Message, MessageRole, QueryMode
from citeloom.domain.search.request import QueryRequest, QueryResult, QueryResultItem
from citeloom.domain.text.phrasing import shortened
from citeloom.domain.value import Value

_TITLE: Final = 80
_NOTHING: Final = "No passage was found."


class Exchange(Value):
    """A question and its answer; ``warnings`` are those of the search."""

    question: Message
    answer: Message
    warnings: tuple[MessageText, ...] = ()


class QuotedAnswers:
    """Asks a project in a chat; the answer quotes the passages that were found."""

    def __init__(
        self,
        chats: Chats,
        record: ChatRecord,
        query: Query,
        clock: Clock,
        new_id: Callable[[], UUID],
    ) -> None:
        self._chats = chats
        self._record = record
        self._query = query
        self._clock = clock
        self._new_id = new_id

    def __call__(self, chat_id: UUID, request: QueryRequest) -> Exchange:
        """A chat without a title gets the question as its title. Raises ChatNotFound, and what
        the query raises; nothing is recorded then."""
        chat = self._chats.show(chat_id)
        asked_at = self._clock.now()
        found = self._query(request)
        question = Message(
            id=self._new_id(),
            chat_id=chat_id,
            role=MessageRole.USER,
            content=request.query_text,
            query_mode=QueryMode.SIMPLE,
            created_at=asked_at,
        )
        passages = tuple(_passage(item, found) for item in found.items)
        answered_at = self._clock.now()
        answer = question.model_copy(
            update={
                "id": self._new_id(),
                "role": MessageRole.AGENT,
                "content": _quoted(passages),
                "passages": passages,
                "created_at": answered_at,
            }
        )
        self._record.say(chat_id, (question, answer), answered_at)
        if chat.title is None:
            title = shortened(request.query_text, _TITLE)
            self._record.rename(chat_id, title, answered_at)
        return Exchange(question=question, answer=answer, warnings=found.warnings)


def _passage(item: QueryResultItem, found: QueryResult) -> AnswerPassage:
    return AnswerPassage(
        rank=item.rank,
        text=item.text,
        citation=item.citation,
        citekey=item.citekey,
        title=item.title,
        authors=item.authors,
        year=item.year,
        page=item.page_span[0] if item.page_span else None,
        page_labels=item.page_labels,
        section=item.section,
        address=item.address,
        knowledge_uri=item.knowledge_uri,
        document_id=item.document_id,
        chunk_id=item.chunk_id,
        project=item.project or found.project,
        score=item.score,
    )


def _quoted(passages: tuple[AnswerPassage, ...]) -> str:
    """Markdown: each passage as a block quotation, with its citation."""
    return "\n\n".join(map(_block, passages)) or _NOTHING


def _block(passage: AnswerPassage) -> str:
    source = passage.citation or passage.title or passage.document_id
    lines = [*passage.text.splitlines(), "", source]
    return "\n".join(f"> {line}".rstrip() for line in lines)
