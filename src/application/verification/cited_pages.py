"""Cited pages: whether they have what a claim takes from a work, and which other pages have it. A
paragraph that runs over a page counts for both."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from itertools import islice
from typing import Final, NamedTuple

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.domain.citation.locators import pages_of
from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.text.normalized_text import count_letters
from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.verification.claims.parsed_sentence import (
    ParsedSentence,
    coverage,
    parse_claim,
    parse_sentence,
    stems_of,
)
from citeloom.domain.verification.claims.quotations import QuoteMatch, quoted_passages
from citeloom.domain.verification.decisive_content import (
    decisive_quantities,
    has_its_quantities,
    has_its_quotation,
    has_its_rest,
    may_state,
    numbers,
)
from citeloom.domain.verification.drafts.draft import CitedItem, Claim, QuoteDifference

from .cited_documents import CitedDocuments, EvidenceSearch, Sentence

# Shorter text in quotation marks is often a term, not a quotation; a single word nearly always.
_WORDS, _LETTERS = 3, 12
_SHORTEST = 2


def quotations(claim: str) -> list[str]:
    """The texts in quotation marks that are long enough to be quotations."""
    return [q for q in _quoted(claim) if len(q.split()) >= _WORDS and count_letters(q) >= _LETTERS]


def short_quotations(claim: str) -> list[str]:
    """The other texts of two words or more in quotation marks, which may be quotations."""
    long = quotations(claim)
    return [q for q in _quoted(claim) if len(q.split()) >= _SHORTEST and q not in long]


def difference(quote: str, closest_match: QuoteMatch, source_text: str) -> QuoteDifference:
    """The difference between a quotation and the most similar text of the source."""
    if not closest_match.end:
        return QuoteDifference(quote=quote)
    differences = "; ".join(
        f"quoted “{one.quoted}” for “{one.stated}”"
        if one.quoted and one.stated
        else f"put in “{one.quoted}”"
        if one.quoted
        else f"left out “{one.stated}”"
        for one in closest_match.differences
    )
    closest = " ".join(source_text[closest_match.start : closest_match.end].split())
    return QuoteDifference(quote=quote, closest=closest, difference=differences or None)


def _quoted(claim: str) -> list[str]:
    return [one.text.strip() for one in quoted_passages(claim)]


#: Before the number of a page of the file, which has no printed label.
FILE_PAGE: Final = "PDF p."
# Places of a quotation that are looked at, and pages on which a short one may stand: words that
# stand on more are a term of the work.
_MOST_PLACES: Final = 50
_FEW_PAGES: Final = 2
_HAS_SENTENCES: Final = frozenset(
    {BlockLabel.TEXT, BlockLabel.LIST_ITEM, BlockLabel.CAPTION, BlockLabel.FOOTNOTE}
)


class Elsewhere(NamedTuple):
    """What a claim takes from its work (a quotation, or its numbers as written), and the sentences
    with it, which are on none of the cited pages; those with most of the claim's words first."""

    taken: tuple[str, ...]
    sentences: tuple[Sentence, ...]


