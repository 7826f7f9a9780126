"""Answers of searches: hits of one question or several, of bounded size."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, NamedTuple, cast

from pydantic import Field
from typing_extensions import TypedDict

from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.domain.search.request import QueryResult, QueryResultItem
from citeloom.infrastructure.serving.next_steps import in_words

from .contents import (
    MOST_TOKENS,
    FoundDocument,
    Hit,
    NearbyText,
    PassageId,
    Reply,
    file_name,
    found_document,
    full_passage,
    nearby,
    nearby_text,
    short_hit,
    size,
    told,
)

# What an answer has besides its hits and documents: warnings, questions, addresses.
_RESERVED: Final = 1000


class FurtherReply(TypedDict, total=False):
    """What was found for one of the further questions."""

    text: str
    items: list[Hit]
    also: Annotated[list[str], Field(description="addresses of hits above that fit here too")]
    warnings: list[str]


class SearchReply(Reply, total=False):
    """The hits, best first, and the documents that they are from; with ``details`` the models
    instead."""

    project: Annotated[str, Field(description="that was searched, where none was named")]
    items: list[Hit]
    count: int
    documents: list[FoundDocument]
    more: list[FurtherReply]
    left_out: int
    model: str
    hybrid_enabled: bool
    dense_model: str
    sparse_model: str
    fusion: str


class _Asked(NamedTuple):
    """A hit and the number of the question that it was found for first."""

    question: int
    item: QueryResultItem
    project: str | None
    """Of the hit, where several were searched."""


def found(results: Sequence[QueryResult], *, offset: int = 0, details: bool = False) -> SearchReply:
    """The hits of all questions from ``offset`` on, each once, as many as an answer may hold.
    ``details`` gives all fields of the contract."""
    hits, also = _each_once(results)
    shown = _fitting(hits[offset:], details)
    items: list[list[Any]] = [[] for _ in results]
    for (question, *_), hit in zip(hits[offset:], shown, strict=False):
        items[question].append(hit)
    first, *further = results
    answer: SearchReply = {"items": items[0], "count": len(items[0])}
    if shown and not details:
        answer["documents"] = _documents(hits[offset : offset + len(shown)])
    if further:
        answer["more"] = [
            _further(result, items[number], also[number])
            for number, result in enumerate(further, start=1)
        ]
    after = offset + len(shown)
    if after < len(hits):
        answer["left_out"] = len(hits) - after
        answer["next"] = f"the same with offset {after}"
    warnings = [in_words(one) for one in (*first.warnings, *_unnamed(hits))]
    if warnings and not offset:
        answer["warnings"] = warnings
    return answer


def _each_once(results: Sequence[QueryResult]) -> tuple[list[_Asked], list[list[str]]]:
    """The hits in the order of the questions; and for each question the addresses of those
    that an earlier one has found."""
    hits, also = list[_Asked](), [list[str]() for _ in results]
    seen = set[PassageId]()
    for number, result in enumerate(results):
        for item in result.items:
            if _id(item) in seen:
                also[number].append(item.knowledge_uri)
            else:
                seen.add(_id(item))
                project = item.project if item.project != result.project else None
                hits.append(_Asked(number, item, project))
    return hits, also


def _fitting(hits: Sequence[_Asked], details: bool) -> list[Any]:
    """As many hits as fit, at least one, with the neighbours that fit beside them. No passage
    is shown twice."""
    shown = list[Any]()
    left, seen = MOST_TOKENS - _RESERVED, {_id(hit.item) for hit in hits}
    named = set[str]()
    for _, item, project in hits:
        hit: Any = full_passage(item.model_dump(mode="json")) if details else short_hit(item)
        if project:
            hit["project"] = project
        needed = size(hit)
        if item.document_id not in named:
            needed += size(found_document(item))
        if shown and needed > left:
            break
        left -= needed
        named.add(item.document_id)
        beside = list[NearbyText]()
        for one in nearby(item, seen):
            text = nearby_text(one, item)
            if (needed := size(text)) > left:
                break
            left -= needed
            seen.add((item.project, one.chunk_id))
            beside.append(text)
        if beside:
            hit["context"] = sorted(beside, key=lambda text: text["offset"])
        shown.append(hit)
    return shown


def _documents(hits: Sequence[_Asked]) -> list[FoundDocument]:
    return list({item.document_id: found_document(item) for _, item, _ in hits}.values())


def _further(result: QueryResult, items: list[Hit], also: list[str]) -> FurtherReply:
    warnings = [in_words(one) for one in result.warnings]
    reply = {"text": result.query, "items": items, **told(also=also, warnings=warnings)}
    return cast(FurtherReply, reply)


def _unnamed(hits: Sequence[_Asked]) -> list[str]:
    """Why hits have no citation, once."""
    names = dict.fromkeys(file_name(item) for _, item, _ in hits if item.citation is None)
    if not names:
        return []
    return [
        UserMessage(
            f"no citation for {', '.join(names)}: no reference file names a citation key for it",
            NextStep(Action.ADD_REFERENCES),
        )
    ]


def _id(item: QueryResultItem) -> PassageId:
    return item.project, item.chunk_id
