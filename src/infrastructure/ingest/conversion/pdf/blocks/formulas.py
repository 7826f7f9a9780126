"""Displayed formulas, line by line."""

import re
from collections.abc import Sequence

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import BodyStyle, PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import EQUATION_NUMBER

_RELATION = re.compile("[=<>+\u2264\u2265\u2211\u222b\u2208\u2192\u2248\u2032]")
_ENDS_SENTENCE = re.compile(r"[a-z]{3,}\.$")
_WORD = re.compile(r"[^\W\d_]{3,}")


def is_formula(placed: PlacedLine, style: BodyStyle) -> bool:
    line = placed.line
    text = line.text
    numbered = len(line.pieces) > 1 and bool(EQUATION_NUMBER.match(line.pieces[-1].text))
    words = sum(len(w) for w in _WORD.findall(text))
    solid = len(text.replace(" ", ""))
    mathy = line.maths > 0.25
    if numbered and words < 0.6 * solid:
        return True
    if line.maths > 0.6 and words < 0.3 * solid and placed.indent > style.size:
        return True
    inset = placed.indent > 1.2 * style.size or line.width < 0.4 * (placed.right - placed.left)
    few = words < (0.45 if mathy else 0.2) * solid
    return inset and few and bool(_RELATION.search(text))


def extend_formulas(flow: Sequence[PlacedLine], labels: list[BlockLabel], style: BodyStyle) -> None:
    """Extend formulas to limits, fractions and numbers close above or below them."""
    order = range(len(flow))
    for step, indices in ((1, order), (-1, reversed(order))):
        for i in indices:
            at = i - step
            if labels[i] != BlockLabel.TEXT or not 0 <= at < len(flow):
                continue
            space = flow[i].above if step == 1 else flow[i].below
            near = flow[at].column == flow[i].column and space < 1.15 * style.pitch
            if near and labels[at] == BlockLabel.FORMULA and _is_fragment(flow[i], style):
                labels[i] = BlockLabel.FORMULA


def _is_fragment(placed: PlacedLine, style: BodyStyle) -> bool:
    """Whether a line is too short and too far indented for running text."""
    line = placed.line
    if EQUATION_NUMBER.match(line.text):
        return True
    inset = placed.indent > 1.2 * style.size and line.width < 0.6 * (placed.right - placed.left)
    words = sum(len(word) for word in _WORD.findall(line.text))
    solid = len(line.text.replace(" ", ""))
    return inset and (words < 0.5 * solid or solid <= 12) and not _ENDS_SENTENCE.search(line.text)
