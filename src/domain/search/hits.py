"""Hits by paper, and the hits of the last question.

Hits by paper: passages next to each other joined, with the blocks of their text. A sentence of a
document is in one hit only: passages that overlap are joined, and so are those of one section that
follow each other.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile, pairwise
from typing import Final

from citeloom.domain.citation.metadata import file_pages, pandoc_citation
from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.domain.documents.spans import CharSpan, ChunkKind, PageSpan, merged_spans
from citeloom.domain.maps.address import document_address
from citeloom.domain.references.identifiers import letters_and_digits
from citeloom.domain.text.sentences import quotable_spans
from citeloom.domain.value import Value

from .request import QueryResult, QueryResultItem

_HEADINGS = frozenset({BlockLabel.TITLE, BlockLabel.SECTION_HEADER})
# Passages of these kinds stand apart from the running text around them.
_APART = frozenset({ChunkKind.FIGURE, ChunkKind.ANNOTATION})


class HitBlock(Value):
    """A block of a document, or its part in a hit. ``best`` are the best sentences in ``text``,
    ``beside`` the text that only neighbouring passages have. ``follows``: nothing is left out after
    the previous block."""

    label: BlockLabel
    text: str
    best: tuple[CharSpan, ...] = ()
    beside: tuple[CharSpan, ...] = ()
    follows: bool = True

    @property
    def is_heading(self) -> bool:
        return self.label in _HEADINGS


class PassageHit(Value):
    """A passage, or several joined. ``item`` is the best of them, with pages, section and
    citation of all; ``ranks`` are theirs in the result, ascending."""

    ranks: tuple[int, ...]
    item: QueryResultItem
    blocks: tuple[HitBlock, ...]


class PaperHits(Value):
    """The hits of one work, best first; ``first`` is its best item."""

    first: QueryResultItem
    hits: tuple[PassageHit, ...]


def hits_by_paper(
    items: Sequence[QueryResultItem], documents: Mapping[str, ConversionResult]
) -> tuple[PaperHits, ...]:
    """The items by work, in the order of their best ones. ``documents`` are by id; hits of
    others are not joined and have the paragraphs of their text as blocks."""
    works: dict[tuple[str | None, str], dict[str, list[QueryResultItem]]] = {}
    for item in items:
        work = works.setdefault((item.project, item.citekey or item.document_id), {})
        work.setdefault(item.document_id, []).append(item)
    papers = []
    for work in works.values():
        hits = [
            _hit(group, documents.get(id))
            for id, its_items in work.items()
            for group in _joined(its_items, documents.get(id))
        ]
        hits.sort(key=lambda hit: hit.ranks)
        first = next(iter(work.values()))[0]
        papers.append(PaperHits(first=first, hits=tuple(hits)))
    return tuple(papers)


def _joined(
    items: Sequence[QueryResultItem], document: ConversionResult | None
) -> list[list[QueryResultItem]]:
    """Groups of items that are one hit, each in the order of the text."""
    groups: list[list[QueryResultItem]] = []
    for item in sorted(items, key=lambda one: (one.char_span, one.rank)):
        touching = [one for one in groups if document and _touch(one, item, document)]
        for group in touching:
            groups.remove(group)
        groups.append([*(one for group in touching for one in group), item])
    return groups


def _touch(
    group: Iterable[QueryResultItem], item: QueryResultItem, document: ConversionResult
) -> bool:
    return any(_overlap(one, item) or _continues(one, item, document) for one in group)


def _overlap(one: QueryResultItem, other: QueryResultItem) -> bool:
    """Whether text of both would be printed twice, that of their neighbours included."""
    return any(
        max(a.start, b.start) < min(a.end, b.end) for a in _shown(one) for b in _shown(other)
    )


def _continues(one: QueryResultItem, other: QueryResultItem, document: ConversionResult) -> bool:
    """Whether ``other`` follows ``one`` in the same section."""
    if one.section_path != other.section_path or {one.kind, other.kind} & _APART:
        return False
    end, start = one.char_span[1], other.char_span[0]
    return end <= start and not document.plain_text[end:start].strip()


def _shown(item: QueryResultItem) -> list[CharSpan]:
    """The shown part of a document: the passage and its neighbours."""
    spans = (item.char_span, *(near.char_span for near in item.context))
    return [CharSpan(start=start, end=end) for start, end in spans]


def _hit(group: Sequence[QueryResultItem], document: ConversionResult | None) -> PassageHit:
    best = min(group, key=lambda one: one.rank)
    item = best if len(group) == 1 else _merged(best, group)
    blocks = tuple(_blocks(group, document)) if document else tuple(_paragraphs(best))
    return PassageHit(
        ranks=tuple(sorted(one.rank for one in group)),
        item=item,
        blocks=tuple(_without_section(blocks, item)),
    )


def _merged(best: QueryResultItem, group: Sequence[QueryResultItem]) -> QueryResultItem:
    """``best`` with the place of all."""
    pages = PageSpan.covering(page for one in group for page in one.page_span or ())
    printed = all(one.page_labels for one in group)
    labels = tuple(dict.fromkeys(label for one in group for label in one.page_labels))
    place = file_pages(pages) if pages else group[0].place
    path = _common(one.section_path for one in group)
    known = [one.text_uncertain for one in group]
    changed = {
        "page_span": pages.as_tuple() if pages else None,
        "page_labels": labels if printed else (),
        "place": None if printed else place,
        "citation": pandoc_citation(best.citekey, labels if printed else (), place=place)
        if best.citekey
        else None,
        "section_path": path,
        "section": path[-1] if path else None,
        "address": document_address(best.document_id, pages.pages) if pages else best.address,
        "header": None,
        "char_span": (min(o.char_span[0] for o in group), max(o.char_span[1] for o in group)),
        "matched": _union(one.matched for one in group),
        "marks": _union(one.marks for one in group),
        "copies": _union(one.copies for one in group),
        "disputed": _union(one.disputed for one in group),
        "text_uncertain": True if True in known else None if None in known else False,
    }
    return best.model_copy(update=changed)


def _common(paths: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """The headings that all paths begin with."""
    first, *others = paths
    shared: list[str] = []
    for n, heading in enumerate(first):
        if any(len(path) <= n or path[n] != heading for path in others):
            break
        shared.append(heading)
    return tuple(shared)


def _union(values: Iterable[tuple[object, ...]]) -> tuple[object, ...]:
    found: list[object] = []
    for each in values:
        found += [one for one in each if one not in found]
    return tuple(found)


def _blocks(group: Sequence[QueryResultItem], document: ConversionResult) -> Iterator[HitBlock]:
    hits = merged_spans(CharSpan(start=one.char_span[0], end=one.char_span[1]) for one in group)
    shown = merged_spans(span for one in group for span in _shown(one))
    best = [span for one in group if (span := best_span(one, document)) is not None]
    end: int | None = None
    for piece in shown:
        for block in document.blocks:
            part = _common_part(piece, block.span)
            if part is None:
                continue
            follows = end is None or not document.plain_text[end : part.start].strip()
            end = part.end
            yield HitBlock(
                label=block.label,
                text=document.text_of(part),
                best=tuple(_within(part, best)),
                beside=tuple(_within(part, _outside(part, hits))),
                follows=follows,
            )


def best_span(item: QueryResultItem, document: ConversionResult) -> CharSpan | None:
    """The position of the best sentence of a hit in its document."""
    start, end = item.char_span
    sentence = item.best_sentence or ""
    at = document.plain_text.find(sentence, start, end) if sentence else -1
    return CharSpan(start=at, end=at + len(sentence)) if at >= 0 else None


def _common_part(one: CharSpan, other: CharSpan) -> CharSpan | None:
    start, end = max(one.start, other.start), min(one.end, other.end)
    return CharSpan(start=start, end=end) if start < end else None


def _within(part: CharSpan, spans: Iterable[CharSpan]) -> Iterator[CharSpan]:
    """The parts of ``spans`` in ``part``, by offsets in it."""
    for span in spans:
        if (both := _common_part(part, span)) is not None:
            yield CharSpan(start=both.start - part.start, end=both.end - part.start)


def _outside(part: CharSpan, pieces: Sequence[CharSpan]) -> Iterator[CharSpan]:
    """The parts of ``part`` outside all ``pieces``, which are in order."""
    inside = [both for piece in pieces if (both := _common_part(part, piece)) is not None]
    edges = [part.start, *(edge for span in inside for edge in (span.start, span.end)), part.end]
    for start, end in list(pairwise(edges))[::2]:
        if start < end:
            yield CharSpan(start=start, end=end)


def _paragraphs(item: QueryResultItem) -> Iterator[HitBlock]:
    """The paragraphs of a passage without its document, separated by empty lines."""
    before = [near.text for near in item.context if near.offset < 0]
    after = [near.text for near in item.context if near.offset > 0]
    for paragraph in "\n\n".join([*before, item.text, *after]).split("\n\n"):
        at = paragraph.find(item.best_sentence) if item.best_sentence else -1
        end = at + len(item.best_sentence or "")
        best = (CharSpan(start=at, end=end),) if at >= 0 else ()
        yield HitBlock(label=BlockLabel.TEXT, text=paragraph, best=best)


def _without_section(blocks: Sequence[HitBlock], item: QueryResultItem) -> Sequence[HitBlock]:
    """The blocks without the headings that they begin with and that lead to the section named."""
    named = {letters_and_digits(heading) for heading in item.section_path} - {""}
    first = 0
    while first < len(blocks) - 1 and blocks[first].is_heading:
        if letters_and_digits(blocks[first].text) not in named:
            break
        first += 1
    return blocks[first:]


# Of a heading: 3, 3.1, 2.4.6.
_NUMBER: Final = re.compile(r"^\W*\d+(?:\.\d+)*\.?\s+")


class ShownHit(Value):
    """A hit that was shown. ``quote`` is its best sentence, verbatim; ``char_span`` is that of
    the passage in its document; ``pages`` are those of the file, from 1."""

    rank: int
    project: str | None
    document_id: str
    address: str
    source_path: str
    citation: str | None = None
    quote: str = ""
    char_span: tuple[int, int]
    pages: tuple[int, int] | None = None


class ShownHits(Value):
    """The hits of a question, by rank."""

    question: str
    hits: tuple[ShownHit, ...]

    @classmethod
    def of(cls, result: QueryResult) -> "ShownHits":
        return cls(question=result.query, hits=tuple(map(_shown_hit, result.items)))

    def hit(self, rank: int) -> ShownHit | None:
        return next((hit for hit in self.hits if hit.rank == rank), None)


def _shown_hit(item: QueryResultItem) -> ShownHit:
    return ShownHit(
        rank=item.rank,
        project=item.project,
        document_id=item.document_id,
        address=item.address,
        source_path=item.source_path,
        citation=item.citation,
        quote=key_sentence(item),
        char_span=item.char_span,
        pages=item.page_span,
    )


def key_sentence(item: QueryResultItem) -> str:
    """The best sentence of a hit that is not a heading, without one that it was joined with for its
    shortness. Where there is none, the first with most of the question's words. The caption of the
    text in a figure. Empty for a passage without text."""
    if item.kind is ChunkKind.FIGURE:
        return item.header or ""
    headings = {letters_and_digits(heading) for heading in (*item.section_path, item.title or "")}
    words = [word.casefold() for word in item.matched]
    best = _without_heading(item.best_sentence or "", headings)
    if best:
        return best
    spans = quotable_spans(item.text)
    sentences = [_without_heading(item.text[start:end], headings) for start, end in spans]
    return max(
        filter(None, sentences),
        key=lambda one: sum(word in one.casefold() for word in words),
        default="",
    )


def text_below_headings(item: QueryResultItem) -> str:
    """The text of a hit without the headings at its beginning that its section path names; all of
    it if nothing else remains."""
    named = {_unnumbered(heading) for heading in item.section_path}
    paragraphs = item.text.split("\n\n")
    rest = list(dropwhile(lambda one: _unnumbered(one) in named, paragraphs))
    return "\n\n".join(rest) or item.text


def _unnumbered(heading: str) -> str:
    return letters_and_digits(_NUMBER.sub("", heading))


def _without_heading(sentence: str, headings: Collection[str]) -> str:
    parts = [part for part in sentence.split("\n\n") if letters_and_digits(part) not in headings]
    return max(parts, key=len, default="")
