"""One round of a step: its queries to the project, and what their passages say, verbatim."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from citeloom.application.ports.index import Passage
from citeloom.application.reviewing.parts import Desk
from citeloom.application.searching import Hits, Question, Searcher
from citeloom.application.verifying.evidence import (
    NO_EVIDENCE,
    Sentence,
    closeness_at,
    relevance,
    shared,
    sought_words,
)
from citeloom.domain.claims.comparing import read, stems_of
from citeloom.domain.claims.spans import THRESHOLD, EvidenceSpan, evidence_spans
from citeloom.domain.conversion import BlockLabel
from citeloom.domain.filters import Filter
from citeloom.domain.fusion import Mode
from citeloom.domain.research.quotable import (
    asks_how_much,
    bullet,
    has_verb,
    is_apart,
    is_statement,
    states_how_much,
)
from citeloom.domain.research.record import ResearchSession, Source, SourceSpan
from citeloom.domain.sentences import quotable_spans

_PROSE = (BlockLabel.TEXT, BlockLabel.LIST_ITEM)
_SNIPPET = 300
# Of a document that answers in many places so many are read: others are to be heard too.
_OF_DOCUMENT = 4
_DEEPER = 3
# A sentence less close to what is sought than this is on something else, whatever words it has.
_CLOSE = 0.3
# What a heading says counts so much for the sentences below it.
_HEADING = 0.5
# Of a sentence that states a quantity where one is asked for (the deep-research model's boost).
_NUMERIC = 0.2


@dataclass(frozen=True, slots=True)
class Quote:
    """A span of a document with the passage that it was found in."""

    passage: Passage
    span: EvidenceSpan

    @property
    def document_id(self) -> str:
        return self.passage.chunk.doc_id

    @property
    def place(self) -> tuple[str, int, int]:
        return (self.document_id, self.span.start_offset, self.span.end_offset)


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """``text`` begins at ``start`` of its document, under ``heading``."""

    start: int
    text: str
    heading: str | None
    is_item: bool = False


@dataclass(frozen=True, slots=True)
class Found:
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

    def look(self, text: str, passages: int) -> tuple[Passage, ...]:
        """The passages that a query finds, without what they say. Raises what the search
        raises."""
        with self._searcher.search([self._desk.project], self._question(text, passages)) as hits:
            return tuple(_of_several(hits, passages))

    def find(self, query: str, passages: int, named: Sequence[str] = ()) -> Found:
        """What ``query`` finds, with the sentences that say most about it; only those that have
        one of the words ``named``, if there are any."""
        question = self._question(query, passages)
        with self._searcher.search([self._desk.project], question) as hits:
            found = _of_several(hits, passages)
            scores = hits.sentence_scores([passage.chunk.id for passage in found])
            warnings = hits.warnings
        quotes: dict[tuple[str, int, int], Quote] = {}
        # A document after the other: the conversions of many are not kept at once.
        by_document = sorted(range(len(found)), key=lambda n: (found[n].chunk.doc_id, n))
        for number in by_document:
            passage = found[number]
            for quote in self._quotes(passage, scores.get(passage.chunk.id, ()), query):
                known = quotes.get(quote.place)
                if known is None or known.span.relevance_score < quote.span.relevance_score:
                    quotes[quote.place] = quote
        wanted = stems_of(read(" ".join(named)))
        if wanted:
            quotes = {
                place: quote
                for place, quote in quotes.items()
                if not wanted.isdisjoint(stems_of(read(quote.span.quote)))
            }
        ordered = sorted(quotes.values(), key=lambda one: (-one.span.relevance_score, one.place))
        return Found(tuple(found), tuple(ordered), warnings)

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
            snippet=text if len(text) <= _SNIPPET else f"{text[: _SNIPPET - 1]}…",
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

    def _question(self, text: str, passages: int) -> Question:
        project = self._desk.project
        return Question(
            text=text,
            mode=Mode.HYBRID if project.hybrid_enabled else Mode.DENSE,
            filter=self._filter,
            depth=passages,
        )

    def _quotes(self, passage: Passage, scores: Sequence[float], sought: str) -> Iterator[Quote]:
        for paragraph in self._paragraphs(passage):
            values = self._relevances(passage, paragraph, scores, sought)
            found = evidence_spans(
                paragraph.text, sought, values, offset=paragraph.start, threshold=THRESHOLD
            )
            for span in found:
                if (whole := _without_mark(span)) is not None:
                    yield Quote(passage, whole)

    def _relevances(
        self, passage: Passage, paragraph: _Paragraph, scores: Sequence[float], sought: str
    ) -> list[float]:
        """How relevant each sentence of a paragraph is; 0 for those that cannot be quoted, that
        are not of the passage, or that are not on what is sought."""
        wanted = sought_words(sought)
        scored = list(zip(passage.sentences, scores, strict=False))
        here = passage.chunk.char_span
        heading = shared(wanted, f"{paragraph.heading} ") if paragraph.heading else 0.0
        bonus = _NUMERIC if asks_how_much(sought) else 0.0
        values = []
        for start, end in quotable_spans(paragraph.text):
            told = paragraph.text[start + bullet(paragraph.text[start:end]) : end]
            inside = here.start <= paragraph.start + start < here.end
            if not inside or not is_statement(told):
                values.append(0.0)
                continue
            if paragraph.is_item and not has_verb(told, passage.language):
                values.append(0.0)
                continue
            share = max(shared(wanted, told), _HEADING * heading)
            close = closeness_at(scored, paragraph.start + start - here.start, -1.0)
            if not scored and share:
                (close,) = self._desk.closeness(sought, [told])
            if close < _CLOSE:
                values.append(0.0)
                continue
            more = bonus if bonus and states_how_much(told) else 0.0
            values.append(min(1.0, relevance(close, share) + more))
        return values

    def _paragraphs(self, passage: Passage) -> Iterator[_Paragraph]:
        """The paragraphs of prose that a passage has, whole."""
        document = self._desk.sources.conversion(passage.chunk.doc_id)
        here = passage.chunk.char_span
        if not document.blocks:
            yield _Paragraph(here.start, passage.chunk.text, passage.chunk.section_heading)
        for block in document.blocks:
            meets = block.span.start < here.end and here.start < block.span.end
            if not meets or block.label not in _PROSE:
                continue
            path = document.structure.section_path_at(block.span.start)
            if path is None or not any(is_apart(heading) for heading in path.segments):
                yield _Paragraph(
                    block.span.start,
                    document.text_of(block.span),
                    path.leaf if path else None,
                    is_item=block.label is BlockLabel.LIST_ITEM,
                )


def _of_several(hits: Hits, most: int) -> list[Passage]:
    """The best ``most`` passages, but for those of documents that have several better ones."""
    counts: Counter[str] = Counter()
    found: list[Passage] = []
    for passage in hits.passages([hit.id for hit in hits.ranked[: _DEEPER * most]]):
        counts[passage.chunk.doc_id] += 1
        if counts[passage.chunk.doc_id] <= _OF_DOCUMENT and len(found) < most:
            found.append(passage)
    return found


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
