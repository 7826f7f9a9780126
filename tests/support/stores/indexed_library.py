"""A workspace whose project has documents in its index and catalogue, without papers: what is
moved, and asked, as quickly as it can be made."""

import random
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from citeloom.application.index.passage_writer import sparse_text
from citeloom.application.ports.catalogue import SourceStamp, StoredDocument
from citeloom.application.ports.index import EmbeddedPassage, Passage
from citeloom.domain.documents.spans import CharSpan, Chunk, PageSpan, chunk_id
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.request import QueryRequest
from citeloom.infrastructure.composition.application import Application, open_application

PROJECT = ProjectId.parse("p")
_SYLLABLES = "ba ce di fo gu hal ken lim mor nul pas rev sit tom vun wax yel zor qui jad".split()
# So many different words that none is in a hundred passages: engines may choose otherwise between
# candidates of one score, where there are more of them than candidates.
_WORDS = [f"{one}{two}" for one in _SYLLABLES for two in _SYLLABLES]
QUESTIONS = tuple(" ".join(_WORDS[start : start + 3]) for start in (7, 99, 300))


def indexed_library(workspace: Path, documents: int, passages: int = 12) -> Path:
    """Vectors are made up; those of words are real."""
    dice = random.Random(24)
    with closing(open_application(workspace)) as application:
        project, embedder = application.projects.opener.create(PROJECT)
        dimension = embedder.model.dimension
        with application.stores.index.open(
            project.collection, dimension=dimension, writing=True
        ) as collection:
            for number in range(documents):
                document_id = f"{number:064x}"
                made = _passages(application, document_id, passages, dimension, dice)
                collection.replace_document(document_id, made)
                application.stores.catalogue.put_document(_stored(document_id, passages))
            collection.flush()
    return workspace


def content(workspace: Path, settings: dict[str, Any]) -> tuple[str, list[Passage]]:
    """The place of the index, and its passages with ids and texts, in order."""
    with closing(open_application(workspace, settings)) as application:
        project = application.stores.catalogue.project(PROJECT)
        with application.stores.index.open(
            project.collection, dimension=project.embedding_model.dimension
        ) as collection:
            place = project.retrieval.place
            return (place.url if place else "local"), list(collection.passages())


class Score(float):
    """Equal to one a thousandth away: engines add up in another order, and by processor."""

    __hash__ = float.__hash__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Score) and abs(self - other) <= 0.001


Answer = tuple[list[tuple[str, Score]], tuple[str, ...]]


def answers(workspace: Path, settings: dict[str, Any]) -> list[Answer]:
    with closing(open_application(workspace, settings)) as application:
        return asked(application)


def asked(application: Application) -> list[Answer]:
    """To each question passages with their scores, best first, and what is said about them."""
    found = []
    for question in QUESTIONS:
        request = QueryRequest(project_id=PROJECT, query_text=question, top_k=10)
        result = application.search.query(request)
        best = [(item.chunk_id, Score(item.score)) for item in result.items]
        found.append((best, tuple(map(str, result.warnings))))
    return found


def _passages(
    application: Application, document_id: str, count: int, dimension: int, dice: random.Random
) -> list[EmbeddedPassage]:
    made = [_passage(document_id, idx, dice) for idx in range(count)]
    words = application.models.sparse.embed(map(sparse_text, made), "en", 12.0)
    return [
        EmbeddedPassage(each, _unit(dimension, dice), terms, [_unit(dimension, dice)])
        for each, terms in zip(made, words, strict=True)
    ]


def _passage(document_id: str, idx: int, dice: random.Random) -> Passage:
    text = f"Part {idx}: {' '.join(dice.choices(_WORDS, k=12))}."
    page = PageSpan(start=idx + 1, end=idx + 1)
    chunk = Chunk(
        id=chunk_id(document_id, page, (), "made", idx),
        doc_id=document_id,
        chunk_idx=idx,
        text=text,
        char_span=CharSpan(start=0, end=len(text)),
        page_span=page,
    )
    whole = CharSpan(start=0, end=len(text))
    return Passage(chunk=chunk, title=None, source_path=f"/{document_id}.md", sentences=(whole,))


def _unit(dimension: int, dice: random.Random) -> Sequence[float]:
    numbers = [dice.gauss(0, 1) for _ in range(dimension)]
    length = sum(number * number for number in numbers) ** 0.5
    return [number / length for number in numbers]


def _stored(document_id: str, chunks: int) -> StoredDocument:
    return StoredDocument(
        project_id=PROJECT,
        document_id=document_id,
        mime_type="text/markdown",
        pages=chunks,
        chunks=chunks,
        language="en",
        sources=(SourceStamp(path=f"/{document_id}.md", size=1, mtime_ns=1),),
        conversion="made",
        chunking="made",
        embedding="made",
        stored_at=datetime.now(UTC),
    )
