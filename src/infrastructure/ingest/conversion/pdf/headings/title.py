"""Title and authors' block on the first page."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import BodyStyle, PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.numbering import numbering_of
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import KNOWN_HEADINGS
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import squash

_ABSTRACT = re.compile(
    r"^(abstract|summary|zusammenfassung|kurzfassung|r\u00e9sum\u00e9|resumen|resumo|"
    r"a\s?b\s?s\s?t\s?r\s?a\s?c\s?t)\b|^(\ucd08\ub85d|\uc694\uc57d|\u6458\u8981|\u8981\u65e8)",
    re.IGNORECASE,
)
_PROSE = 3  # full lines in the text's size that end the authors' block
_TITLE_PAGE = 20  # most lines below the title on a title page
_STAMP = re.compile(r"^(arxiv:|doi:|https?://|preprint|published|received|vol\.|issn)", re.I)


class TitleBlock(NamedTuple):
    """Indices of the title's and the authors' lines; both may be empty."""

    title: tuple[int, ...] = ()
    authors: tuple[int, ...] = ()


def find_title(
    flow: Sequence[PlacedLine], style: BodyStyle, heads: frozenset[int], metadata_title: str | None
) -> TitleBlock:
    """Title and authors on the first page. ``heads`` are lines of section headings."""
    first_page = (
        [i for i, p in enumerate(flow) if p.line.page == flow[0].line.page and not p.aside]
        if flow
        else []
    )
    stop = next((i for i in first_page if _begins_text(i, flow, style, heads)), None)
    before = [i for i in first_page if stop is None or i < stop]
    title = _metadata_title_lines(flow, before, metadata_title) or _largest(flow, before, style)
    if not title:
        return TitleBlock()
    end = stop if stop is not None else _end_of_names(flow, first_page, title[-1], style)
    authors = tuple(i for i in before if title[-1] < i < end)
    return TitleBlock(title, authors)


def _begins_text(
    i: int, flow: Sequence[PlacedLine], style: BodyStyle, heads: frozenset[int]
) -> bool:
    line = flow[i].line
    if _ABSTRACT.match(line.text):
        return True
    if squash(line.text) in KNOWN_HEADINGS:
        return True
    numbered = numbering_of(line.text)
    if i in heads and numbered is not None and numbered.path == (1,):
        return True
    if i in heads and _is_prose(flow, i + 1, style):
        return True
    return _is_prose(flow, i, style) or _is_sentence(flow[i], style)


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


def _metadata_title_lines(
    flow: Sequence[PlacedLine], lines: Sequence[int], title: str | None
) -> tuple[int, ...]:
    """The lines that spell the title in the metadata."""
    spelling = squash(title or "")
    if len(spelling) < 8:
        return ()
    for start in range(len(lines)):
        text = ""
        for end in range(start, min(start + 5, len(lines))):
            text += squash(flow[lines[end]].line.text)
            if text == spelling:
                return tuple(lines[start : end + 1])
            if not spelling.startswith(text):
                break
    return ()


def _largest(flow: Sequence[PlacedLine], lines: Sequence[int], style: BodyStyle) -> tuple[int, ...]:
    """The first lines in the largest type, if larger than the text."""
    usable = [
        i
        for i in lines
        if sum(c.isalpha() for c in flow[i].line.text) >= 4 and not _STAMP.match(flow[i].line.text)
    ]
    if not usable:
        return ()
    top = max(flow[i].line.size for i in usable)
    if top < 1.12 * style.size:
        bold = [i for i in usable[:6] if flow[i].line.bold]
        return _run_of_lines(flow, bold[0], lines) if bold and not style.bold else ()
    first = next(i for i in usable if flow[i].line.size > 0.93 * top)
    return _run_of_lines(flow, first, lines)


def _run_of_lines(flow: Sequence[PlacedLine], first: int, lines: Sequence[int]) -> tuple[int, ...]:
    run = [first]
    for i in lines:
        if i <= first:
            continue
        line, before = flow[i].line, flow[run[-1]].line
        same_size = abs(line.size - flow[first].line.size) < 0.07 * line.size
        if i != run[-1] + 1 or not same_size or line.bold != before.bold:
            break
        if not 0 < line.base - before.base < 2.6 * line.size or len(run) >= 5:
            break
        run.append(i)
    return tuple(run)
