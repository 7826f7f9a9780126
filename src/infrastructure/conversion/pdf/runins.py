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


class RunIn(NamedTuple):
    """The first ``length`` characters of a line are a head. ``named`` ones (Abstract, …)
    are sections, whatever stands around them."""

    line: int
    length: int
    named: bool


def find_run_ins(flow: Sequence[Placed], style: Style, skip: AbstractSet[int]) -> list[RunIn]:
    """Bold, then a space of about an em, then text; none in a document set in bold."""
    if style.bold:
        return []
    found = []
    for i, placed in enumerate(flow):
        line = placed.line
        if not line.lead or i in skip or placed.aside or abs(style.ratio(line) - 1) > 0.12:
            continue
        head = line.text[: line.lead].strip()
        named = squash(head) in ALWAYS
        wide = line.lead_gap > 0.95 * line.size
        if not (wide or (named and _END.search(head))):
            continue
        ended = _END.search(head) is not None and placed.indent > 0.5 * line.size
        if placed.above < 1.1 * style.pitch and not (wide and ended):
            continue
        if len(head) > 80 or line.raised:
            continue
        if THEOREM.match(head) or CAPTION.match(head) or not may_head(head.rstrip(".:")):
            continue
        if BULLET.match(line.text) or (head[:1].islower() and not named):
            continue
        found.append(RunIn(i, line.lead, named))
    return found
