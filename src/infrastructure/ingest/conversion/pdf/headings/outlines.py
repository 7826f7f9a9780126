"""The PDF's outline (bookmarks), matched with lines of the text."""

from collections.abc import Sequence
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.numbering import numbering_of
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import squash

SOUND = 0.5  # share of the entries that must be found for the outline to be believed
LONGEST = 4  # lines of a heading


class OutlineEntry(NamedTuple):
    """A bookmark: level from 1; page from 1, None without a target."""

    title: str
    level: int
    page: int | None


class OutlineMatch(NamedTuple):
    """The lines ``first`` to ``last`` (included) are the heading of an outline entry."""

    first: int
    last: int
    level: int


def match_outline(
    entries: Sequence[OutlineEntry], flow: Sequence[PlacedLine]
) -> tuple[list[OutlineMatch], bool]:
    """Matches in document order, and whether enough entries match to trust the outline."""
    by_page: dict[int, list[int]] = {}
    for i, placed in enumerate(flow):
        by_page.setdefault(placed.line.page, []).append(i)
    used: set[int] = set()
    matches: list[OutlineMatch] = []
    for entry in entries:
        lines = _match_entry(entry, flow, by_page, used)
        if lines is not None:
            used.update(range(lines[0], lines[1] + 1))
            matches.append(OutlineMatch(*lines, entry.level))
    sound = bool(entries) and len(matches) >= SOUND * len(entries)
    return sorted(matches), sound


def _match_entry(
    entry: OutlineEntry,
    flow: Sequence[PlacedLine],
    by_page: dict[int, list[int]],
    used: set[int],
) -> tuple[int, int] | None:
    spellings = _spellings(entry.title)
    if not spellings:
        return None
    pages = [entry.page, entry.page + 1, entry.page - 1] if entry.page else sorted(by_page)
    candidates: list[tuple[float, int, int]] = []
    for page in pages:
        for i in by_page.get(page, ()):
            last = _last_line(i, flow, spellings)
            if last is not None and not used & set(range(i, last + 1)):
                line = flow[i].line
                candidates.append((-(line.size + (3.0 if line.bold else 0.0)), i, last))
        if candidates:
            _, first, last = min(candidates)
            return first, last
    return None


def _spellings(title: str) -> set[str]:
    numbered = numbering_of(title)
    forms = {squash(title)}
    if numbered is not None:
        forms.add(squash(numbered.title))
    return {form for form in forms if len(form) >= 2}


def _last_line(first: int, flow: Sequence[PlacedLine], spellings: set[str]) -> int | None:
    """Last line of a heading from ``first`` on that is one of ``spellings``; None without one."""
    longest = max(map(len, spellings)) + 8
    text = ""
    for last in range(first, min(first + LONGEST, len(flow))):
        if flow[last].column != flow[first].column:
            break
        text = (
            f"{text.rstrip('-')}{flow[last].line.text}"
            if text.endswith("-")
            else (f"{text} {flow[last].line.text}".strip())
        )
        if len(squash(text)) > longest:
            break
        if _spellings(text) & spellings:
            return last
    return None
