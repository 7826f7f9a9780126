"""Side tables, with running text beside them, lifted out of the text."""

from collections.abc import Sequence
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox, union
from citeloom.infrastructure.ingest.conversion.pdf.lines.captions import Caption, captions_of
from citeloom.infrastructure.ingest.conversion.pdf.page_record import centre_inside, overlap
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import WordRun

LEAST_BESIDE = 4  # least number of text lines beside a side table
CAPTION_NEAR = 25.0  # greatest distance between a table and its caption, in points
PARAGRAPH_GAP = 0.9  # least white space between paragraphs, in cell heights


class SideTable(NamedTuple):
    """A table with its caption, and their common box."""

    runs: tuple[WordRun, ...]
    box: BBox


def lift_side_tables(
    runs: Sequence[WordRun], regions: Sequence[BBox]
) -> tuple[list[WordRun], list[SideTable]]:
    """The runs without side tables, and the side tables."""
    captions = captions_of(runs)
    rest = list(runs)
    side_tables: list[SideTable] = []
    for region in regions:
        if len(_beside(region, rest)) < LEAST_BESIDE:
            continue
        caption = next((c for c in captions if _belongs(c, region)), None)
        lines = caption.lines if caption else ()
        table_runs = [
            r for r in rest if centre_inside(r.box, region, 1.0) or any(r is n for n in lines)
        ]
        table_ids = {id(r) for r in table_runs}
        rest = [r for r in rest if id(r) not in table_ids]
        if table_runs:
            side_tables.append(SideTable(tuple(table_runs), union([r.box for r in table_runs])))
    return rest, side_tables


def _beside(region: BBox, runs: Sequence[WordRun]) -> list[WordRun]:
    """Lines of text beside a region, about as wide or wider, at one left edge."""
    lines = [
        r
        for r in runs
        if region[1] < (r.top + r.bottom) / 2 < region[3]
        and overlap(r.x0, r.x1, region[0], region[2]) <= 0
        and len(r.words) >= 4
        and r.x1 - r.x0 > 0.5 * (region[2] - region[0])
    ]
    return [r for r in lines if sum(abs(r.x0 - other.x0) < 2.0 for other in lines) > 2]


def _belongs(caption: Caption, region: BBox) -> bool:
    left, top, right, bottom = caption.box
    within = region[0] - 8.0 <= left and right <= region[2] + 8.0
    return within and -3.0 < max(top - region[3], region[1] - bottom) < CAPTION_NEAR


def split_below(runs: Sequence[WordRun], bottom: float) -> tuple[list[WordRun], list[WordRun]]:
    """Runs up to the first paragraph gap below ``bottom``, and the rest."""
    ordered = sorted(runs, key=lambda r: r.top)
    reach = 0.0
    for i, run in enumerate(ordered):
        if i and run.top > bottom and run.top - reach > PARAGRAPH_GAP * run.size:
            return ordered[:i], ordered[i:]
        reach = max(reach, run.bottom)
    return ordered, []
