"""Text lines of runs of words, with their sub- and superscripts."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox, union
from citeloom.infrastructure.ingest.conversion.pdf.lines.lead_in import (
    Face,
    LeadIn,
    is_deep_number,
    lead_in_of,
    lead_in_to_colon,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word, overlap
from citeloom.infrastructure.ingest.conversion.pdf.words.bidi import in_reading_order, is_reversed
from citeloom.infrastructure.ingest.conversion.pdf.words.font_faces import is_mathematical
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import WordRun
from citeloom.infrastructure.ingest.conversion.pdf.words.word_spacing import (
    SCRIPT_RATIO,
    begins_raised,
    join_words,
)

WIDER = 0.5  # of the word's height: wider than a word space, unless the line is stretched
_DASH = re.compile(r"^[\u2014\u2013]\s*")  # between a run-in heading and its text
LONGEST_DEEP = 3  # lines of a heading with a number of many parts
WIDE_LEAD_IN = 0.95  # a run-in head that fills its line but for this gap and a word


class LinePiece(NamedTuple):
    """The text of one run of a line, with its edges. ``parts`` is the run split at its wider
    spaces, if any: cells of a table may be as close as that."""

    text: str
    x0: float
    x1: float
    parts: tuple["LinePiece", ...] = ()


class TextLine(NamedTuple):
    """A physical line within a column.

    ``base`` is the y of its baseline. ``lead_in`` is its beginning, if in another face.
    ``begins_raised``: it begins with a superscript. ``maths`` is the share of its characters in
    fonts for mathematics.
    """

    page: int
    text: str
    box: BBox
    base: float
    size: float
    font: str
    bold: bool
    italic: bool
    pieces: tuple[LinePiece, ...]
    lead_in: LeadIn | None = None
    begins_raised: bool = False
    maths: float = 0.0

    @property
    def x0(self) -> float:
        return self.box[0]

    @property
    def top(self) -> float:
        return self.box[1]

    @property
    def x1(self) -> float:
        return self.box[2]

    @property
    def bottom(self) -> float:
        return self.box[3]

    @property
    def width(self) -> float:
        return self.box[2] - self.box[0]


def lines_of(runs: Sequence[WordRun], page: int) -> list[TextLine]:
    """Lines from the runs of one column, from the top down."""
    rows: list[list[WordRun]] = []
    for run in sorted(runs, key=lambda r: (r.bottom, r.x0)):
        row_of_run = next((row for row in reversed(rows[-6:]) if _same_row(row, run)), None)
        if row_of_run is None:
            rows.append([run])
        else:
            row_of_run.append(run)
    lines = [line_of(sorted(row, key=lambda r: r.x0), page) for row in _with_scripts(rows)]
    return _with_colon_lead_ins(sorted(lines, key=lambda ln: (ln.base, ln.x0)))


def _with_colon_lead_ins(lines: list[TextLine]) -> list[TextLine]:
    """The lines, with a lead-in up to the colon that ends a heading with a deep number."""
    for i, line in enumerate(lines):
        if not is_deep_number(first_part(line)):
            continue
        for k in range(i, min(i + LONGEST_DEEP, len(lines))):
            lead_in = lead_in_to_colon(lines[k].text, lines[k].box)
            if lead_in is not None:
                lines[k] = lines[k] if lines[k].lead_in else lines[k]._replace(lead_in=lead_in)
                break
    return lines


def first_part(line: TextLine) -> str:
    """The text before the first wider space of a line."""
    first = line.pieces[0]
    return (first.parts[0] if first.parts else first).text


def _with_scripts(rows: Sequence[list[WordRun]]) -> list[list[WordRun]]:
    """Rows, with those that hold only a stacked sub- or superscript joined to their line."""
    slight = [i for i, row in enumerate(rows) if len(row) == 1 and len(_text_of(row[0])) <= 8]
    hosts: dict[int, tuple[int, int]] = {}
    for i in slight:
        host = _script_host(rows[i][0], rows, i)
        if host is not None:
            hosts[i] = host
    joined = [list(row) for row in rows]
    for i, (row, at) in hosts.items():
        if row not in hosts:
            joined[row][at] = _with_script(joined[row][at], rows[i][0])
    return [row for i, row in enumerate(joined) if i not in hosts or hosts[i][0] in hosts]


def _text_of(run: WordRun) -> str:
    return "".join(word.text for word in run.words)


def _script_host(
    script: WordRun, rows: Sequence[Sequence[WordRun]], script_row: int
) -> tuple[int, int] | None:
    """Row and index of the run that a small run is a script of; None without one."""
    for i in range(max(0, script_row - 4), min(len(rows), script_row + 5)):
        for at, run in enumerate(rows[i]):
            beside = run.x0 < script.x0 and script.x1 < run.x1 + 0.5 * run.size
            near = overlap(run.box[1], run.box[3], script.top, script.bottom)
            if (
                i != script_row
                and beside
                and script.size < SCRIPT_RATIO * run.size
                and (near > 0.3 * script.size)
            ):
                return i, at
    return None


def _with_script(run: WordRun, script: WordRun) -> WordRun:
    words = sorted((*run.words, *script.words), key=lambda w: (w.x0, w.top))
    return run._replace(words=tuple(words), box=union([run.box, script.box]))


def _same_row(row: list[WordRun], run: WordRun) -> bool:
    main = max(row, key=lambda r: r.x1 - r.x0) if len(row) > 1 else row[0]
    smaller = min(main.size, run.size)
    needed = 0.5 if smaller > SCRIPT_RATIO * max(main.size, run.size) else 0.35
    if overlap(main.top, main.bottom, run.top, run.bottom) < needed * smaller:
        return False
    return not any(overlap(r.x0, r.x1, run.x0, run.x1) > 1.0 for r in row)


def line_of(row: Sequence[WordRun], page: int) -> TextLine:
    """One line from runs side by side."""
    words = [word for run in row for word in run.words]
    line_reversed = is_reversed(words)
    pieces = tuple(
        LinePiece(
            join_words(in_reading_order(run.words, line_reversed)),
            run.x0,
            run.x1,
            () if line_reversed else _parts(run.words, run.size),
        )
        for run in row
    )
    parts = [piece.text for piece in (reversed(pieces) if line_reversed else pieces) if piece.text]
    main = max(row, key=_main_text) if len(row) > 1 else row[0]
    fonts: Counter[str] = Counter()
    weights = [0, 0, 0]
    for word in words:
        fonts[word.font] += len(word.text)
        letters = _letters(word.text)
        weights[0] += letters
        weights[1] += letters if word.bold else 0
        weights[2] += letters if word.italic else 0
    total = max(weights[0], 1)
    bold = weights[1] >= 0.8 * total and weights[1] > 0
    lead_in = None if line_reversed else lead_in_of(words)
    if bold and lead_in is not None and lead_in.face is Face.BOLD:
        bold = lead_in.gap <= WIDE_LEAD_IN * main.size
        lead_in = None if bold else lead_in
    return TextLine(
        page=page,
        text=" ".join(parts),
        box=(
            min(r.box[0] for r in row),
            min(r.box[1] for r in row),
            max(r.box[2] for r in row),
            max(r.box[3] for r in row),
        ),
        base=main.bottom,
        size=main.size,
        font=max(fonts.items(), key=lambda item: (item[1], item[0]))[0] if fonts else "",
        bold=bold,
        italic=weights[2] >= 0.8 * total and weights[2] > 0,
        pieces=pieces,
        lead_in=lead_in,
        begins_raised=begins_raised(words),
        maths=sum(n for name, n in fonts.items() if is_mathematical(name))
        / max(sum(fonts.values()), 1),
    )


def _main_text(run: WordRun) -> int:
    """Characters of a run in its main size."""
    return sum(len(word.text) for word in run.words if word.size >= run.size * SCRIPT_RATIO)


def _letters(text: str) -> int:
    return len(text) if text.isalnum() else sum(map(str.isalnum, text))


def _parts(words: Sequence[Word], size: float) -> tuple[LinePiece, ...]:
    """The words of a run, split at its wider spaces."""
    groups: list[list[Word]] = []
    end = 0.0
    for word in words:
        if groups and word.x0 - end < WIDER * size:
            groups[-1].append(word)
            end = max(end, word.x1)
        else:
            groups.append([word])
            end = word.x1
    if len(groups) < 2:
        return ()
    return tuple(
        LinePiece(join_words(group), group[0].x0, max(w.x1 for w in group)) for group in groups
    )


def split_lead_in(line: TextLine) -> tuple[TextLine, TextLine | None]:
    """A line's lead-in, and the rest of it without the dash between them.

    Raises ValueError without a lead-in.
    """
    if line.lead_in is None:
        raise ValueError(f"nothing leads in {line.text!r}")
    length, gap, cut, face = line.lead_in
    head, rest = line.text[:length].strip(), _DASH.sub("", line.text[length:].strip())
    x0, top, x1, bottom = line.box
    first = line._replace(
        text=head,
        box=(x0, top, cut, bottom),
        bold=line.bold or face is Face.BOLD,
        italic=line.italic or face is Face.ITALIC,
        lead_in=None,
        pieces=(LinePiece(head, x0, cut),),
    )
    if not rest:
        return first, None
    begin = min(cut + gap, x1)
    return first, line._replace(
        text=rest,
        box=(begin, top, x1, bottom),
        lead_in=None,
        begins_raised=False,
        pieces=(LinePiece(rest, begin, x1),),
    )
