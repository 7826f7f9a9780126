"""Grids of the table blocks."""

from collections.abc import Sequence

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.infrastructure.ingest.conversion.pdf.blocks.blocks import BlockDraft
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine
from citeloom.infrastructure.ingest.conversion.pdf.page_record import centre_inside
from citeloom.infrastructure.ingest.conversion.pdf.tables.grids import Grid, Strokes, parts_of
from citeloom.infrastructure.ingest.conversion.pdf.tables.ruled_grid import ruled_grid
from citeloom.infrastructure.ingest.conversion.pdf.tables.table_regions import TableRegion
from citeloom.infrastructure.ingest.conversion.pdf.tables.unruled_grid import unruled_grid

MATHS = 0.3  # share of the characters in fonts for mathematics above which it is a matrix


def with_table_grids(
    drafts: Sequence[BlockDraft], regions: Sequence[TableRegion]
) -> list[BlockDraft]:
    """The blocks, with the grid of each table where its cells are certain."""
    return [
        draft._replace(grid=grid_of(draft.lines, _strokes_at(draft.lines, regions)))
        if draft.label == BlockLabel.TABLE
        else draft
        for draft in drafts
    ]


def _strokes_at(lines: Sequence[TextLine], regions: Sequence[TableRegion]) -> Strokes:
    for region in regions:
        inside = [ln for ln in lines if centre_inside(ln.box, region.box, 1.0)]
        if region.page == lines[0].page and 2 * len(inside) > len(lines):
            return region.strokes
    return Strokes()


def grid_of(lines: Sequence[TextLine], strokes: Strokes) -> Grid | None:
    """The grid of a table; None where its cells are uncertain."""
    parts = [line for line in parts_of(lines) if line]
    maths = sum(len(line.text) * line.maths for line in lines) / sum(len(ln.text) for ln in lines)
    if len(parts) < 2 or (maths > MATHS and not strokes.horizontal):
        return None
    return ruled_grid(parts, strokes) or unruled_grid(parts, strokes)
