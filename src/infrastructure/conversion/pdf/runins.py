"""Heads that stand at the beginning of their paragraph, as LaTeX's paragraph heads do."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from citeloom.infrastructure.conversion.pdf.candidates import may_head
from citeloom.infrastructure.conversion.pdf.figures import CAPTION
from citeloom.infrastructure.conversion.pdf.flow import Placed, Style
from citeloom.infrastructure.conversion.pdf.glyphs import squash
from citeloom.infrastructure.conversion.pdf.names import ALWAYS, BULLET, THEOREM

_END = re.compile(r"[.:\u2014-]$")


_STEP = re.compile(r"^(?:sub)?(?:case|step|part|stage|phase)s?\b[^a-z]*$", re.IGNORECASE)
LEAST_SLANTED = 2  # italic heads that a document has, if it has any


class RunIn(NamedTuple):
    """A head from line ``first`` to the first ``length`` characters of line ``line``.
    ``named`` ones (Abstract, …) are sections, whatever stands around them."""

    first: int
    line: int
    length: int
    named: bool


def find_run_ins(flow: Sequence[Placed], style: Style, skip: AbstractSet[int]) -> list[RunIn]:
    """Bold, then a space of about an em, then text; none in a document set in bold. Italic
    heads end with a stop or a colon, and there is more than one of them."""
    if style.bold:
        return []
    bold: list[RunIn] = []
    slanted: list[RunIn] = []
    for i, placed in enumerate(flow):
        line = placed.line
        if not (line.lead or line.slanted) or i in skip or placed.aside:
            continue
        first = i - 1 if i and i - 1 not in skip and _goes_on(flow[i - 1], placed, style) else i
        found = _run_in(first, i, flow, style)
        if found is not None:
            (bold if line.lead else slanted).append(found)
    return sorted(bold + (slanted if len(slanted) >= LEAST_SLANTED else []))


def _goes_on(before: Placed, placed: Placed, style: Style) -> bool:
    """Whether a head that fills the line before ends in this one."""
    whole = before.line.bold if placed.line.lead else before.line.italic and not before.line.bold
    return (
        whole
        and not before.aside
        and before.column == placed.column
        and abs(style.ratio(before.line) - 1) <= 0.12
        and placed.above < 1.15 * style.pitch
        and before.short_by < 0.15 * (before.right - before.left)
    )


def _run_in(first: int, last: int, flow: Sequence[Placed], style: Style) -> RunIn | None:
    line, begin = flow[last].line, flow[first]
    slanted = line.slanted if not line.lead else None
    length, gap = (slanted.length, slanted.gap) if slanted else (line.lead, line.lead_gap)
    if abs(style.ratio(line) - 1) > 0.12:
        return None
    head = line.text[:length].strip()
    if first < last:
        head = f"{begin.line.text} {head}"
    named = squash(head) in ALWAYS
    wide = gap > 0.95 * line.size
    ended = _END.search(head) is not None
    if not (wide or (named and ended) or (slanted and ended)):
        return None
    indented = ended and begin.indent > 0.5 * line.size
    if begin.above < 1.1 * style.pitch and not ((wide or slanted) and indented):
        return None
    if len(head) > (80 if first == last else 160) or begin.line.raised:
        return None
    if THEOREM.match(head) or CAPTION.match(head) or not may_head(head.rstrip(".:")):
        return None
    if BULLET.match(begin.line.text) or (head[:1].islower() and not named):
        return None
    if slanted and (_STEP.match(head) or not line.text[length:].strip()[:1].isupper()):
        return None
    return RunIn(first, last, length, named)
