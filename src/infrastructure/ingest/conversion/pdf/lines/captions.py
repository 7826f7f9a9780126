"""Captions of figures and tables: their wording, and their lines on a page."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox, union
from citeloom.infrastructure.ingest.conversion.pdf.page_record import overlap
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import WordRun

CAPTION = re.compile(
    r"^(?P<kind>fig(?:ure|\.)?|table|tab\.|tbl\.?|listing|algorithm|scheme|plate|chart|box|"
    r"abbildung|abb\.|tabelle|tableau)\s*(?P<number>[a-z]?\.?\d+(?:[.\-]\d+)*[a-z]?|[IVX]+)\b",
    re.IGNORECASE,
)


class Caption(NamedTuple):
    """The lines of a caption (its first and those below it) and their common box. ``table``
    is set for tables, listings and algorithms."""

    lines: tuple[WordRun, ...]
    box: BBox
    table: bool


def captions_of(runs: Sequence[WordRun]) -> list[Caption]:
    """The captions on a page."""
    captions = []
    ordered = sorted(runs, key=lambda r: r.bottom)
    for first in (r for r in ordered if CAPTION.match(_first_words(r))):
        lines = [first]
        for run in ordered:
            if _follows(run, lines[-1]):
                lines.append(run)
        table = _first_words(first).lower().startswith(("tab", "tbl", "listing", "algorithm"))
        captions.append(Caption(tuple(lines), union([r.box for r in lines]), table))
    return captions


def _follows(run: WordRun, above: WordRun) -> bool:
    return (
        abs(run.size - above.size) < 0.06 * above.size
        and 0.5 * above.size < run.bottom - above.bottom < 1.6 * above.size
        and overlap(run.x0, run.x1, above.x0, above.x1) > 0.5 * (run.x1 - run.x0)
    )


def _first_words(run: WordRun) -> str:
    return " ".join(word.text for word in run.words[:3])
