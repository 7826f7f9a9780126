"""Physical rows of a reference list, with what tells where an entry begins or ends."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from citeloom.domain.documents.conversion import Block, BlockLabel, ConversionResult
from citeloom.domain.references.entries.entry import NUMBER

PROSE = frozenset({BlockLabel.TEXT, BlockLabel.LIST_ITEM})
_CELL = " | "
COMPLETE = re.compile(r"(?:[.)\]]|\d|https?://\S+|10\.\d{4,9}/\S+)$")
HAS_YEAR = re.compile(r"\b(?:1[5-9]|20)\d{2}[a-z]?\b|n\.\s?d\.")
BEGINS = re.compile(
    r"(?:(?:v[ao]n|den|der|de|del|della|di|da|dos|du|la|le|el|al|ter|ten)\s){0,2}"
    r"(?:[^\W\d_a-z][\w’'‘-]*[ -]){0,3}[^\W\d_a-z][\w’'‘-]*,\s(?:[^\W\d_a-z]\.[\s-]?)+"
    r"[^()]{0,400}?\((?:1[5-9]|20)\d{2}"
    r"|[\w&-]+(?:\s[\w&-]+){0,5}\.\s\((?:1[5-9]|20)\d{2}"
)
_FUSED_AUTHORS = re.compile(rf"(?<=[.\w/])\s+(?={BEGINS.pattern})")
_FUSED_NUMBERS = re.compile(r"\s+(?=\[(\d{1,4})\]\s)")


class PrintedRow(NamedTuple):
    """A line of the section. ``opens`` a block; ``own``: of a block that is an entry."""

    start: int
    end: int
    text: str
    opens: bool
    is_entry: bool
    page: int | None = None
    left: float = 0.0


def printed_rows(section: Sequence[Block], document: ConversionResult) -> list[PrintedRow]:
    labelled = any(block.label == BlockLabel.REFERENCE for block in section)
    rows: list[PrintedRow] = []
    for block in section:
        is_entry = block.label == BlockLabel.REFERENCE or (not labelled and block.label in PROSE)
        places: list[tuple[int, int, int | None, float]] = [
            (line.start, line.end, line.page, line.bbox[0]) for line in block.lines
        ] or [(start, end, None, 0.0) for start, end in _unpaged(block, document)]
        for at, (start, end, page, left) in enumerate(places):
            text = document.plain_text[start:end].replace(_CELL, " ")
            opens = at == 0 or page is None
            rows.append(PrintedRow(start, end, text, opens, is_entry, page, left))
    return rows


def _unpaged(block: Block, document: ConversionResult) -> Iterator[tuple[int, int]]:
    """Offsets of the entries of a block without lines."""
    start, text = block.span.start, document.text_of(block.span)
    cuts = {match.end() for match in re.finditer(r"\n\s*", text)}
    expected: int | None = None
    if first := NUMBER.match(text):
        expected = int(next(g for g in first.groups() if g)) + 1
    for match in _FUSED_NUMBERS.finditer(text):
        if int(match[1]) == expected:
            cuts.add(match.end())
            expected += 1
    if first is None:
        for match in _FUSED_AUTHORS.finditer(text):
            last = max((cut for cut in cuts if cut < match.end()), default=0)
            before = text[last : match.start()]
            if HAS_YEAR.search(before) and COMPLETE.search(before):
                cuts.add(match.end())
    for begin, end in pairwise([0, *sorted(cuts), len(text)]):
        piece = text[begin:end]
        if piece.strip():
            yield start + begin, start + begin + len(piece.rstrip())
