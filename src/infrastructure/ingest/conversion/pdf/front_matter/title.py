"""Title and authors' block on the first page, judged with the metadata and the file name."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.front_matter.people import names_in
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.title_evidence import (
    TitleEvidence,
    shared_words,
    title_words,
)
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.title_lines import (
    LONGEST,
    groups_alike,
    is_hardly_title,
    is_no_title,
    set_alike,
)
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.title_points import (
    LEAST,
    PageFront,
    points_of,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import BodyStyle, PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.numbering import numbering_of
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import KNOWN_HEADINGS
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import squash

_ABSTRACT = re.compile(
    r"^(?:abstract|summary|zusammenfassung|kurzfassung|r\u00e9sum\u00e9|resumen|resumo|"
    r"a\s?b\s?s\s?t\s?r\s?a\s?c\s?t)\b(?P<heading>\s*(?:[.:\u2013\u2014-]|$))?|"
    r"^(?:\ucd08\ub85d|\uc694\uc57d|\u6458\u8981|\u8981\u65e8)(?P<han>)",
    re.IGNORECASE,
)
_BODY = 1.1  # largest type of a run-in heading, as a multiple of the text's
_PROSE = 3  # full lines in the text's size that end the authors' block
_TITLE_PAGE = 20  # most lines below the title on a title page
_PAGES = 3  # pages searched: a cover page may come first
_SEARCHED = 40  # lines of a page searched for a title
_GOES_ON = re.compile(r"[:\u2013\u2014-]\s*$")
_COVER = 60  # most lines of a cover
_LATER = 1.5  # points that a title needs more on a later page


class TitleBlock(NamedTuple):
    """Indices of the title's and the authors' lines; both may be empty."""

    title: tuple[int, ...] = ()
    authors: tuple[int, ...] = ()


def find_title(
    flow: Sequence[PlacedLine],
    style: BodyStyle,
    heads: frozenset[int],
    evidence: TitleEvidence = TitleEvidence(),
) -> TitleBlock:
    """Title and authors. ``heads`` are lines of section headings.

    A cover, which has no text, may come before the page with the title.
    """
    pages = list(dict.fromkeys(p.line.page for p in flow))[:_PAGES]
    best: tuple[float, TitleBlock] = (0.0, TitleBlock())
    for number, page in enumerate(pages):
        lines = [i for i, p in enumerate(flow) if p.line.page == page and not p.aside]
        front = _front(flow, style, heads, lines)
        points, title = _best(flow, style, front, evidence)
        if title and points - number * _LATER > best[0]:
            end = front.stop
            if end is None:
                end = _end_of_names(flow, lines, title[-1], style)
            below = tuple(i for i in front.lines if title[0] < i < end and i not in title)
            authors = below + _beside(flow, lines, below, front.stop)
            best = (points - number * _LATER, TitleBlock(title, authors))
        if front.stop is not None or len(lines) > _COVER:
            break
    return best[1]


def _beside(
    flow: Sequence[PlacedLine], lines: Sequence[int], authors: Sequence[int], stop: int | None
) -> tuple[int, ...]:
    """Lines like those of the authors, above the text's first line but in a later column."""
    if stop is None or not authors:
        return ()
    top, first = flow[authors[0]].line.top - 1, flow[stop].line
    return tuple(
        i
        for i in lines
        if i > stop
        and flow[i].column != flow[stop].column
        and flow[i].line.top > top
        and flow[i].line.bottom < first.top
        and any(set_alike(flow[author].line, flow[i].line) for author in authors)
    )


def _front(
    flow: Sequence[PlacedLine], style: BodyStyle, heads: frozenset[int], lines: Sequence[int]
) -> PageFront:
    first = next((i for i in lines if not is_no_title(flow[i].line)), None)
    stop = next((i for i in lines if _begins_text(i, flow, style, heads, i == first)), None)
    before = tuple(i for i in lines if stop is None or i < stop)
    sizes = [flow[i].line.size for i in before[:_SEARCHED] if not is_no_title(flow[i].line)]
    return PageFront(before, max(sizes, default=0.0), stop)


def _best(
    flow: Sequence[PlacedLine], style: BodyStyle, front: PageFront, evidence: TitleEvidence
) -> tuple[float, tuple[int, ...]]:
    """The lines with the most points for a title; none if they are too few."""
    ranked = [
        (round(points_of(flow, style, front, run, cuts, evidence), 3), -run[0], run)
        for run, cuts in _runs(flow, front)
    ]
    if not ranked or max(ranked)[0] < LEAST:
        return 0.0, ()
    points, _, title = max(ranked)
    title = _with_same_baseline(flow, front, title)
    return points, title + _subtitle(flow, style, front, title, evidence)


