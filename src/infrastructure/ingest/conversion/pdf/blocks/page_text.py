"""Text of a laid-out page, compared with the independent reading of the page."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.domain.documents.fidelity import PageFidelity, compare_page
from citeloom.infrastructure.ingest.conversion.pdf.blocks.block_text import JoinedText
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord
from citeloom.infrastructure.ingest.conversion.pdf.words.unreadable_text import undecodable_share

_WITHOUT_ORDER = (BlockLabel.TABLE, BlockLabel.FORMULA)


class LaidText(NamedTuple):
    """Text on a page: running text, text in another order than other readers' (tables, formulas),
    and text that is not quoted (figures, heads and feet)."""

    prose: list[str]
    tables: list[str]
    besides: list[str]


def page_texts(
    blocks: Iterable[tuple[BlockLabel, JoinedText]], besides: Iterable[tuple[int, str]]
) -> dict[int, LaidText]:
    """Text by page. ``besides`` are page and text of figures, heads and feet."""
    texts: dict[int, LaidText] = defaultdict(lambda: LaidText([], [], []))
    for label, joined in blocks:
        for page, part in _parts(joined):
            text = texts[page]
            (text.tables if label in _WITHOUT_ORDER else text.prose).append(part)
    for page, part in besides:
        texts[page].besides.append(part)
    return texts


def compare_pages(
    records: Sequence[PageRecord], texts: dict[int, LaidText], rebuilt: frozenset[int]
) -> tuple[PageFidelity, ...]:
    """Fidelity of each page that has an independent reading. Words in other directions than the
    text count as stored: they are labels of figures or stand in the margin."""
    compared = []
    for record in records:
        readings = [r for r in (record.plain_text, record.turned_text) if r.strip()]
        if not readings:
            continue
        text = texts.get(record.page) or LaidText([], [], [])
        besides = [*text.besides, *(word.text for word in record.rotated_words)]
        fidelity = max(
            (compare_page(record.page, r, text.prose, text.tables, besides) for r in readings),
            key=attrgetter("least"),
        )
        compared.append(
            fidelity.model_copy(
                update={
                    "undecodable": undecodable_share([*text.prose, *text.tables]),
                    "rebuilt": record.page in rebuilt,
                }
            )
        )
    return tuple(compared)


def _parts(joined: JoinedText) -> Iterator[tuple[int, str]]:
    """Page and text of each run of lines on one page."""
    for page, lines in groupby(joined.lines, key=attrgetter("page")):
        first, *rest = lines
        yield page, joined.text[first.start : (rest or [first])[-1].end]
