"""Cited documents and pages of a project, and the sentences of them most relevant to a claim."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

from citeloom.application.citation.references import read_references
from citeloom.application.documents.conversions import load_conversion
from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.citation import ReferenceReader
from citeloom.application.ports.index import Passage
from citeloom.application.ports.ingest import BundleStore
from citeloom.application.search.hits import Hits, SearchQuestion, title_of
from citeloom.application.search.searcher import Searcher
from citeloom.domain.citation.metadata import CitationMeta, pandoc_citation, section_locator
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.documents.spans import CharSpan, ChunkKind, Region, regions_of
from citeloom.domain.errors import DocumentNotFound
from citeloom.domain.maps.address import chunk_address, document_address
from citeloom.domain.messages import CLOSE, nearest
from citeloom.domain.naming import spelling_of_key
from citeloom.domain.projects.project import Project
from citeloom.domain.references.identifiers import letters_and_digits
from citeloom.domain.references.works import WorkMatcher
from citeloom.domain.resources.uris import document_uri, passage_text_uri
from citeloom.domain.review.evidence.quotable_sentences import MARKED_ENTRY
from citeloom.domain.search.filters import Clause, Field, Filter, Range
from citeloom.domain.search.fusion import default_mode
from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.text.words import COMMON_WORDS, forms, is_foreign_to_english, words
from citeloom.domain.verification.claims.quotations import QuotedFrom
from citeloom.domain.verification.drafts.draft import EvidenceQuote

# Cached conversions (tens of MB for long books): as many as one sentence may cite.
_KEPT = 12


class CitedDocuments:
    """Documents by the citation keys of one draft; keeps its lookups and conversions."""

    def __init__(
        self,
        project: Project,
        *,
        catalogue: Catalogue,
        bundles: BundleStore,
        references: ReferenceReader,
    ) -> None:
        self._project = project
        self._finder = DocumentFinder(catalogue)
        self._documents = {d.document_id: d for d in catalogue.documents(project.id)}
        self.warnings: list[str] = []
        self._items = self._read(references, project.reference_files)
        self._listed = set(self._items)
        self._held: dict[str, StoredDocument | None] = {}

        @lru_cache(maxsize=_KEPT)
        def conversion(document_id: str) -> ConversionResult:
            return load_conversion(bundles, self._documents[document_id])

        @lru_cache(maxsize=_KEPT)
        def quoted_from(document_id: str) -> QuotedFrom:
            return QuotedFrom(conversion(document_id).plain_text)

        self.conversion: Callable[[str], ConversionResult] = conversion
        self.quoted_from: Callable[[str], QuotedFrom] = quoted_from

    def document(self, key: str) -> StoredDocument | None:
        """The document of a citation key (current, former or alternative), DOI or item key;
        None if there is none or several."""
        if key not in self._held:
            with suppress(DocumentNotFound):  # it means several
                self._held[key] = self._finder.known(spelling_of_key(key), self._project.id)
            if self._held.get(key) is None:
                others = [d for d in self._documents.values() if key in _other_keys(d)]
                self._held[key] = others[0] if len(others) == 1 else None
        return self._held[key]

    def stored(self, document_id: str) -> StoredDocument | None:
        return self._documents.get(document_id)

    def title(self, document_id: str) -> str:
        """The title of a document, "" without one."""
        stored = self._documents.get(document_id)
        citation = stored.citation if stored else None
        return (citation.title if citation else stored.title if stored else None) or ""

    @property
    def documents(self) -> Sequence[StoredDocument]:
        """All of the project, ordered by id."""
        return tuple(self._documents.values())

    def is_listed(self, key: str) -> bool:
        """Whether the project's reference file has an item with this key."""
        return key in self._listed

    @cached_property
    def matcher(self) -> WorkMatcher:
        """The works of the project, those with text first."""
        return WorkMatcher(self.works.values())

    @cached_property
    def works(self) -> Mapping[str, CitationMeta]:
        """The works of the project by their current key: those with text, then those of its
        reference file alone."""
        stored = sorted(self._documents.values(), key=lambda one: not one.chunks)
        cited = {one.citation.citekey: one.citation for one in stored if one.citation}
        listed = {key: item for key, item in self._items.items() if key not in cited}
        return cited | listed

    def close_keys(self, key: str) -> tuple[str, ...]:
        """Known keys similar to this one, the most similar first."""
        known = self._listed | {d.citation.citekey for d in self._documents.values() if d.citation}
        return nearest(key, {one: (one,) for one in known}, at_least=CLOSE)

    def _read(self, reader: ReferenceReader, paths: Sequence[Path]) -> dict[str, CitationMeta]:
        references = read_references(reader, paths)
        for reason in references.unread:
            self.warnings.append(
                f"a reference file cannot be read, so items without text count as unknown: {reason}"
            )
        items = references.library.items if references.library else ()
        return {item.citekey: item for item in items}