class CitedPages:
    """The pages that one draft cites."""

    def __init__(self, sources: CitedDocuments, evidence: EvidenceSearch) -> None:
        self._sources = sources
        self._evidence = evidence

    def of(self, claim: Claim, item: CitedItem, document_id: str) -> frozenset[int] | None:
        """The pages of the file that a claim cites of a work: those of ``item``, and of other items
        of the same key. Empty if the work has none of them; None if they are unknown, or ``item``
        names none."""
        conversion = self._sources.conversion(document_id)
        if item.locator is None or pages_of(conversion, item.locator) is None:
            return None
        locators = [one.locator for one in claim.cited if one.key == item.key and one.locator]
        found = [pages_of(conversion, one) or set() for one in (item.locator, *locators)]
        return frozenset[int]().union(*found)

    def have(self, sentence: Sentence, pages: AbstractSet[int]) -> bool:
        """Whether the paragraph of a sentence is on one of the pages, at least in part."""
        if not pages.isdisjoint(self._evidence.pages(sentence)):
            return True
        on_pages = _text_on(self._sources.conversion(sentence.document_id), pages)
        return _overlaps(on_pages, CharSpan(start=sentence.start, end=sentence.end))

    def have_numbers(self, said: str, document_id: str, pages: AbstractSet[int]) -> bool:
        """Whether the claim has decisive numbers, and the pages may state all of them."""
        conversion = self._sources.conversion(document_id)
        text = _joined(conversion, _text_on(conversion, pages))
        decisive = decisive_quantities(parse_claim(said))
        return bool(decisive) and all(may_state(text, one) for one in decisive)

    def labels(self, sentence: Sentence) -> tuple[str, ...]:
        """The pages of a sentence: printed labels, else ``PDF p. 5``."""
        return tuple(
            self._evidence.label(sentence.document_id, page) or f"{FILE_PAGE} {page}"
            for page in self._evidence.pages(sentence)
        )

    def place_of(
        self, quote: str, document_id: str, pages: AbstractSet[int] | None
    ) -> CharSpan | None:
        """The first place of a quotation on one of the pages, else the first of all."""
        places = self._places(quote, document_id)
        if pages and len(places) > 1:
            on_pages = _text_on(self._sources.conversion(document_id), pages)
            places.sort(key=lambda place: not _overlaps(on_pages, place))
        return places[0] if places else None

    def elsewhere(
        self, claim: str, said: str, document: StoredDocument, pages: AbstractSet[int]
    ) -> Elsewhere | None:
        """A quotation, or all the numbers in one sentence, that another page has and the cited
        pages lack. ``said`` is ``claim`` without the names of the work's authors. None if the pages
        may have some of it."""
        id = document.document_id
        conversion = self._sources.conversion(id)
        uncertain = document.fidelity.uncertain if document.fidelity else ()
        if not pages.isdisjoint((*uncertain, *conversion.missing_pages)):
            return None
        on_pages = _text_on(conversion, pages)
        text = _joined(conversion, on_pages)
        parsed = parse_claim(said)
        if any(may_state(text, one) for one in decisive_quantities(parsed)):
            return None
        quoted = {
            quote: self._places(quote, id)
            for quote in (*quotations(claim), *short_quotations(claim))
        }
        if any(_overlaps(on_pages, place) for places in quoted.values() for place in places):
            return None
        if found := self._quotation(parsed, quoted, id):
            beside = (conversion.text_of(one) for one in _sentences(conversion, on_pages))
            has_rest = any(has_its_rest(said, parse_sentence(one)) for one in beside)
            return None if has_rest else found
        return None if _has_picture(conversion, pages) else self._numbers(parsed, conversion)

    def _places(self, quote: str, document_id: str) -> list[CharSpan]:
        return list(islice(self._sources.quoted_from(document_id).places(quote), _MOST_PLACES))

    def _quotation(
        self, claim: ParsedSentence, quoted: Mapping[str, Sequence[CharSpan]], document_id: str
    ) -> Elsewhere | None:
        """The first quotation that the claim takes from a sentence."""
        for quote, places in quoted.items():
            sentences = [self._evidence.around(document_id, place) for place in places]
            pages = {page for one in sentences for page in self._evidence.pages(one)}
            if len(pages) > _FEW_PAGES and short_quotations(f"“{quote}”"):
                continue
            parsed = [(one, parse_sentence(one.text)) for one in sentences]
            taken = [pair for pair in parsed if has_its_quotation(claim, quote, pair[1])]
            if taken:
                return Elsewhere((quote,), _by_words(claim, taken))
        return None

    def _numbers(self, claim: ParsedSentence, conversion: ConversionResult) -> Elsewhere | None:
        """All numbers of the claim, in one sentence of the work or in each of several."""
        decisive = decisive_quantities(claim)
        wanted = frozenset[Decimal]().union(*(numbers(one.text) for one in decisive))
        found = []
        for span in _sentences(conversion, [block.span for block in conversion.blocks]):
            text = conversion.text_of(span)
            if not wanted.isdisjoint(numbers(text)) and has_its_quantities(
                claim, parsed := parse_sentence(text)
            ):
                found.append((self._evidence.around(conversion.doc_id, span), parsed))
        if not found:
            return None
        return Elsewhere(tuple(one.text for one in decisive), _by_words(claim, found))


def _by_words(
    claim: ParsedSentence, found: Iterable[tuple[Sentence, ParsedSentence]]
) -> tuple[Sentence, ...]:
    """The sentences, ordered by how many of the claim's words they cover."""
    ordered = sorted(found, key=lambda pair: -coverage(claim, stems_of(pair[1])))
    return tuple(sentence for sentence, _ in ordered)


def _text_on(conversion: ConversionResult, pages: AbstractSet[int]) -> list[CharSpan]:
    """The paragraphs on the pages, complete even if they run over a page."""
    entries = (entry for entry in conversion.structure.page_map if entry.page in pages)
    spans = [span for entry in entries for span in entry.spans]
    return [block.span for block in conversion.blocks if _overlaps(spans, block.span)] or spans


def _joined(conversion: ConversionResult, spans: Iterable[CharSpan]) -> str:
    return "\n\n".join(map(conversion.text_of, spans))


def _sentences(conversion: ConversionResult, within: Iterable[CharSpan]) -> Iterator[CharSpan]:
    """The sentences of paragraphs, lists, captions and notes: the blocks ``within``."""
    chosen = {(span.start, span.end) for span in within}
    for block in conversion.blocks:
        if block.label in _HAS_SENTENCES and (block.span.start, block.span.end) in chosen:
            for first, last in sentence_spans(conversion.text_of(block.span)):
                yield CharSpan(start=block.span.start + first, end=block.span.start + last)


def _has_picture(conversion: ConversionResult, pages: AbstractSet[int]) -> bool:
    """Whether a page has a picture without text in it that could be read."""
    read = {
        line.page
        for block in conversion.blocks
        if block.label is BlockLabel.FIGURE_TEXT
        for line in block.lines
    }
    return any(one.page in pages and one.page not in read for one in conversion.figures)


def _overlaps(spans: Iterable[CharSpan], other: CharSpan) -> bool:
    return any(span.start < other.end and other.start < span.end for span in spans)
