"""The sentences of documents that say most about a claim."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from citeloom.application.ports.index import Passage
from citeloom.application.search.hits import Hits, SearchQuestion
from citeloom.application.search.searcher import Searcher
from citeloom.application.verification.cited_documents import Sources, page_at
from citeloom.domain.citation.metadata import pandoc_citation
from citeloom.domain.documents.chunk import ChunkKind
from citeloom.domain.documents.spans import CharSpan, Region, regions_of
from citeloom.domain.maps.address import chunk_address, document_address
from citeloom.domain.projects.project import Project
from citeloom.domain.resources.document_uris import document_uri, passage_text_uri
from citeloom.domain.search.filters import Clause, Field, Filter, Range
from citeloom.domain.search.fusion import Mode
from citeloom.domain.text.language import STOP_WORDS
from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.text.words import forms, words
from citeloom.domain.verification.drafts.findings import EvidenceQuote

_PASSAGES = 8
_SENTENCES = 12
_CLOSEST = 2
_MOST_IN_PASSAGE = 10_000
_BEGINNING = 6
_COMMON = frozenset().union(*STOP_WORDS.values())
#: Passages that are no text of their document's authors' own.
NO_EVIDENCE = Clause(
    field=Field.KIND,
    negated=True,
    values=(ChunkKind.ANNOTATION.value, ChunkKind.REFERENCE.value),
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """``text`` is ``start`` to ``end`` of its document's text. ``closeness`` (the cosine of
    its vector and the claim's) and ``relevance`` (with the words that they share) are 0..1.
    ``passage`` is what it was found in, ``place`` counts the sentences there, so that those next
    to each other can be told; None for one that was found by its words."""

    text: str
    document_id: str
    start: int
    end: int
    closeness: float
    relevance: float
    place: int | None = None
    passage: Passage | None = None


class EvidenceSearch:
    """Searches one project for claims."""

    def __init__(self, project: Project, searcher: Searcher, sources: Sources) -> None:
        self._project = project
        self._searcher = searcher
        self._sources = sources

    def of_document(self, claim: str, document_id: str) -> list[Sentence]:
        """The most relevant sentences of a document, best first."""
        own = Clause(field=Field.DOC, values=(document_id,))
        return self._search(claim, Filter(clauses=(own, NO_EVIDENCE)))

    def of_others(self, claim: str, but: AbstractSet[str]) -> list[Sentence]:
        """Those of all other documents of the project."""
        found = self._search(claim, Filter(clauses=(NO_EVIDENCE,)), but=but)
        return [one for one in found if one.document_id not in but]

    def on_pages(self, claim: str, document_id: str, pages: AbstractSet[int]) -> list[Sentence]:
        """Those that stand on some pages of a document, at least in part."""
        own = Clause(field=Field.DOC, values=(document_id,))
        near = Clause(field=Field.PAGE, ranges=(Range(low=min(pages), high=max(pages)),))
        found = self._search(claim, Filter(clauses=(own, near, NO_EVIDENCE)))
        return [one for one in found if not pages.isdisjoint(self.pages(one))]

    def around(self, document_id: str, span: CharSpan) -> Sentence:
        """The sentences of a document's text that some of its characters stand in."""
        document = self._sources.conversion(document_id)
        block = next(
            (b.span for b in document.blocks if b.span.start <= span.start < b.span.end), span
        )
        text = document.text_of(block)
        inside = [
            (block.start + first, block.start + last)
            for first, last in sentence_spans(text)
            if block.start + first < span.end and span.start < block.start + last
        ]
        start = min([span.start, *(first for first, _ in inside)])
        end = max([span.end, *(last for _, last in inside)])
        return Sentence(document.plain_text[start:end], document_id, start, end, 1.0, 1.0)

    def pages(self, sentence: Sentence) -> Sequence[int]:
        """The pages of the file that a sentence stands on."""
        passage = sentence.passage
        span = passage.chunk.page_span if passage else None
        if passage is not None and (span is None or span.start == span.end):
            return [span.start] if span else []
        document = self._sources.conversion(sentence.document_id)
        return page_at(document, sentence.start, sentence.end)

    def label(self, document_id: str, page: int) -> str | None:
        return self._sources.conversion(document_id).structure.label_of(page)

    def regions(self, sentence: Sentence) -> tuple[Region, ...]:
        """Boxes around the lines that a sentence stands on."""
        document = self._sources.conversion(sentence.document_id)
        return regions_of(
            line
            for block in document.blocks
            if block.span.start < sentence.end and sentence.start < block.span.end
            for line in block.lines
            if line.start < sentence.end and sentence.start < line.end
        )

    def document_url(self, document_id: str) -> str:
        """The knowledge URI of a document."""
        return str(document_uri(self._project.id, document_id))

    def _section(self, sentence: Sentence) -> str | None:
        structure = self._sources.conversion(sentence.document_id).structure
        path = structure.section_path_at(sentence.start)
        return path.leaf if path else None

    def quote(self, sentence: Sentence) -> EvidenceQuote:
        """With all that is needed to cite and to open it."""
        stored = self._sources.stored(sentence.document_id)
        citation = stored.citation if stored else None
        pages = self.pages(sentence)
        labels = [self.label(sentence.document_id, page) for page in pages]
        known = [label for label in labels if label]
        passage = sentence.passage
        if pages:
            address = document_address(sentence.document_id, pages)
        else:
            address = chunk_address(
                sentence.document_id, None, passage.chunk.chunk_idx if passage else 0
            )
        place = f"PDF p. {pages[0]}" if pages else None
        return EvidenceQuote(
            text=sentence.text,
            document_id=sentence.document_id,
            citekey=citation.citekey if citation else None,
            citation=(
                pandoc_citation(
                    citation.citekey, known if len(known) == len(labels) else (), place=place
                )
                if citation
                else None
            ),
            title=citation.title if citation else stored.title if stored else None,
            start=sentence.start,
            end=sentence.end,
            page=pages[0] if pages else None,
            page_label=labels[0] if labels else None,
            regions=self.regions(sentence),
            section=self._section(sentence),
            relevance=round(min(1.0, max(0.0, sentence.relevance)), 4),
            address=address,
            knowledge_uri=passage_text_uri(
                self._project.id,
                sentence.document_id,
                CharSpan(start=sentence.start, end=sentence.end),
            ),
        )

    def _search(
        self, claim: str, filter: Filter, *, but: AbstractSet[str] = frozenset()
    ) -> list[Sentence]:
        question = SearchQuestion(
            text=claim,
            mode=Mode.HYBRID if self._project.hybrid_enabled else Mode.DENSE,
            filter=filter,
            depth=_PASSAGES,
            rerank=False,
        )
        with self._searcher.search([self._project], question) as hits:
            ids = [hit.id for hit in hits.ranked[: _PASSAGES * (3 if but else 1)]]
            passages = hits.passages(ids)
            if but:
                passages = [p for p in passages if p.chunk.doc_id not in but][:_PASSAGES]
            return _best(claim, hits, passages)