def _other_keys(document: StoredDocument) -> Iterable[str]:
    former = document.citation.former_keys if document.citation else ()
    if document.held is None:
        return former
    return (*former, *document.held.former_keys, *(o.citekey for o in document.held.alternatives))


def page_at(document: ConversionResult, start: int, end: int) -> Sequence[int]:
    """The pages of a span of the text, in order."""
    return [
        entry.page
        for entry in document.structure.page_map
        if any(span.start < end and start < span.end for span in entry.spans)
    ]


#: Sentences of a work that are evidence for a claim, and the passages that they are looked for in.
SENTENCES: Final = 12
_PASSAGES: Final = 16
# Of these sentences the reranker reads so many with the claim, and so much counts a unit of its
# log-odds. Of 93 claims in words of their own the sentence that decides is the first for 62 (49
# without), and among twelve for 85 (79).
_READ_AGAIN: Final = 24
_LOG_ODDS: Final = 0.08
_CLOSEST = 2
_STATING = 6
_MOST_IN_PASSAGE = 10_000
_BEGINNING = 6
#: Excludes annotations and reference lists, which are not the authors' text, and the labels in
#: figures, which state nothing.
NO_EVIDENCE = Clause(
    field=Field.KIND,
    negated=True,
    values=(
        ChunkKind.ANNOTATION.value,
        ChunkKind.REFERENCE.value,
        ChunkKind.FIGURE.value,
    ),
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a document, ``start`` to ``end`` of its text. ``closeness`` (cosine of its
    vector and the claim's) and ``relevance`` (closeness and shared words) are 0..1. ``passage``
    is the passage that it was found in, ``place`` its ordinal in the document, for adjacency;
    both are None for a sentence located by a quotation."""

    text: str
    document_id: str
    start: int
    end: int
    closeness: float
    relevance: float
    place: int | None = None
    passage: Passage | None = None


class EvidenceSearch:
    """Searches one project for evidence and describes the result."""

    def __init__(
        self,
        project: Project,
        searcher: Searcher,
        sources: CitedDocuments,
        sentences: int = SENTENCES,
    ) -> None:
        self._project = project
        self._most = sentences
        self._searcher = searcher
        self._sources = sources

    @property
    def is_read_again(self) -> bool:
        """Whether the reranker has a say in the order of sentences."""
        return self._searcher.reader is not None

    def of_document(self, claim: str, document_id: str) -> list[Sentence]:
        """The most relevant sentences of a document, best first."""
        document_clause = Clause(field=Field.DOC, values=(document_id,))
        return self._search(claim, Filter(clauses=(document_clause, NO_EVIDENCE)), again=True)

    def sentences(self, question: str, document_id: str, passages: int) -> list[Sentence]:
        """The sentences of the ``passages`` of a document that are nearest to a question, in
        their order, each once."""
        document_clause = Clause(field=Field.DOC, values=(document_id,))
        asked = self._question(question, Filter(clauses=(document_clause, NO_EVIDENCE)), passages)
        with self._searcher.search([self._project], asked) as hits:
            found = hits.passages([hit.id for hit in hits.ranked[:passages]])
            return sorted(_all(question, hits, found), key=lambda one: one.start)

    def of_others(self, claim: str, excluded: AbstractSet[str]) -> list[Sentence]:
        """The most relevant sentences of all documents but ``excluded``."""
        sentences = self._search(claim, Filter(clauses=(NO_EVIDENCE,)), excluded=excluded)
        return [one for one in sentences if one.document_id not in excluded]

    def on_pages(self, claim: str, document_id: str, pages: AbstractSet[int]) -> list[Sentence]:
        """The most relevant sentences on some pages of a document, at least in part."""
        document_clause = Clause(field=Field.DOC, values=(document_id,))
        page_clause = Clause(field=Field.PAGE, ranges=(Range(low=min(pages), high=max(pages)),))
        sentences = self._search(claim, Filter(clauses=(document_clause, page_clause, NO_EVIDENCE)))
        return [one for one in sentences if not pages.isdisjoint(self.pages(one))]

    def around(self, document_id: str, span: CharSpan) -> Sentence:
        """The sentences that contain a span of a document's text, as one."""
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
        """The pages of the file with the sentence."""
        passage = sentence.passage
        span = passage.chunk.page_span if passage else None
        if passage is not None and (span is None or span.start == span.end):
            return [span.start] if span else []
        document = self._sources.conversion(sentence.document_id)
        return page_at(document, sentence.start, sentence.end)

    def label(self, document_id: str, page: int) -> str | None:
        return self._sources.conversion(document_id).structure.label_of(page)

    def regions(self, sentence: Sentence) -> tuple[Region, ...]:
        """Boxes around the lines of a sentence."""
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
        """The sentence with citation, pages, regions, address and knowledge URI."""
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
        section = self._section(sentence)
        place = f"PDF p. {pages[0]}" if pages else section_locator(section) if section else None
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
            section=section,
            relevance=round(min(1.0, max(0.0, sentence.relevance)), 4),
            address=address,
            knowledge_uri=passage_text_uri(
                self._project.id,
                sentence.document_id,
                CharSpan(start=sentence.start, end=sentence.end),
            ),
            text_uncertain=(
                stored.fidelity.is_uncertain(
                    pages, CharSpan(start=sentence.start, end=sentence.end)
                )
                if stored and stored.fidelity
                else None
            ),
        )

    def _search(
        self,
        claim: str,
        filter: Filter,
        *,
        excluded: AbstractSet[str] = frozenset(),
        again: bool = False,
    ) -> list[Sentence]:
        question = replace(self._question(claim, filter, _PASSAGES), is_claim=True)
        with self._searcher.search([self._project], question) as hits:
            ids = [hit.id for hit in hits.ranked[: _PASSAGES * (3 if excluded else 1)]]
            passages = hits.passages(ids)
            if excluded:
                passages = [p for p in passages if p.chunk.doc_id not in excluded]
            found = _all(claim, hits, passages[:_PASSAGES])
        ordered = sorted(found, key=lambda one: -one.relevance)
        return _best(claim, self._read_again(claim, ordered) if again else ordered, self._most)

    def _read_again(self, claim: str, ordered: list[Sentence]) -> list[Sentence]:
        """The first sentences in an order that the reranker, which reads English, has a say in."""
        first, others = ordered[:_READ_AGAIN], ordered[_READ_AGAIN:]
        is_read = bool(first) and not is_foreign_to_english(claim)
        texts = [one.text for one in first]
        odds = self._searcher.read_again(claim, texts) if is_read else None
        if odds is None:
            return ordered
        read = sorted(
            zip(first, odds, strict=True),
            key=lambda one: -(one[0].relevance + _LOG_ODDS * one[1]),
        )
        return [*(sentence for sentence, _ in read), *others]

    def _question(self, text: str, filter: Filter, depth: int) -> SearchQuestion:
        return SearchQuestion(
            text=text,
            mode=default_mode([self._project]),
            filter=filter,
            depth=depth,
            rerank=False,
        )


def _best(claim: str, ordered: Sequence[Sentence], most: int) -> list[Sentence]:
    """The ``most`` best sentences, their neighbours, the one that adds most to the best, and
    further ones that have a number of the claim."""
    first, others = ordered[:most], ordered[most:]
    numbers = {word for word in content_words(claim) if word[0].isdigit()}
    stating = [one for one in others if numbers & content_words(one.text)][:_STATING]
    more = _next_to(ordered[:_CLOSEST], others)
    added = adding(claim, first[0], ordered[1:]) if first else None
    if added and added in others and added not in more:
        more.append(added)
    return [*first, *(one for one in more if one not in stating), *stating]


def adding(claim: str, best: Sentence, others: Sequence[Sentence]) -> Sentence | None:
    """The sentence with most of the claim's words that ``best`` lacks; None for fewer than two or
    than a third of them."""
    lacking = content_words(claim) - content_words(best.text)
    added, found = None, max(2, -(-len(lacking) // 3)) - 1
    for one in others:
        if (more := len(lacking & content_words(one.text))) > found:
            added, found = one, more
    return added


def _all(claim: str, hits: Hits, passages: Sequence[Passage]) -> Iterable[Sentence]:
    """The sentences of passages, each once: the longest that begins at a place."""
    claim_words = content_words(claim)
    scores = hits.sentence_scores([passage.chunk.id for passage in passages])
    sentences: dict[tuple[str, int], Sentence] = {}
    for passage in passages:
        for sentence in _sentences(passage, scores.get(passage.chunk.id, ()), claim_words):
            known = sentences.get((sentence.document_id, sentence.start))
            if known is None or known.end < sentence.end:
                sentences[sentence.document_id, sentence.start] = sentence
    return sentences.values()


def _sentences(
    passage: Passage, scores: Sequence[float], claim_words: AbstractSet[str]
) -> Iterator[Sentence]:
    """The sentences of a passage but headings and entries of a list of references that is not known
    to be one; shared words stand in for missing vectors."""
    chunk = passage.chunk
    scored = list(zip(passage.sentences, scores, strict=False))
    headings = [letters_and_digits(one) for one in (*chunk.section_path, title_of(passage))]
    entry_end = 0
    for number, (first, last) in enumerate(sentence_spans(chunk.text)):
        text, line = chunk.text[first:last], chunk.text.rfind("\n", 0, first) + 1
        if line == first and MARKED_ENTRY.match(chunk.text, first):
            entry_end = first + len(chunk.text[first:].split("\n\n")[0])
        above = letters_and_digits(chunk.text[line:last])
        is_entry = first < entry_end or MARKED_ENTRY.match(text)
        if is_entry or any(one.endswith(above) for one in headings):
            continue
        share = len(claim_words & content_words(text)) / max(1, len(claim_words))
        closeness = closeness_at(scored, first, share)
        yield Sentence(
            text=text,
            document_id=chunk.doc_id,
            start=chunk.char_span.start + first,
            end=chunk.char_span.start + last,
            closeness=closeness,
            relevance=(closeness + share) / 2,
            place=chunk.chunk_idx * _MOST_IN_PASSAGE + number,
            passage=passage,
        )


def closeness_at(scored: Sequence[tuple[CharSpan, float]], offset: int, otherwise: float) -> float:
    """The score, 0..1, of the sentence at a character offset of a passage; ``otherwise`` if it
    has no vector."""
    near = (score for span, score in scored if span.start <= offset < span.end)
    return min(1.0, max(0.0, next(near, otherwise)))


def _next_to(best: Sequence[Sentence], others: Sequence[Sentence]) -> list[Sentence]:
    """The sentences before and after the best ones, for context."""
    places = {
        (one.document_id, one.place + step)
        for one in best
        if one.place is not None
        for step in (-1, 1)
    }
    return [one for one in others if (one.document_id, one.place) in places]


@lru_cache(maxsize=8192)
def content_words(text: str) -> frozenset[str]:
    """The content words of a text, cut to a common prefix length as a stem; numbers whole."""
    parts = {part for word in words(text) for part in forms(word.text).parts} - COMMON_WORDS
    return frozenset(p if p[0].isdigit() else p[:_BEGINNING] for p in parts)
