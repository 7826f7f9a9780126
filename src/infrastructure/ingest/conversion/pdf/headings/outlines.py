"""The PDF's own outline (bookmarks), matched with the lines it points at."""

from collections.abc import Sequence
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.numbering import numbering_of
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import squash

SOUND = 0.5  # share of the entries that must be found for the outline to be believed
LONGEST = 4  # lines of a heading


class OutlineEntry(NamedTuple):
    """A bookmark: level from 1, page from 1 if it points at one."""

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
    """Matches in document order, and whether the outline is sound."""
    by_page: dict[int, list[int]] = {}
    for i, placed in enumerate(flow):
        by_page.setdefault(placed.line.page, []).append(i)
    used: set[int] = set()
    matches: list[OutlineMatch] = []
    for entry in entries:
        found = _find(entry, flow, by_page, used)
        if found is not None:
            used.update(range(found[0], found[1] + 1))
            matches.append(OutlineMatch(*found, entry.level))
    sound = bool(entries) and len(matches) >= SOUND * len(entries)
    return sorted(matches), sound


def _find(
    entry: OutlineEntry,
    flow: Sequence[PlacedLine],
    by_page: dict[int, list[int]],
    used: set[int],
) -> tuple[int, int] | None:
    wanted = _forms(entry.title)
    if not wanted:
        return None
    pages = [entry.page, entry.page + 1, entry.page - 1] if entry.page else sorted(by_page)
    candidates: list[tuple[float, int, int]] = []
    for page in pages:
        for i in by_page.get(page, ()):
            last = _spells(i, flow, wanted)
            if last is not None and not used & set(range(i, last + 1)):
                line = flow[i].line
                candidates.append((-(line.size + (3.0 if line.bold else 0.0)), i, last))
        if candidates:
            _, first, last = min(candidates)
            return first, last
    return None


def _forms(title: str) -> set[str]:
    numbered = numbering_of(title)
    forms = {squash(title)}
    if numbered is not None:
        forms.add(squash(numbered.title))
    return {form for form in forms if len(form) >= 2}


def _spells(first: int, flow: Sequence[PlacedLine], wanted: set[str]) -> int | None:
    """The last line of a heading that begins at ``first`` and reads as one of ``wanted``."""
    longest = max(map(len, wanted)) + 8
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
        if _forms(text) & wanted:
            return last
    return None
