"""Evidence gathering: passages and verbatim quotes for the queries of a step."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from citeloom.application.ports.index import Passage
from citeloom.application.search.hits import Hits, SearchQuestion, in_context
from citeloom.application.search.searcher import Searcher
from citeloom.application.verification.cited_documents import NO_EVIDENCE, Sentence
from citeloom.domain.documents.conversion import BlockLabel
from citeloom.domain.research.session import ResearchSession, Source, SourceSpan
from citeloom.domain.review.evidence.answering import (
    MIN_ANSWERED,
    MIN_FIRST,
    MIN_RELEVANCE,
    QuoteCandidate,
)
from citeloom.domain.review.evidence.quotable_sentences import (
    asks_for_aims,
    bullet_length,
    is_back_matter,
)
from citeloom.domain.review.planning.plan import question_words
from citeloom.domain.review.report.report import Gap, SubQuestion
from citeloom.domain.search.answerable import is_doubtful, not_here, unseen
from citeloom.domain.search.filters import Filter
from citeloom.domain.search.fusion import default_mode, is_one_word
from citeloom.domain.text.phrasing import numbered_pages, shortened
from citeloom.domain.text.terms import DocumentFrequencies
from citeloom.domain.text.words import is_foreign_to_english
from citeloom.domain.verification.quantities.quantity import has_numeric_content

from .roles import (
    Candidate,
    Paragraph,
    ReviewResources,
    SentenceRelevance,
    candidates_in,
    nearest_of,
    speaks_of_both,
)

_SNIPPET = 300
# As many hits are looked through for documents, as a multiple of the passages.
_DEEPER = 4
_NEAREST = 2
# So many of the most relevant sentences are read for an answer.
_READ = 8


@dataclass(frozen=True, slots=True)
class QueryEvidence:
    """Results of a query: passages, the best first, and quotes of them. ``nearest`` are the
    sentences nearest to the query, of the passages that rank first, whether they answer or not."""

    passages: tuple[Passage, ...]
    quotes: tuple[QuoteCandidate, ...]
    nearest: tuple[QuoteCandidate, ...] = ()
    warnings: tuple[str, ...] = ()


class EvidenceGathering:
    """Gathers evidence in one project for one session."""

    def __init__(
        self,
        resources: ReviewResources,
        searcher: Searcher,
        session: ResearchSession,
        filter: Filter,
    ) -> None:
        self._resources = resources
        self._searcher = searcher
        self._session = session
        self._filter = Filter(clauses=(*filter.clauses, NO_EVIDENCE))
        self._relevance = SentenceRelevance(
            resources.closeness, self._document_frequencies, searcher.read_again
        )

    def find_passages(self, text: str, passages: int) -> tuple[Passage, ...]:
        """The passages of a query, without quotes. Raises what the search raises."""
        with self._searcher.search(
            [self._resources.project], self._question(text, passages)
        ) as hits:
            return tuple(_of_several(hits, passages))

    def find(self, query: str, passages: int, sub: SubQuestion) -> QueryEvidence:
        """The passages of ``query``, and quotes that answer ``sub``."""
        question = replace(
            self._question(query, passages), rerank=self._searcher.rerank, for_reader=True
        )
        with self._searcher.search([self._resources.project], question) as hits:
            passages_found = _of_several(hits, passages)
            scores = hits.sentence_scores([passage.chunk.id for passage in passages_found])
            warnings = (*hits.warnings, *self._unquoted(passages_found))
            ranks = {hit.id: rank for rank, hit in enumerate(hits.ranked)}
            probability = self._probability(hits, question)
            doubt = self._doubt(probability, hits, query)
        for_aims = any(map(asks_for_aims, sub.scored))
        # Document by document: few conversions are cached.
        by_document = sorted(
            range(len(passages_found)), key=lambda n: (passages_found[n].chunk.doc_id, n)
        )
        candidates = [
            candidate
            for passage in (passages_found[number] for number in by_document)
            for paragraph in self._paragraphs(passage)
            for candidate in candidates_in(
                passage, paragraph, scores.get(passage.chunk.id, ()), for_aims=for_aims
            )
        ]
        own = [one for asked, one in zip(sub.queries, sub.scored, strict=False) if asked == query]
        quotes: dict[tuple[str, int, int], QuoteCandidate] = {}
        nearest: list[tuple[Candidate, float]] = []
        # An aspect that is searched is answered by what is found for it.
        for text in own or sub.scored:
            asked = self._relevance.question(text)
            found = self._relevance.relevances(text, query, candidates, ranks)
            nearest += found
            # What is certain, as the only word of a question that is there, needs no reader.
            least = MIN_FIRST if probability == 1.0 else self._least(text, found)
            for candidate, relevance in found:
                quote = _quote(candidate, relevance)
                known = quotes.get(quote.place)
                if (
                    relevance >= least
                    and speaks_of_both(asked, candidate, sub.compared)
                    and (known is None or known.relevance < relevance)
                ):
                    quotes[quote.place] = quote
        if doubt is not None:  # what is probably not answered has nearest sentences only
            quotes.clear()
            warnings = (*warnings, doubt)
        best = sorted(quotes.values(), key=lambda one: (-one.relevance, one.place))
        return QueryEvidence(
            tuple(passages_found),
            tuple(one._replace(best=best[0].relevance) for one in best),
            tuple(_quote(*one) for one in nearest_of(nearest, {} if doubt else ranks)),
            warnings,
        )

    def _least(self, text: str, found: Sequence[tuple[Candidate, float]]) -> float:
        """The relevance that a quotation needs: MIN_FIRST where none is relevant enough, yet one
        answers by the reader of answers."""
        if any(relevance >= MIN_RELEVANCE for _, relevance in found):
            return MIN_RELEVANCE
        return MIN_FIRST if self._answers(text, found) >= MIN_ANSWERED else MIN_RELEVANCE

    def _answers(self, text: str, found: Sequence[tuple[Candidate, float]]) -> float:
        """The log-odds, by the reader of answers, that one of the most relevant sentences answers;
        minus infinity without it."""
        best = [one for one, _ in sorted(found, key=lambda pair: -pair[1])[:_READ]]
        sentences = [in_context(one.passage, one.quoted) for one in best]
        return max(self._searcher.answered(text, sentences) or [-math.inf])

    def _probability(self, hits: Hits, question: SearchQuestion) -> float | None:
        """The probability that the passages answer an English question, 1 where they have the only
        word of it; None where they were not read."""
        if hits.read is None or is_foreign_to_english(question.text):
            return None
        has_its_word = is_one_word(question.text) and not unseen(hits.read)
        return 1.0 if has_its_word else hits.probability(question.mode)

    def _doubt(self, probability: float | None, hits: Hits, text: str) -> str | None:
        """What is said if the papers probably do not answer a question."""
        if hits.read is None or probability is None or not is_doubtful(probability):
            return None
        said = not_here(probability, hits.read)
        return said if text == self._session.question else f"“{text}”: {said}"

    def gap(
        self, step: int, sub: SubQuestion, passages: Sequence[Passage], *, quoted: bool
    ) -> Gap | None:
        """What a step asks for and the project lacks; None if nothing."""
        asked = self._relevance.question(sub.scored[0])
        words = asked.terms
        nearest: dict[str, str] = {}
        shared: set[str] = set()
        for passage in () if quoted else passages:
            if len(nearest) < _NEAREST and passage.chunk.doc_id not in nearest:
                evidence = self._resources.evidence.quote(_whole(passage))
                name = evidence.citation or evidence.title or passage.chunk.doc_id
                nearest[passage.chunk.doc_id] = name
                shared |= words.stems_in(passage.chunk.text)
        if quoted and not words.absent:
            return None
        return Gap(
            step=step,
            absent=words.absent,
            compared=() if quoted else sub.compared,
            nearest=tuple(nearest.values()),
            shared=tuple(
                one
                for one in question_words(asked.text)
                if not shared.isdisjoint(words.stems_of(one))
            ),
        )

    def source(self, passage: Passage, step: int, title: str, at: datetime) -> Source:
        """The source record of a passage's document."""
        evidence = self._resources.evidence.quote(_whole(passage))
        document_id = passage.chunk.doc_id
        text = passage.chunk.text
        return Source(
            id=self._session.part_id("source", document_id),
            research_session_id=self._session.id,
            chat_id=self._session.chat_id,
            url=self._resources.evidence.document_url(document_id),
            title=(evidence.title or document_id)[:500],
            snippet=shortened(text, _SNIPPET),
            step_index=step,
            step_title=title[:500],
            document_id=document_id,
            citekey=evidence.citekey,
            created_at=at,
        )

    def span(self, quote: QuoteCandidate, step: int, at: datetime) -> SourceSpan:
        """The evidence record of a quote, with citation, page, regions and addresses."""
        sentence = Sentence(quote.text, *quote.place, quote.relevance, quote.relevance)
        evidence = self._resources.evidence.quote(sentence)
        return SourceSpan(
            id=self._session.part_id("span", *quote.place),
            source_id=self._session.part_id("source", quote.document_id),
            quote=quote.text,
            start_offset=quote.start,
            end_offset=quote.end,
            section_heading=evidence.section[:500] if evidence.section else None,
            relevance_score=evidence.relevance,
            has_numeric_content=has_numeric_content(quote.text),
            page=evidence.page,
            page_label=evidence.page_label,
            regions=evidence.regions,
            citation=evidence.citation,
            address=evidence.address,
            knowledge_uri=evidence.knowledge_uri,
            step_index=step,
            created_at=at,
        )

    def _document_frequencies(self, words: Sequence[str]) -> DocumentFrequencies | None:
        return self._searcher.document_frequencies(self._resources.project, words, self._filter)

    def _question(self, text: str, passages: int) -> SearchQuestion:
        return SearchQuestion(
            text=text,
            mode=default_mode([self._resources.project]),
            filter=self._filter,
            depth=passages,
            rerank=False,
        )

    def _unquoted(self, passages: Sequence[Passage]) -> Iterator[str]:
        """Of which found pages only confirmed text is quoted, since theirs is uncertain."""
        unquoted: dict[str, set[int]] = {}
        for passage in passages:
            stored = self._resources.sources.stored(passage.chunk.doc_id)
            span = passage.chunk.page_span
            uncertain = set(stored.fidelity.uncertain if stored and stored.fidelity else ())
            if span is not None and (pages := uncertain.intersection(span.pages)):
                name = passage.citation.citekey if passage.citation else passage.source_path
                unquoted.setdefault(name, set()).update(pages)
        for name, found in unquoted.items():
            confirmed = "only what another reading of the file confirms is quoted"
            pages_named = numbered_pages(sorted(found))
            yield f"{name}: of {pages_named} {confirmed}, since the text is uncertain"

    def _paragraphs(self, passage: Passage) -> Iterator[Paragraph]:
        """The whole paragraphs of prose that overlap a passage."""
        document = self._resources.sources.conversion(passage.chunk.doc_id)
        passage_span = passage.chunk.char_span
        if not document.blocks:
            heading = passage.chunk.section_heading
            yield Paragraph(passage_span.start, passage.chunk.text, (heading,) if heading else ())
        for block in document.blocks:
            meets = block.span.start < passage_span.end and passage_span.start < block.span.end
            if not meets or not block.is_prose:
                continue
            path = document.structure.section_path_at(block.span.start)
            if path is None or not any(is_back_matter(heading) for heading in path.segments):
                yield Paragraph(
                    block.span.start,
                    document.text_of(block.span),
                    tuple(path.segments) if path else (),
                    is_item=block.label is BlockLabel.LIST_ITEM,
                )


