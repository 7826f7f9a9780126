"""One round of a step: its queries to the project, and what their passages say, verbatim."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from citeloom.application.ports.index import Passage
from citeloom.application.review.roles import Desk
from citeloom.application.review.sentence_relevance import Asked, Paragraph, Weighing
from citeloom.application.search.hits import Hits, SearchQuestion
from citeloom.application.search.searcher import Searcher
from citeloom.application.verification.evidence_search import NO_EVIDENCE, Sentence
from citeloom.domain.documents.conversion import BlockLabel
from citeloom.domain.research.session import ResearchSession, Source, SourceSpan
from citeloom.domain.review.evidence.quotable_sentences import bullet, is_apart, is_statement
from citeloom.domain.review.planning.term_weights import sought as words_sought
from citeloom.domain.review.planning.term_weights import telling_words
from citeloom.domain.review.report.model import Gap, SubQuestion
from citeloom.domain.search.filters import Filter
from citeloom.domain.search.fusion import Mode
from citeloom.domain.text.phrasing import shortened
from citeloom.domain.text.terms import Spread
from citeloom.domain.verification.claims.evidence_spans import (
    THRESHOLD,
    EvidenceSpan,
    evidence_spans,
    points_back,
)

_SNIPPET = 300
# Of a document that answers in many places this share is read: others are to be heard too.
_OF_DOCUMENT = 0.5
_DEEPER = 3
_NEAREST = 2


@dataclass(frozen=True, slots=True)
class Quote:
    """A span of a document with the passage that it was found in."""

    passage: Passage
    span: EvidenceSpan

    @property
    def document_id(self) -> str:
        return self.passage.chunk.doc_id

    @property
    def text(self) -> str:
        return self.span.quote

    @property
    def place(self) -> tuple[str, int, int]:
        return (self.document_id, self.span.start_offset, self.span.end_offset)


@dataclass(frozen=True, slots=True)
class QueryEvidence:
    """What a query found: passages, the best first, and quotes of them."""

    passages: tuple[Passage, ...]
    quotes: tuple[Quote, ...]
    warnings: tuple[str, ...] = ()


class Gathering:
    """Asks one project for a session."""

    def __init__(
        self, desk: Desk, searcher: Searcher, session: ResearchSession, filter: Filter
    ) -> None:
        self._desk = desk
        self._searcher = searcher
        self._session = session
        self._filter = Filter(clauses=(*filter.clauses, NO_EVIDENCE))
        self._weighing = Weighing(desk.closeness, self._spread)

    def look(self, text: str, passages: int) -> tuple[Passage, ...]:
        """The passages that a query finds, without what they say. Raises what the search
        raises."""
        with self._searcher.search([self._desk.project], self._question(text, passages)) as hits:
            return tuple(_of_several(hits, passages))

    def find(self, query: str, passages: int, sub: SubQuestion) -> QueryEvidence:
        """What ``query`` finds, with the sentences that say most about what ``sub`` asks; where
        that was not asked for, only those that have all of its facets."""
        asked = self._weighing.asked(sub.sought, sub.subject)
        named = () if sub.asked else sub.facets
        question = self._question(query, passages)
        with self._searcher.search([self._desk.project], question) as hits:
            found = _of_several(hits, passages)
            scores = hits.sentence_scores([passage.chunk.id for passage in found])
            warnings = hits.warnings
        closest = max((score for one in scores.values() for score in one), default=0.0)
        quotes: dict[tuple[str, int, int], Quote] = {}
        # A document after the other: the conversions of many are not kept at once.
        by_document = sorted(range(len(found)), key=lambda n: (found[n].chunk.doc_id, n))
        for number in by_document:
            passage = found[number]
            own = scores.get(passage.chunk.id, ())
            for quote in self._quotes(asked, passage, own, closest):
                known = quotes.get(quote.place)
                if known is None or known.span.relevance_score < quote.span.relevance_score:
                    quotes[quote.place] = quote
        wanted = words_sought(" ".join(named))
        ordered = sorted(
            (one for one in quotes.values() if wanted.weights.keys() <= wanted.in_text(one.text)),
            key=lambda one: (-one.span.relevance_score, one.place),
        )
        return QueryEvidence(tuple(found), tuple(ordered), warnings)

    def gap(
        self, step: int, sub: SubQuestion, found: Sequence[Passage], *, quoted: bool
    ) -> Gap | None:
        """What a step asks for and the project does not have; None where it has all of it."""
        asked = self._weighing.asked(sub.sought, sub.subject)
        words = asked.words
        nearest: dict[str, str] = {}
        shared: set[str] = set()
        for passage in () if quoted else found:
            if len(nearest) < _NEAREST and passage.chunk.doc_id not in nearest:
                told = self._desk.evidence.quote(_whole(passage))
                name = told.citation or told.title or passage.chunk.doc_id
                nearest[passage.chunk.doc_id] = name
                shared |= words.in_text(passage.chunk.text)
        if quoted and not words.absent:
            return None
        return Gap(
            step=step,
            absent=words.absent,
            nearest=tuple(nearest.values()),
            shared=tuple(
                one
                for one in telling_words(asked.text)
                if not shared.isdisjoint(words.stems_of(one))
            ),
        )

    def source(self, passage: Passage, step: int, title: str, at: datetime) -> Source:
        """The document of a passage as the record keeps it."""
        evidence = self._desk.evidence.quote(_whole(passage))
        document_id = passage.chunk.doc_id
        text = passage.chunk.text
        return Source(
            id=self._session.part_id("source", document_id),
            research_session_id=self._session.id,
            chat_id=self._session.chat_id,
            url=self._desk.evidence.document_url(document_id),
            title=(evidence.title or document_id)[:500],
            snippet=shortened(text, _SNIPPET),
            step_index=step,
            step_title=title[:500],
            document_id=document_id,
            citekey=evidence.citekey,
            created_at=at,
        )

    def span(self, quote: Quote, step: int, at: datetime) -> SourceSpan:
        """A quote as the record keeps it, with all that is needed to cite and to open it."""
        span = quote.span
        told = self._desk.evidence.quote(
            Sentence(
                text=span.quote,
                document_id=quote.document_id,
                start=span.start_offset,
                end=span.end_offset,
                closeness=span.relevance_score,
                relevance=span.relevance_score,
            )
        )
        return SourceSpan(
            id=self._session.part_id("span", *quote.place),
            source_id=self._session.part_id("source", quote.document_id),
            quote=span.quote,
            start_offset=span.start_offset,
            end_offset=span.end_offset,
            section_heading=told.section[:500] if told.section else None,
            relevance_score=told.relevance,
            has_numeric_content=span.has_numeric_content,
            page=told.page,
            page_label=told.page_label,
            regions=told.regions,
            citation=told.citation,
            address=told.address,
            knowledge_uri=told.knowledge_uri,
            step_index=step,
            created_at=at,
        )

    def _spread(self, words: Sequence[str]) -> Spread | None:
        return self._searcher.spread(self._desk.project, words, self._filter)

    def _question(self, text: str, passages: int) -> SearchQuestion:
        project = self._desk.project
        return SearchQuestion(
            text=text,
            mode=Mode.HYBRID if project.hybrid_enabled else Mode.DENSE,
            filter=self._filter,
            depth=passages,
        )

    def _quotes(
        self, asked: Asked, passage: Passage, scores: Sequence[float], closest: float
    ) -> Iterator[Quote]:
        for paragraph in self._paragraphs(passage):
            values = self._weighing.relevances(asked, passage, paragraph, scores, closest)
            found = evidence_spans(
                paragraph.text, asked.text, values, offset=paragraph.start, threshold=THRESHOLD
            )
            for span in found:
                whole = _without_mark(span)
                if whole is not None and not points_back(whole.quote):
                    yield Quote(passage, whole)

    def _paragraphs(self, passage: Passage) -> Iterator[Paragraph]:
        """The paragraphs of prose that a passage has, whole."""
        document = self._desk.sources.conversion(passage.chunk.doc_id)
        here = passage.chunk.char_span
        if not document.blocks:
            heading = passage.chunk.section_heading
            yield Paragraph(here.start, passage.chunk.text, (heading,) if heading else ())
        for block in document.blocks:
            meets = block.span.start < here.end and here.start < block.span.end
            if not meets or not block.is_prose:
                continue
            path = document.structure.section_path_at(block.span.start)
            if path is None or not any(is_apart(heading) for heading in path.segments):
                yield Paragraph(
                    block.span.start,
                    document.text_of(block.span),
                    tuple(path.segments) if path else (),
                    is_item=block.label is BlockLabel.LIST_ITEM,
                )


def _of_several(hits: Hits, most: int) -> list[Passage]:
    """The best ``most`` passages; those of documents that have several better ones stand back,
    for where other documents have nothing."""
    counts: Counter[str] = Counter()
    found: list[Passage] = []
    back: list[Passage] = []
    for passage in hits.passages([hit.id for hit in hits.ranked[: _DEEPER * most]]):
        counts[passage.chunk.doc_id] += 1
        (found if counts[passage.chunk.doc_id] <= _OF_DOCUMENT * most else back).append(passage)
    return [*found[:most], *back[: max(0, most - len(found))]]


def _whole(passage: Passage) -> Sentence:
    chunk = passage.chunk
    return Sentence(
        chunk.text, chunk.doc_id, chunk.char_span.start, chunk.char_span.end, 1, 1, passage=passage
    )


def _without_mark(span: EvidenceSpan) -> EvidenceSpan | None:
    """The span without the mark of a list at its beginning; None if what is left is no whole
    statement."""
    cut = bullet(span.quote)
    whole = span.model_copy(
        update={"quote": span.quote[cut:], "start_offset": span.start_offset + cut}
    )
    return whole if is_statement(whole.quote) else None