def _with_same_baseline(
    flow: Sequence[PlacedLine], front: PageFront, title: tuple[int, ...]
) -> tuple[int, ...]:
    """The title with the ends of its lines that a column gutter cut off."""
    last = flow[title[-1]].line
    cut_off = tuple(
        i
        for i in front.lines
        if i > title[-1]
        and abs(flow[i].line.base - last.base) < 0.2 * last.size
        and set_alike(last, flow[i].line)
        and 0 < flow[i].line.x0 - last.x1 < last.size
    )
    return title + cut_off[:1]


def _runs(
    flow: Sequence[PlacedLine], front: PageFront
) -> Iterator[tuple[tuple[int, ...], tuple[bool, bool]]]:
    """Every run of lines of every group, and whether it is cut from lines before and after."""
    for group in groups_alike(flow, front.lines[:_SEARCHED]):
        for start in range(len(group)):
            for end in range(start + 1, len(group) + 1):
                yield group[start:end], (start > 0, end < len(group))


def _subtitle(
    flow: Sequence[PlacedLine],
    style: BodyStyle,
    front: PageFront,
    title: tuple[int, ...],
    evidence: TitleEvidence,
) -> tuple[int, ...]:
    """Lines below the title that go on with it, in another type."""
    rest = [i for i in front.lines if i > title[-1]]
    group = next(iter(groups_alike(flow, rest[:LONGEST])), ())
    if not group or group[0] != rest[0]:
        return ()
    last, line = flow[title[-1]].line, flow[group[0]].line
    text = " ".join(flow[i].line.text for i in group)
    far = line.base - last.base > 2.6 * last.size
    if far or line.page != last.page or is_hardly_title(text):
        return ()
    words = title_words(text)
    known = [evidence.file_words, *(title_words(t) for t in evidence.titles)]
    stated = any(len(words) > 1 and shared_words(words, k) >= 0.7 * len(words) for k in known)
    contrast = line.size > 1.08 * style.size or line.bold or line.italic
    open_end = bool(_GOES_ON.search(last.text)) or text[:1].islower() or text[:1] == "("
    return group if stated or (open_end and contrast and not names_in(text)) else ()


def _begins_text(
    i: int, flow: Sequence[PlacedLine], style: BodyStyle, heads: frozenset[int], is_first: bool
) -> bool:
    """Whether the text begins here. The page's first line may be a title right above it."""
    line = flow[i].line
    if squash(line.text) in KNOWN_HEADINGS or _begins_abstract(line, style, is_first):
        return True
    if i in heads and _is_first_section(line.text):
        return True
    after = flow[i + 1] if i + 1 < len(flow) else None
    if i in heads and not is_first and after is not None:
        return _is_prose(flow, i + 1, style) or _is_sentence(after, style)
    return _is_prose(flow, i, style) or _is_sentence(flow[i], style)


def _begins_abstract(line: TextLine, style: BodyStyle, is_first: bool) -> bool:
    """Whether the abstract begins here; *Abstract Interpretation* begins a title."""
    match = _ABSTRACT.match(line.text)
    if match is None:
        return False
    headed = match["heading"] is not None or match["han"] is not None
    return headed or (not is_first and style.ratio(line) < _BODY)


def _is_first_section(text: str) -> bool:
    """Whether a heading has the number 1; *A* and *I* may be words."""
    numbered = numbering_of(text)
    if numbered is None or numbered.path != (1,):
        return False
    return numbered.scheme == "1" or numbered.stopped


def _is_sentence(placed: PlacedLine, style: BodyStyle) -> bool:
    """Whether a line is running text, not a name or address."""
    words = placed.line.text.split()
    return (
        len(words) >= 8
        and abs(style.ratio(placed.line) - 1) < 0.05
        and placed.line.width > 0.75 * (placed.right - placed.left)
        and sum(word[:1].islower() for word in words) >= 0.7 * len(words)
    )


def _is_prose(flow: Sequence[PlacedLine], i: int, style: BodyStyle) -> bool:
    """Whether a paragraph of full lines in the text's size begins here."""
    group = flow[i : i + _PROSE]
    words = [word for p in group for word in p.line.text.split()]
    return (
        len(group) == _PROSE
        and sum(word[:1].islower() for word in words) >= 0.45 * len(words)
        and all(
            p.column == flow[i].column
            and abs(style.ratio(p.line) - 1) < 0.13
            and len(p.line.pieces) == 1
            and p.line.width > 0.75 * (p.right - p.left)
            and len(p.line.text.split()) >= 6
            for p in group
        )
    )


def _end_of_names(
    flow: Sequence[PlacedLine], lines: Sequence[int], start: int, style: BodyStyle
) -> int:
    """The line after the authors' block: the first of prose, or the end of a title page."""
    prose = next((i for i in lines if i > start and _is_prose(flow, i, style)), None)
    if prose is not None:
        return prose
    few = sum(i > start for i in lines) <= _TITLE_PAGE
    return lines[-1] + 1 if few and lines[-1] + 1 < len(flow) else min(start + 1, len(flow))