def _of_several(hits: Hits, most: int) -> list[Passage]:
    """The best passages, at most ``most``; half of the places are for documents that the first half
    lacks, a passage of each."""
    found = hits.passages([hit.id for hit in hits.ranked[: _DEEPER * most]])
    chosen = found[: most // 2]
    documents = {passage.chunk.doc_id for passage in chosen}
    others: list[Passage] = []
    for passage in found[most // 2 :]:
        if passage.chunk.doc_id not in documents:
            documents.add(passage.chunk.doc_id)
            chosen.append(passage)
        else:
            others.append(passage)
    return [*chosen, *others][:most]


def _whole(passage: Passage) -> Sentence:
    chunk = passage.chunk
    return Sentence(
        chunk.text, chunk.doc_id, chunk.char_span.start, chunk.char_span.end, 1, 1, passage=passage
    )


def _quote(candidate: Candidate, score: float) -> QuoteCandidate:
    """The quotation of a sentence with those that it needs, without a leading list marker."""
    text = candidate.paragraph.text
    start, end = candidate.span
    start += bullet_length(text[start:end])
    offset = candidate.paragraph.start
    return QuoteCandidate(
        candidate.passage.chunk.doc_id,
        offset + start,
        offset + end,
        text[start:end],
        min(1.0, score),
    )
