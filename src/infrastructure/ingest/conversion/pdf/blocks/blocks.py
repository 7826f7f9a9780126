"""Block labels and extents: paragraphs, lists, captions, formulas, code, references."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.domain.text.scripts import MARKS
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.title import TitleBlock
from citeloom.infrastructure.ingest.conversion.pdf.headings.candidates import LARGER
from citeloom.infrastructure.ingest.conversion.pdf.headings.headings import HeadingMark
from citeloom.infrastructure.ingest.conversion.pdf.headings.outlines import bibliography_lines
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import FAR, BodyStyle, PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import (
    Face,
    TextLine,
    is_bold_head,
    leads_in_bold,
    split_lead_in,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    BULLET,
    CAPTION,
    ENUMERATED,
    EQUATION_NUMBER,
    REFERENCE_HEADINGS,
    REFERENCE_LABEL,
    SENTENCE_END,
)
from citeloom.infrastructure.ingest.conversion.pdf.tables.grids import Grid
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import is_monospaced, squash

_LETTER: Final = 0.55  # width of one on average, in sizes
_NOTE_MARK = re.compile(
    rf"^\s*(?:\d{{1,2}}\)?|{MARKS}|\^[a-z]|"
    r"[^\w\s\"'(\[{\u201c\u2018\u2013\u2014=+<>.,;:-]{1,2})\s?(?=[^\W\d]|https?:)"
)


def footnote_lines(flow: Sequence[PlacedLine], style: BodyStyle, skip: frozenset[int]) -> set[int]:
    """Lines in smaller type at the end of a column, from the first with a note mark on."""
    notes: set[int] = set()
    ends = [i for i, p in enumerate(flow) if p.below == FAR and not p.aside]
    for end in ends:
        i = end
        while (
            i >= 0
            and flow[i].column == flow[end].column
            and style.ratio(flow[i].line) < 0.94
            and i not in skip
            and not CAPTION.match(flow[i].line.text)
        ):
            i -= 1
        tail = range(i + 1, end + 1)
        start = next((k for k in tail if has_note_mark(flow[k])), None)
        if start is not None and _is_lowest(end, flow):
            notes.update(range(start, end + 1))
    return notes


def _is_lowest(at: int, flow: Sequence[PlacedLine]) -> bool:
    """Whether the line ``at`` is the lowest in its part of the page."""
    line = flow[at].line
    for step in (-1, 1):
        i = at + step
        while 0 <= i < len(flow) and flow[i].line.page == line.page:
            other = flow[i].line
            if other.top > line.bottom and other.x0 < line.x1 and line.x0 < other.x1:
                return False
            i += step
    return True


def has_note_mark(placed: PlacedLine) -> bool:
    return placed.line.begins_raised or (
        _NOTE_MARK.match(placed.line.text) is not None and placed.indent > -2
    )


_RELATION = re.compile("[=<>+\u2264\u2265\u2211\u222b\u2208\u2192\u2248\u2032]")
_ENDS_SENTENCE = re.compile(r"[a-z]{3,}\.$")
_WORD = re.compile(r"[^\W\d_\u00b2\u00b3\u00b9\u2070-\u209c]{3,}")  # without scripts
_FUNCTIONS = frozenset(
    "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lim liminf "
    "limsup log max min mod rank sec sgn sin sinh span sup tan tanh trace var cov".split()
)


def is_formula(placed: PlacedLine, style: BodyStyle) -> bool:
    """Whether a line is a displayed formula, or a part of one: it has a number, or a relation and
    few words, and is inset, or apart from the line above. A line that fills its column and has
    words other than names of functions is text."""
    line = placed.line
    text = line.text
    numbered = len(line.pieces) > 1 and bool(EQUATION_NUMBER.match(line.pieces[-1].text))
    words = sum(len(w) for w in _WORD.findall(text))
    solid = len(text.replace(" ", ""))
    mathy = line.maths > 0.25
    if numbered and words < 0.6 * solid:
        return True
    prose = [word for word in _WORD.findall(text) if word.lower() not in _FUNCTIONS]
    fills = placed.indent < 3 * style.size and placed.short_by < style.size
    if fills and (len(prose) > 2 or sum(map(str.islower, prose)) > 1):
        return False
    if line.maths > 0.6 and words < 0.3 * solid and placed.indent > style.size:
        return True
    apart = placed.above > 1.15 * style.pitch
    narrow = apart and line.width < 0.4 * (placed.right - placed.left)
    symbols = mathy and apart and sum(map(len, prose)) < 0.15 * solid
    inset = placed.indent > 1.2 * style.size or narrow or symbols
    few = words < (0.45 if mathy else 0.2) * solid and (apart or len(prose) < 2)
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


_CROSS_REFERENCE = re.compile(
    r"\b(?:(?:eqs?|figs?|secs?|refs?|tabs?|nos?|vols?|pp)\.?|equations?|figures?|sections?|"
    r"references?|tables?|theorems?|lemmas?|lemmata|chapters?)$",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"^[\w(][^\s<>]*/[^\s<>]*$")  # a web address, or the rest of one
_BROKEN_WORD = re.compile(r"[^\W\d_]{2}[-\u00ad\u2010]$")
_WORD_REST = re.compile(r"[a-z\u00df-\u00f6\u00f8-\u00ff]{2}")
PART_LABEL = re.compile(r"\([a-z]\)\s+\S")  # of a part of a figure
_NUMBERED_NOTE = re.compile(rf"(?:\d{{1,2}}|{MARKS}|[*\u2020\u2021\u00a7]+)\s?[A-Z]")
_AFTER_NUMBER = (".", ":")  # of a caption
_STOP = re.compile(r"[.!?]['\")\]\u2019\u201d]*$")
_INTERPOSED = 8  # most lines of a caption or note within a sentence
_INTERRUPTING = (BlockLabel.CODE, BlockLabel.FORMULA)
_PAUSES = frozenset(".:;,!?")
CAPTION_PITCH = 2.5  # greatest distance from baseline to baseline in a caption, in heights
CENTRED = 4.0  # points of white space on both sides


class BlockDraft(NamedTuple):
    """A block before its text is joined. ``floating`` blocks (captions, tables, footnotes,
    margin notes) may interrupt a paragraph.

    ``indent`` and ``hang`` are the indents of the first and second line, in points from the
    column's edge. ``depth`` is that of a list item (from 1), 0 for a block that ends a list.
    ``grid`` holds the cells of a table, if certain; ``aside`` marks margin notes.
    """

    label: BlockLabel
    lines: tuple[TextLine, ...]
    column: int
    level: int | None = None
    floating: bool = False
    aside: bool = False
    begins_indented: bool = False
    ends_short: bool = False
    indent: float = 0.0
    hang: float | None = None
    depth: int = 0
    grid: Grid | None = None


def build_blocks(
    flow: Sequence[PlacedLine],
    style: BodyStyle,
    marks: Sequence[HeadingMark],
    title: TitleBlock,
    tables: Sequence[tuple[int, int]],
) -> list[BlockDraft]:
    """Blocks in reading order; each line of ``flow`` is in exactly one of them."""
    labels = _line_labels(flow, style, title, tables)
    flow = list(flow)
    drafts: list[BlockDraft] = []
    start = 0
    heads = {mark.first: mark for mark in marks}
    in_references = False
    while start < len(flow):
        mark = heads.get(start)
        if mark is not None:
            lines = tuple(flow[k].line for k in range(mark.first, mark.last + 1))
            rest: TextLine | None = None
            if mark.run_in:
                head, rest = split_lead_in(lines[-1])
                lines = (*lines[:-1], head)
            drafts.append(
                BlockDraft(BlockLabel.SECTION_HEADER, lines, flow[start].column, mark.level)
            )
            name = squash("".join(line.text for line in lines).lstrip("0123456789. "))
            in_references = name in REFERENCE_HEADINGS
            if rest is None:
                start = mark.last + 1
                continue
            start = mark.last
            flow[start] = flow[start]._replace(line=rest)
            if labels[start] == BlockLabel.LIST_ITEM:
                labels[start] = BlockLabel.TEXT
            end = _block_end(start, flow, style, labels, heads, in_references)
            draft = _draft(start, end, flow, labels[start])
            drafts.append(draft._replace(begins_indented=True))
            start = end
            continue
        is_prose = labels[start] in (BlockLabel.TEXT, BlockLabel.LIST_ITEM) and not in_references
        leads_in = is_prose and not style.bold and leads_in_bold(flow[start].line)
        if leads_in and not _runs_on(drafts, flow[start]):
            head, rest = split_lead_in(flow[start].line)
            drafts.append(_draft(start, start + 1, flow, labels[start])._replace(lines=(head,)))
            flow[start] = flow[start]._replace(line=rest or head)
            labels[start] = BlockLabel.TEXT
        end = _block_end(start, flow, style, labels, heads, in_references)
        label = labels[start]
        if label == BlockLabel.TABLE:
            end = max(end, *(last + 1 for first, last in tables if first <= start <= last))
        if style.ratio(flow[start].line) > LARGER and flow[start].line.bold:
            in_references = False
        if in_references and label in (BlockLabel.TEXT, BlockLabel.LIST_ITEM):
            label = BlockLabel.REFERENCE
        drafts.append(_draft(start, end, flow, label))
        start = end
    return drafts


def _runs_on(drafts: Sequence[BlockDraft], here: PlacedLine) -> bool:
    """Whether a line at the top of a column continues a sentence of the column before."""
    last = next((one for one in reversed(drafts) if not one.floating), None)
    if last is None or last.label not in (BlockLabel.TEXT, BlockLabel.LIST_ITEM):
        return False
    ended = last.ends_short or SENTENCE_END.search(last.lines[-1].text) is not None
    return last.column != here.column and not ended


def _draft(start: int, end: int, flow: Sequence[PlacedLine], label: BlockLabel) -> BlockDraft:
    lines = tuple(placed.line for placed in flow[start:end])
    last = flow[end - 1]
    return BlockDraft(
        label=label,
        lines=lines,
        column=flow[start].column,
        floating=flow[start].aside
        or label in (BlockLabel.CAPTION, BlockLabel.TABLE, BlockLabel.FOOTNOTE),
        aside=flow[start].aside,
        begins_indented=flow[start].indent > 0.6 * flow[start].line.size,
        ends_short=_ends_short(last),
        indent=flow[start].indent,
        hang=flow[start + 1].indent if end - start > 1 else None,
    )


def _ends_short(placed: PlacedLine) -> bool:
    return placed.short_by > 0.12 * (placed.right - placed.left)


def _line_labels(
    flow: Sequence[PlacedLine],
    style: BodyStyle,
    title: TitleBlock,
    tables: Sequence[tuple[int, int]],
) -> list[BlockLabel]:
    labels = [
        _line_label(placed, before, style)
        for before, placed in zip((None, *flow), flow, strict=False)
    ]
    for i in range(1, len(flow)):
        if labels[i] == BlockLabel.LIST_ITEM != labels[i - 1] and _is_running_text(
            flow[i - 1], flow[i], style
        ):
            labels[i] = BlockLabel.TEXT
    for first, last in tables:
        labels[first : last + 1] = [BlockLabel.TABLE] * (last - first + 1)
    cited = bibliography_lines(flow, style)
    for i in range(1, len(flow)):
        address = _ADDRESS.match(flow[i].line.text) and labels[i - 1] == BlockLabel.TEXT
        if labels[i] == BlockLabel.CODE and (i in cited or address):
            labels[i] = BlockLabel.TEXT
        if labels[i] in _INTERRUPTING and _is_within_sentence(i, flow, labels, style):
            labels[i] = BlockLabel.TEXT
    in_tables = frozenset(i for first, last in tables for i in range(first, last + 1))
    for i in footnote_lines(flow, style, in_tables | cited):
        labels[i] = BlockLabel.FOOTNOTE
    for i in range(1, len(flow)):
        if labels[i] in (BlockLabel.TEXT, BlockLabel.LIST_ITEM):
            label, end = _within_sentence(i, flow, labels)
            labels[i:end] = [label] * (end - i)
    _extend_captions(flow, labels)
    extend_formulas(flow, labels, style)
    for i in title.title:
        labels[i] = BlockLabel.TITLE
    for i in title.authors:
        labels[i] = BlockLabel.AUTHORS
    return labels


def _within_sentence(
    at: int, flow: Sequence[PlacedLine], labels: Sequence[BlockLabel]
) -> tuple[BlockLabel, int]:
    """The label and the end of a caption or a note in the type of the text that stands between
    two lines of a sentence: of a caption in one column, of a note the end of the column. The lines
    that do not begin one have their own label, and end there."""
    none = (labels[at], at)
    before, line = flow[at - 1], flow[at].line
    if labels[at - 1] != BlockLabel.TEXT or SENTENCE_END.search(before.line.text):
        return none
    if before.column != flow[at].column:
        return none
    caption = CAPTION.match(line.text)
    if caption is not None and line.text[caption.end() : caption.end() + 1] in _AFTER_NUMBER:
        label = BlockLabel.CAPTION
    elif line.begins_raised or _NUMBERED_NOTE.match(line.text):
        label = BlockLabel.FOOTNOTE
    else:
        return none
    for last in range(at, min(at + _INTERPOSED, len(flow) - 1)):
        here, after = flow[last], flow[last + 1]
        if here.column != flow[at].column:
            return none
        ends_column = after.column != here.column
        if (
            _STOP.search(here.line.text)
            and ends_column == (label == BlockLabel.FOOTNOTE)
            and after.line.text[:1].islower()
        ):
            return label, last + 1
    return none


def _is_within_sentence(
    at: int, flow: Sequence[PlacedLine], labels: Sequence[BlockLabel], style: BodyStyle
) -> bool:
    """Whether a line that looks like code or a formula continues a word or an address of the line
    above, or is within a sentence or ends it, at the distance and the edge of its other lines."""
    before, here = flow[at - 1], flow[at]
    if labels[at - 1] != BlockLabel.TEXT or not _is_next_line(before, here, style):
        return False
    if breaks_word(before.line, here.line) or before.line.text.endswith("/"):
        return True
    after = flow[at + 1] if at + 1 < len(flow) else None
    next_label = labels[at + 1] if after and _is_next_line(here, after, style) else None
    goes_on = after is not None and (
        next_label == BlockLabel.TEXT
        and abs(after.line.x0 - here.line.x0) <= 1.5
        and after.line.text[:1].islower()
    )
    is_last = here.line.text.endswith((".", ".)")) and next_label != BlockLabel.CODE
    ends = is_last and not _ends_short(before)
    return (
        labels[at] == BlockLabel.CODE
        and abs(before.line.x0 - here.line.x0) <= 1.5
        and not SENTENCE_END.search(before.line.text)
        and (goes_on or ends)
    )


def _is_next_line(before: PlacedLine, here: PlacedLine, style: BodyStyle) -> bool:
    return here.column == before.column and here.above <= 1.15 * style.pitch


def _line_label(placed: PlacedLine, before: PlacedLine | None, style: BodyStyle) -> BlockLabel:
    line = placed.line
    if CAPTION.match(line.text) and _begins_caption(placed, before, style):
        return BlockLabel.CAPTION
    if len(line.pieces) > 1 and all(PART_LABEL.match(piece.text) for piece in line.pieces):
        return BlockLabel.CAPTION
    if _is_code(line, style):
        return BlockLabel.CODE
    if is_formula(placed, style):
        return BlockLabel.FORMULA
    if BULLET.match(line.text) or ENUMERATED.match(line.text):
        return BlockLabel.LIST_ITEM
    return BlockLabel.TEXT


def _is_running_text(before: PlacedLine, here: PlacedLine, style: BodyStyle) -> bool:
    """Whether an apparent list label is a dash or number of the running text."""
    if _CROSS_REFERENCE.search(before.line.text):
        return True
    return (
        here.column == before.column
        and abs(here.line.x0 - before.line.x0) <= 1.5
        and here.above <= 1.15 * style.pitch
        and before.short_by < 0.02 * (before.right - before.left)
        and before.line.text[-1:] not in _PAUSES
    )


def _is_code(line: TextLine, style: BodyStyle) -> bool:
    return is_monospaced(line.font) and not is_monospaced(style.font) and "@" not in line.text


def _begins_caption(placed: PlacedLine, before: PlacedLine | None, style: BodyStyle) -> bool:
    match = CAPTION.match(placed.line.text)
    after = placed.line.text[match.end() :] if match else ""
    punctuated = bool(re.match(r"\s*[.:|\u2013\u2014-]", after))
    lead = placed.line.lead_in
    bold = placed.line.bold or (lead is not None and lead.face is Face.BOLD)
    apart = placed.above == FAR or placed.above > 1.3 * style.pitch
    small = style.ratio(placed.line) < 0.95
    upper = re.match(r"\s+[A-Z]", after) is not None
    other = before is not None and abs(before.line.size - placed.line.size) > 0.06 * style.size
    return (apart and (punctuated or bold or not after or (small and upper))) or (
        punctuated and (small or bold or other)
    )


def _extend_captions(flow: Sequence[PlacedLine], labels: list[BlockLabel]) -> None:
    """Extend captions to the following lines of the same type without extra space."""
    for i in range(1, len(flow)):
        before, here = flow[i - 1], flow[i]
        if labels[i - 1] != BlockLabel.CAPTION or labels[i] not in (
            BlockLabel.TEXT,
            BlockLabel.LIST_ITEM,
            BlockLabel.FORMULA,
        ):
            continue
        usual = before.above if labels[i - 2] == BlockLabel.CAPTION and i >= 2 else None
        limit = 1.25 * usual if usual is not None and usual != FAR else 1.75 * before.line.size
        limit = min(limit, CAPTION_PITCH * before.line.size)
        same = abs(here.line.size - before.line.size) < 0.07 * before.line.size
        centred = _is_centred_above(before, here)
        if here.column == before.column and same and here.above <= limit and not centred:
            labels[i] = BlockLabel.CAPTION


def _is_centred_above(before: PlacedLine, here: PlacedLine) -> bool:
    """Whether a line stands centred above a wider one: it is the last of its block."""
    return (
        before.indent > CENTRED
        and abs(before.indent - before.short_by) < CENTRED
        and here.indent < 1.0
        and here.line.width > before.line.width
    )


def _block_end(
    start: int,
    flow: Sequence[PlacedLine],
    style: BodyStyle,
    labels: Sequence[BlockLabel],
    heads: dict[int, HeadingMark],
    in_references: bool,
) -> int:
    end = start + 1
    while end < len(flow) and end not in heads and _may_share_block(start, end, flow, labels):
        if _begins_block(start, end, flow, style, labels, in_references):
            break
        end += 1
    return end


def _may_share_block(
    start: int, at: int, flow: Sequence[PlacedLine], labels: Sequence[BlockLabel]
) -> bool:
    """Whether two lines may share a block: only title and authors cross columns."""
    if flow[start].column == flow[at].column:
        return True
    return labels[at] == labels[start] and labels[start] in (BlockLabel.TITLE, BlockLabel.AUTHORS)


def _begins_block(
    start: int,
    at: int,
    flow: Sequence[PlacedLine],
    style: BodyStyle,
    labels: Sequence[BlockLabel],
    in_references: bool,
) -> bool:
    label, here, before = labels[start], flow[at], flow[at - 1]
    if label in (BlockLabel.TITLE, BlockLabel.TABLE, BlockLabel.CAPTION, BlockLabel.CODE):
        return (
            labels[at] != label
            or (label != BlockLabel.TITLE and here.above > 2.6 * style.pitch)
            or (
                label == BlockLabel.CAPTION
                and CAPTION.match(here.line.text) is not None
                and here.above > 1.5 * before.line.size
            )
        )
    if label == BlockLabel.AUTHORS:
        return labels[at] != label
    if label == BlockLabel.FOOTNOTE:
        marked = here.line.begins_raised or re.match(r"\d{1,2}\)\s", here.line.text) is not None
        return labels[at] != label or (has_note_mark(here) and marked)
    if labels[at] == BlockLabel.FORMULA and label == BlockLabel.FORMULA:
        return here.above > 3 * style.pitch
    differs = labels[at] != BlockLabel.TEXT or label == BlockLabel.FORMULA
    if differs and not (in_references and labels[at] == BlockLabel.LIST_ITEM):
        return True
    if in_references:
        return _begins_entry(start, at, flow, style)
    return _begins_paragraph(start, at, flow, style, label)


def _begins_paragraph(
    start: int, at: int, flow: Sequence[PlacedLine], style: BodyStyle, label: BlockLabel
) -> bool:
    here, before = flow[at], flow[at - 1]
    larger = max(here.line.size, before.line.size)
    pitch = style.pitch * min(larger / style.size, 1.6)
    if here.above > 1.3 * pitch and here.above > before.line.size * 1.2:
        return True
    if breaks_word(before.line, here.line):
        return False
    if (
        abs(here.line.size - before.line.size) > 0.14 * larger
        and min(len(here.line.text), len(before.line.text)) > 8
    ):
        return True
    if here.line.bold and not before.line.bold and here.above > 1.1 * pitch:
        return True
    if not (here.line.bold or style.bold) and all(one.line.bold for one in flow[start:at]):
        word = len(here.line.text.partition(" ")[0]) + 1
        ends = before.short_by > word * _LETTER * before.line.size
        if ends and is_bold_head(before.line.text, here.line.text):
            return True
    if label == BlockLabel.LIST_ITEM:
        return _leaves_item(start, at, flow, style)
    step = here.line.x0 - before.line.x0
    indented = here.indent > 0.7 * style.size and step > 0.7 * style.size
    if indented and step < 6 * style.size and _returns(at, flow):
        return True
    width = before.right - before.left
    return before.short_by > 0.3 * width and bool(SENTENCE_END.search(before.line.text))


def breaks_word(before: TextLine, after: TextLine) -> bool:
    """Whether a word is broken between two lines."""
    return ends_broken(before) and _WORD_REST.match(after.text) is not None


def ends_broken(line: TextLine) -> bool:
    return _BROKEN_WORD.search(line.text) is not None


def _leaves_item(start: int, at: int, flow: Sequence[PlacedLine], style: BodyStyle) -> bool:
    """Whether a line is outside the list item that begins with line ``start``: left of its
    hanging lines, or of its label without any. After a full first line an item may continue at
    the edge of the column."""
    first, here, before = flow[start], flow[at], flow[at - 1]
    hung = [p.line.x0 for p in flow[start + 1 : at] if len(p.line.text) > 8]
    if hung:
        return here.line.x0 < min(hung) - 0.4 * style.size and len(here.line.text) > 8
    if here.line.x0 > first.line.x0 + 0.4 * style.size:
        return False
    full = before.short_by < 0.1 * (before.right - before.left)
    if not full:
        return here.line.x0 < first.line.x0 - 1.0 or bool(SENTENCE_END.search(before.line.text))
    goes_on = here.line.text[:1].islower() or not SENTENCE_END.search(before.line.text)
    return here.line.x0 < first.line.x0 - 1.0 and not goes_on


def _returns(at: int, flow: Sequence[PlacedLine]) -> bool:
    """Whether the line after an indented one returns to the left."""
    if at + 1 >= len(flow) or flow[at + 1].column != flow[at].column:
        return True
    return flow[at + 1].line.x0 < flow[at].line.x0 - 2.0 or flow[at + 1].above > 1.3 * (
        flow[at].above
    )


def _begins_entry(start: int, at: int, flow: Sequence[PlacedLine], style: BodyStyle) -> bool:
    """Whether a bibliography entry begins: by a label, a hanging indent, or space."""
    here, before = flow[at], flow[at - 1]
    if REFERENCE_LABEL.match(flow[start].line.text):
        return REFERENCE_LABEL.match(here.line.text) is not None and (
            here.line.x0 < flow[start].line.x0 + 8
        )
    if here.above > 1.25 * style.pitch * min(style.ratio(before.line), 1.0):
        return True
    hanging = before.indent > 3.0 and here.indent < 2.0
    return hanging or (
        here.indent < 2.0
        and before.short_by > 0.2 * (before.right - before.left)
        and bool(SENTENCE_END.search(before.line.text))
        and _is_hanging(at, flow)
    )


def _is_hanging(at: int, flow: Sequence[PlacedLine]) -> bool:
    return (
        at + 1 < len(flow) and flow[at + 1].column == flow[at].column and flow[at + 1].indent > 3.0
    )
