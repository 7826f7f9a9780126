"""Units of chunking: sentences, table rows and other pieces that are not split."""

import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from citeloom.application.ports.models import TokenCounter
from citeloom.domain.documents.conversion import Block, BlockLabel, ConversionResult
from citeloom.domain.documents.spans import ChunkKind
from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.text.tables import head_rows

# BERT's tokenizers make one unknown token of any word of more than 100 characters. So that
# a kilobyte of base64 is not one token, a text counts as at least its length over this
# (English prose has 4 to 5 characters a token).
_CHARACTERS_A_TOKEN = 8
_PAUSES = frozenset("、，；：・;")


class TokenMeasure:
    """Sizes of texts in tokens."""

    def __init__(self, tokens: TokenCounter) -> None:
        self._tokens = tokens

    def size(self, text: str) -> int:
        """Tokens, or characters over 8 if more; at least 1, so that a passage is finite."""
        return max(self._tokens.count(text), -(-len(text) // _CHARACTERS_A_TOKEN), 1)

    def tokens(self, text: str) -> int:
        return self._tokens.count(text)

    def fitting(self, text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
        """``text[start:end]`` in pieces of at most ``limit`` tokens: whole if it fits, else
        split at white space or punctuation, else between tokens."""
        while self.size(text[start:end]) > limit:
            reach = min(end, start + limit * _CHARACTERS_A_TOKEN)
            stop = _before_marks(text, start, start + self._longest(text[start:reach], limit))
            yield start, stop
            start = stop
            while start < end and text[start].isspace():
                start += 1
        if start < end:
            yield start, end

    def _longest(self, reach: str, limit: int) -> int:
        """Number of characters of ``reach`` that fit one piece (at least 1)."""
        ends = self._tokens.ends(reach)
        stop, count = len(reach), min(limit, len(ends))
        if len(ends) > limit:
            stop = ends[count - 1]
            # A part of a word may take more tokens alone than it did within the word.
            while count > 1 and self._tokens.count(reach[:stop]) > limit:
                count -= 1
                stop = ends[count - 1]
        stop = max(1, stop)
        for at in range(stop, stop // 2, -1):
            if (at < len(reach) and reach[at].isspace()) or reach[at - 1] in _PAUSES:
                return at
        return stop


def _before_marks(text: str, start: int, stop: int) -> int:
    """The last offset from ``start`` to ``stop`` that splits no letter from its accents."""
    for at in range(stop, start, -1):
        if at == len(text) or not (unicodedata.combining(text[at]) or text[at] in "\u200d\ufe0f"):
            return at
    return stop


Path = tuple[str, ...]

_KINDS = {
    BlockLabel.TABLE: ChunkKind.TABLE,
    BlockLabel.CAPTION: ChunkKind.CAPTION,
    BlockLabel.REFERENCE: ChunkKind.REFERENCE,
    BlockLabel.FIGURE_TEXT: ChunkKind.FIGURE,
}
_HEADINGS = (BlockLabel.SECTION_HEADER, BlockLabel.TITLE)
_BY_LINE = (BlockLabel.TABLE, BlockLabel.CODE, BlockLabel.FORMULA, BlockLabel.FIGURE_TEXT)
_WHOLE = (*_HEADINGS, BlockLabel.REFERENCE)
# Heads longer than this share of the window are not repeated.
_HEADER_SHARE = 4

# Costs of beginning a passage with a unit; 1.0 is the cost of a passage off its even size by
# all of it.
_AFTER_HEADING = 4.0
_IN_SENTENCE = 1.0
_AFTER_LEAD_IN = 1.0
_GOES_ON = 0.5
_IN_CODE = 0.3
_IN_PARAGRAPH = 0.15
_IN_LIST = 0.05


@dataclass(frozen=True, slots=True)
class Unit:
    """A slice ``text[start:end]`` that is not split.

    ``size`` is in tokens, ``block`` the index of its block, ``path`` its section. ``bond`` is
    the cost of separating it from the unit before. ``header`` has the table's rows of heads, on
    all rows below, or the caption in front of a figure's text; ``header_size`` its tokens.
    ``pages`` holds its pages with the number of its characters on each, empty in formats
    without pages.
    """

    start: int
    end: int
    size: int
    block: int
    path: Path
    kind: ChunkKind
    bond: float = 0.0
    heading: bool = False
    header: str | None = None
    header_size: int = 0
    pages: tuple[tuple[int, int], ...] = ()


def units_of(document: ConversionResult, measure: TokenMeasure, limit: int) -> Iterator[Unit]:
    """The units of all blocks in reading order, each of at most ``limit`` tokens."""
    document_path = (document.title,) if document.title else ()
    before: Block | None = None
    for index, block in enumerate(document.blocks):
        section_path = document.structure.section_path_at(block.span.start)
        path = section_path.segments if section_path else document_path
        pieces = list(_pieces(document, index, path, before, measure, limit))
        yield from pieces
        before = block if pieces else before


def _pieces(
    document: ConversionResult,
    index: int,
    path: Path,
    before: Block | None,
    measure: TokenMeasure,
    limit: int,
) -> Iterator[Unit]:
    block = document.blocks[index]
    text = document.text_of(block.span)
    header, above = None, 0
    if block.label is BlockLabel.TABLE:
        header = _header(text, measure, limit)
        above = len(header.split("\n")) if header else 0
    elif block.label is BlockLabel.FIGURE_TEXT:
        header = _caption(document, before, measure, limit)
    header_size = measure.size(header) if header else 0
    for n, (start, end) in enumerate(_spans(block, text)):
        bond = _bond_in(block, n, above) if n else _bond_between(document, before, block)
        for a, b in measure.fitting(text, start, end, limit - header_size):
            yield Unit(
                start=block.span.start + a,
                end=block.span.start + b,
                size=measure.size(text[a:b]),
                block=index,
                path=path,
                kind=_KINDS.get(block.label, ChunkKind.TEXT),
                bond=bond if a == start else _IN_SENTENCE,
                heading=block.label in _HEADINGS,
                header=header if n >= above else None,
                header_size=header_size if n >= above else 0,
                pages=_pages(block, block.span.start + a, block.span.start + b),
            )


def _pages(block: Block, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """Number of characters of ``text[start:end]`` on each page."""
    counts: Counter[int] = Counter()
    for line in block.lines:
        shared = min(line.end, end) - max(line.start, start)
        if shared > 0:
            counts[line.page] += shared
    return tuple(sorted(counts.items()))


def _spans(block: Block, text: str) -> list[tuple[int, int]]:
    if block.label in _BY_LINE:
        return _rows(text)
    if block.label in _WHOLE:
        body = text.strip()
        start = text.find(body)
        return [(start, start + len(body))] if body else []
    return sentence_spans(text)


def _rows(text: str) -> list[tuple[int, int]]:
    spans, at = [], 0
    for line in text.splitlines(keepends=True):
        body = line.strip()
        if body:
            start = at + line.find(body)
            spans.append((start, start + len(body)))
        at += len(line)
    return spans


def _header(text: str, measure: TokenMeasure, limit: int) -> str | None:
    rows = [text[start:end] for start, end in _rows(text)]
    for number in (head_rows(rows), 1):
        heads = "\n".join(rows[:number])
        if len(rows) > number and measure.size(heads) <= limit // _HEADER_SHARE:
            return heads
    return None


def _caption(
    document: ConversionResult, before: Block | None, measure: TokenMeasure, limit: int
) -> str | None:
    """The caption in front of a figure's text, unless it is that of a table, or too long to be
    repeated."""
    if before is None or before.label is not BlockLabel.CAPTION:
        return None
    caption = document.text_of(before.span).strip()
    of_table = caption.lower().startswith("tab")
    return caption if not of_table and measure.size(caption) <= limit // _HEADER_SHARE else None


def _bond_in(block: Block, n: int, heads: int) -> float:
    """The bond between units of one block, of which the first ``heads`` are rows of heads."""
    if block.label is BlockLabel.TABLE:
        return _AFTER_HEADING if n <= heads else 0.0
    return _IN_CODE if block.label in _BY_LINE else _IN_PARAGRAPH


def _bond_between(document: ConversionResult, before: Block | None, block: Block) -> float:
    """The bond between two blocks: strong after a heading, and after a list's lead-in."""
    if before is None:
        return 0.0
    if before.label in _HEADINGS:
        return _AFTER_HEADING
    if block.label in _HEADINGS:
        return 0.0
    if {before.label, block.label} == {BlockLabel.CAPTION, BlockLabel.TABLE}:
        return _AFTER_HEADING
    if document.text_of(before.span).rstrip().endswith((":", "：")):
        return _AFTER_LEAD_IN
    if document.text_of(block.span).lstrip()[:1].islower():
        return _GOES_ON
    return _IN_LIST if before.label is block.label is BlockLabel.LIST_ITEM else 0.0
