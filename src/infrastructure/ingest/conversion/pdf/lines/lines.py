"""Text lines of runs of words, with their sub- and superscripts."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox, union
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word, overlap
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import (
    is_mathematical,
    is_monospaced,
    is_small_caps,
    squash,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.page_words import (
    in_reading_order,
    is_reversed,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.scripts import written_scripts
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import (
    SCRIPT_RATIO,
    WordRun,
    begins_raised,
    join_words,
)

from .vocabulary import TOP_SECTIONS

_NUMBER = re.compile(r"\(?(?:\d{1,2}|[A-Za-z]|[IVXivx]{1,5})(?:\.\d{1,3})*[.)]?")
_AMOUNT = re.compile(r"[-+\u2212]?\d[\d.,]*[%K]?")
_DEEP = re.compile(r"\d{1,2}(?:\.\d{1,3}){3,}")
_COLON = re.compile(r"(?:[\d.]+\s+)?[^.;:]*[^\s.;:]\.?:(?=\s+[^\W\d_a-z])")
_DASHED = re.compile(r"(.{2,30}?)[\u2014\u2013]")


LARGER = 1.1  # times the size of the words after a lead-in: of another size


class Face(StrEnum):
    """How a lead-in differs from the rest of its line."""

    BOLD = "bold"
    CAPS = "small capitals"
    ITALIC = "italic"
    NONE = "nothing but the dash or the colon behind it"


class LeadIn(NamedTuple):
    """A lead-in: number of characters, the gap after it and its right edge, in points; in larger
    type than the rest of its line, also the sizes of both, else 0."""

    length: int
    gap: float
    x: float
    face: Face
    size: float = 0.0
    rest: float = 0.0


def lead_in_of(words: Sequence[Word]) -> LeadIn | None:
    """The lead-in of a line: a section name followed by a dash, else bold, else small capitals,
    else italics. A number before it may be in the face of the rest."""
    section_name = _section_name_lead_in(words)
    if section_name is not None:
        return section_name
    faces: tuple[tuple[Face, Callable[[Word], bool]], ...] = (
        (Face.BOLD, lambda word: word.bold),
        (Face.CAPS, lambda word: is_small_caps(word.font)),
        (Face.ITALIC, lambda word: word.italic and not is_mathematical(word.font)),
    )
    for face, in_face in faces:
        count = _leading_words(words, in_face)
        if 0 < count < len(words):
            end = words[count - 1].x1
            length = len(join_words(words[:count]))
            size, rest = words[count - 1].size, words[count].size
            sizes = (size, rest) if size > LARGER * rest else ()
            return LeadIn(length, words[count].x0 - end, end, face, *sizes)
    return None


def _section_name_lead_in(words: Sequence[Word]) -> LeadIn | None:
    """*Abstract* and a dash, which the decoder does not split from the next word."""
    first = words[0]
    match = _DASHED.match(first.text)
    if match is None or squash(match[1]) not in TOP_SECTIONS:
        return None
    x = first.x0 + (first.x1 - first.x0) * len(match[1]) / len(first.text)
    return LeadIn(len(match[1]), 0.0, x, Face.NONE)


def is_deep_number(text: str) -> bool:
    """Whether a text is a number of four parts or more. Headings with such numbers may be in
    the face of the text after them, and end in a colon."""
    return _DEEP.fullmatch(text) is not None


def lead_in_to_colon(text: str, box: BBox) -> LeadIn | None:
    """The beginning of a line up to a colon that a sentence follows."""
    match = _COLON.match(text)
    if match is None:
        return None
    x = box[0] + (box[2] - box[0]) * match.end() / len(text)
    return LeadIn(match.end(), 0.0, x, Face.NONE)


def _leading_words(words: Sequence[Word], in_face: Callable[[Word], bool]) -> int:
    """How many words the lead-in has. Punctuation and symbols within it count as any face."""
    numbered = len(words) > 2 and _NUMBER.fullmatch(words[0].text) and in_face(words[1])
    count = 1 if numbered else 0
    while count < len(words) and (
        in_face(words[count])
        or is_mathematical(words[count].font)
        or not any(map(str.isalnum, words[count].text))
    ):
        count += 1
    while count and not in_face(words[count - 1]):
        count -= 1
    return count


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
    raised_at_first = begins_raised(words)
    written = [run.words if line_reversed else written_scripts(run) for run in row]
    pieces = tuple(
        LinePiece(
            join_words(in_reading_order(run_words, line_reversed)),
            run.x0,
            run.x1,
            () if line_reversed else _parts(run_words, run.size, in_row=len(row) > 1),
        )
        for run, run_words in zip(row, written, strict=True)
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
    lead_in = None if line_reversed else lead_in_of([w for one in written for w in one])
    if bold and lead_in is not None and lead_in.face is Face.BOLD:
        bold = lead_in.gap <= WIDE_LEAD_IN * main.size and not lead_in.size
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
        begins_raised=raised_at_first,
        maths=sum(n for name, n in fonts.items() if is_mathematical(name))
        / max(sum(fonts.values()), 1),
    )


def _main_text(run: WordRun) -> int:
    """Characters of a run in its main size."""
    return sum(len(word.text) for word in run.words if word.size >= run.size * SCRIPT_RATIO)


def _letters(text: str) -> int:
    return len(text) if text.isalnum() else sum(map(str.isalnum, text))


def _parts(words: Sequence[Word], size: float, in_row: bool) -> tuple[LinePiece, ...]:
    """The words of a run, split at its wider spaces, and between two numbers beside other runs."""
    groups: list[list[Word]] = []
    end = 0.0
    for word in words:
        apart = in_row and groups and _are_numbers(groups[-1][-1], word)
        if groups and word.x0 - end < WIDER * size and not apart:
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


def _are_numbers(*words: Word) -> bool:
    return all(_AMOUNT.fullmatch(word.text) for word in words)


def split_lead_in(line: TextLine) -> tuple[TextLine, TextLine | None]:
    """A line's lead-in, and the rest of it without the dash between them.

    Raises ValueError without a lead-in.
    """
    if line.lead_in is None:
        raise ValueError(f"nothing leads in {line.text!r}")
    length, gap, cut, face, size, rest_size = line.lead_in
    head, rest = line.text[:length].strip(), _DASH.sub("", line.text[length:].strip())
    x0, top, x1, bottom = line.box
    first = line._replace(
        text=head,
        box=(x0, top, cut, bottom),
        size=size or line.size,
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
        size=rest_size or line.size,
        lead_in=None,
        begins_raised=False,
        pieces=(LinePiece(rest, begin, x1),),
    )


_NAMED = re.compile(r"[^\W\d_]{3}")
_UNFINISHED = re.compile(r"\b(?:of|the|an?|and|or|for|in|on|to|with|by|from)$|[.!?:;,-]\W*$")


def leads_in_bold(line: TextLine) -> bool:
    """Whether a line begins with a head in bold, without a stop, that its paragraph continues."""
    size = line.lead_in.length if line.lead_in and line.lead_in.face is Face.BOLD else 0
    return is_bold_head(line.text[:size].strip(), line.text[size:].strip())


def is_bold_head(head: str, rest: str) -> bool:
    """Whether a sentence follows ``head``, not the name of a variable."""
    named = _NAMED.search(head) is not None and not _UNFINISHED.search(head)
    begin = rest.lstrip("\"'\u201c\u2018")
    return named and begin[:1].isupper() and (begin[1:2].isalpha() or begin.startswith("A "))


LEAST_LINES = 3
LEAST_WORDS = 4.5  # on average in a line: labels of figures have fewer
LEAST_CODE = 2.5  # the same for a line of a listing
LEAST_LETTERS = 3.0  # on average in a word: points of a plot may be letters
WORDY = 0.7  # share of words in letters: fewer in mathematics and tables of numbers
FULL = 0.6  # width of a line but the last, as a share of the widest
CONTINUED = 0.5  # share of line ends within a sentence
INDENT = 3.0  # greatest indent of a paragraph's first line, in cell heights
CODE_INDENT = 12.0  # the same in a listing
PITCHES = (0.9, 2.2)  # least and greatest distance of baselines, in cell heights
_HYPHENS = ("-", "\u00ad", "\u2010")


def running_text(runs: Sequence[WordRun], least: int = LEAST_LINES) -> list[WordRun]:
    """The runs that read like lines of a paragraph or a listing, at least ``least`` together.

    They have the same size and left edge at an even distance. Those of a paragraph hold mostly
    words, fill their width, and continue each other: a broken word, a lower-case letter or one
    without case begins the line. Those of a listing are in a typewriter face.
    """
    stacks = [stack for stack in _stacks(runs) if len(stack) >= least]
    return [run for stack in stacks if _is_paragraph(stack) or _is_listing(stack) for run in stack]


def _stacks(runs: Sequence[WordRun]) -> list[list[WordRun]]:
    closed: list[list[WordRun]] = []
    open_stacks: list[list[WordRun]] = []
    for run in sorted(runs, key=lambda r: (r.bottom, r.x0)):
        reached = [s for s in open_stacks if run.bottom < s[-1].bottom + PITCHES[1] * s[-1].size]
        if len(reached) < len(open_stacks):
            closed += (s for s in open_stacks if not any(s is other for other in reached))
            open_stacks = reached
        above = next((stack for stack in reversed(open_stacks) if _follows(run, stack[-1])), None)
        if above is None:
            open_stacks.append([run])
        else:
            above.append(run)
    return closed + open_stacks


def _follows(run: WordRun, above: WordRun) -> bool:
    size = above.size
    if not PITCHES[0] * size < run.bottom - above.bottom < PITCHES[1] * size:
        return False
    if abs(run.size - size) > 0.1 * size or _is_code(run) != _is_code(above):
        return False
    if _is_code(run):
        return abs(run.x0 - above.x0) < CODE_INDENT * size
    shared = overlap(run.x0, run.x1, above.x0, above.x1)
    narrower = min(run.x1 - run.x0, above.x1 - above.x0)
    return abs(run.x0 - above.x0) < INDENT * size and shared > 0.8 * narrower


def _is_code(run: WordRun) -> bool:
    return is_monospaced(run.words[0].font) and is_monospaced(run.words[-1].font)


def _is_listing(stack: Sequence[WordRun]) -> bool:
    return _is_code(stack[0]) and sum(len(r.words) for r in stack) >= LEAST_CODE * len(stack)


def _is_paragraph(stack: Sequence[WordRun]) -> bool:
    words = [word.text for run in stack for word in run.words]
    if _is_code(stack[0]) or len(words) < LEAST_WORDS * len(stack):
        return False
    if sum(map(len, words)) < LEAST_LETTERS * len(words):
        return False
    widest = max(run.x1 - run.x0 for run in stack)
    full = sum(run.x1 - run.x0 >= FULL * widest for run in stack[:-1])
    continued = sum(_continues(after, before) for before, after in pairwise(stack))
    wordy = sum(_is_word(word) for word in words)
    return (
        wordy >= WORDY * len(words)
        and full >= CONTINUED * (len(stack) - 1)
        and continued >= CONTINUED * (len(stack) - 1)
    )


def _continues(run: WordRun, above: WordRun) -> bool:
    first = run.words[0].text[:1]
    return above.words[-1].text.endswith(_HYPHENS) or (first.isalpha() and not first.isupper())


def _is_word(text: str) -> bool:
    bare = text.strip(".,;:!?()[]\"'\u2018\u2019\u201c\u201d\u00ab\u00bb*\u2020")
    return sum(map(str.isalpha, bare)) >= max(1, len(bare) - 1)