def _best(claim: str, hits: Hits, passages: Sequence[Passage]) -> list[Sentence]:
    """Half by meaning, half by words: a claim's numbers and names are in its words."""
    wanted = sought_words(claim)
    scores = hits.sentence_scores([passage.chunk.id for passage in passages])
    found: dict[tuple[str, int], Sentence] = {}
    for passage in passages:
        for sentence in _sentences(passage, scores.get(passage.chunk.id, ()), wanted):
            known = found.get((sentence.document_id, sentence.start))
            if known is None or known.end < sentence.end:
                found[sentence.document_id, sentence.start] = sentence
    ordered = sorted(found.values(), key=lambda one: -one.relevance)
    return ordered[:_SENTENCES] + _next_to(ordered[:_CLOSEST], ordered[_SENTENCES:])


def _sentences(
    passage: Passage, scores: Sequence[float], wanted: AbstractSet[str]
) -> Iterator[Sentence]:
    """Those of a passage; where they have no vectors, the words stand for the meaning."""
    chunk = passage.chunk
    scored = list(zip(passage.sentences, scores, strict=False))
    for number, (first, last) in enumerate(sentence_spans(chunk.text)):
        text = chunk.text[first:last]
        share = shared(wanted, text)
        closeness = closeness_at(scored, first, share)
        yield Sentence(
            text=text,
            document_id=chunk.doc_id,
            start=chunk.char_span.start + first,
            end=chunk.char_span.start + last,
            closeness=closeness,
            relevance=relevance(closeness, share),
            place=chunk.chunk_idx * _MOST_IN_PASSAGE + number,
            passage=passage,
        )


def closeness_at(scored: Sequence[tuple[CharSpan, float]], offset: int, otherwise: float) -> float:
    """The score, 0..1, of the sentence of a passage that has the character at ``offset`` of its
    text; ``otherwise`` where it has no vector."""
    near = (score for span, score in scored if span.start <= offset < span.end)
    return min(1.0, max(0.0, next(near, otherwise)))


def relevance(closeness: float, share: float) -> float:
    """Half by meaning, half by the words that are shared, 0..1."""
    return (closeness + share) / 2


def _next_to(best: Sequence[Sentence], others: Sequence[Sentence]) -> list[Sentence]:
    """The neighbours of the best, which say what they are about."""
    places = {
        (one.document_id, one.place + step)
        for one in best
        if one.place is not None
        for step in (-1, 1)
    }
    return [one for one in others if (one.document_id, one.place) in places]


def sought_words(text: str) -> set[str]:
    """Its words but for the commonest, by their beginnings, so that most endings do not count;
    numbers whole."""
    parts = (part for word in words(text) for part in forms(word.text).parts)
    return {p if p[0].isdigit() else p[:_BEGINNING] for p in parts if p not in _COMMON}


def shared(wanted: AbstractSet[str], text: str) -> float:
    """How many of the words a text has, 0..1."""
    return len(wanted & sought_words(text)) / len(wanted) if wanted else 0.0
