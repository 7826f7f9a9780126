"""Wrapped text of table cells: whether a part may continue the part above it."""

from collections.abc import Sequence

from citeloom.infrastructure.ingest.conversion.pdf.tables.grids import GridPart
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import HYPHENS

_SPACE = 0.25  # ems
_WANTS_MORE = "\u00b1+=(/,&"


def may_continue(above: GridPart, below: GridPart, column: Sequence[GridPart]) -> bool:
    """Whether the first word of ``below`` had no room at the end of ``above``, in a column as
    wide as its widest part. Numbers alone do not wrap."""
    if ends_open(above):
        return True
    if not any(c.isalpha() for c in below.text) and not any(c.isalpha() for c in above.text):
        return False
    widest = max(part.x1 - part.x0 for part in column)
    first = below.text.split(" ", 1)[0]
    advance = (below.x1 - below.x0) / max(len(below.text), 1)
    return (above.x1 - above.x0) + _SPACE * above.size + len(first) * advance > 0.97 * widest


def ends_open(part: GridPart) -> bool:
    """Whether a part ends with a sign that ends no cell."""
    return part.text[-1:] in HYPHENS or part.text[-1:] in _WANTS_MORE
