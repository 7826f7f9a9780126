"""Authors of a document: names in the authors' block, and in the metadata."""

from collections.abc import Iterator, Sequence

from citeloom.infrastructure.ingest.conversion.pdf.front_matter.people import (
    is_half_name,
    is_name,
    is_place,
    names_in,
    parts_of,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import squash


def names_of_block(lines: Sequence[TextLine]) -> tuple[str, ...]:
    """The names in an authors' block, each once, in the order of the lines.

    The first line with names tells the type in which they are set; lines in another type are
    affiliations.
    """
    start = next((i for i, line in enumerate(lines) if _names(line)), len(lines))
    alike = [line for line in lines[start:] if _alike(lines[start], line)]
    names: dict[str, str] = {}
    for found in _listed(alike):
        for name in found:
            names.setdefault(squash(name), name)
    return tuple(names.values())


def _alike(one: TextLine, other: TextLine) -> bool:
    return one.font == other.font and abs(one.size - other.size) < 0.12 * one.size


def _listed(lines: Sequence[TextLine]) -> Iterator[tuple[str, ...]]:
    """Names line by line; lists that break names at the line's end as a whole."""
    at = 0
    while at < len(lines):
        text, end = lines[at].text, at + 1
        while end < len(lines) and _breaks_name(text, lines[end].text):
            text, end = f"{text} {lines[end].text}", end + 1
        yield names_in(text) if end > at + 1 else _names(lines[at])
        at = end


def _breaks_name(text: str, following: str) -> bool:
    """Whether the last name of a list goes on in the next line."""
    *before, last = parts_of(text) or [""]
    after = parts_of(following)
    if not before or not after or text.rstrip().endswith((",", ";", "and", "&")):
        return False
    if not all(map(is_name, before)):
        return False
    if len(after) > 1 and is_place(after[1]):
        return False
    broken = is_half_name(last) or is_half_name(after[0])
    return broken and is_name(f"{last} {after[0]}")


def _names(line: TextLine) -> tuple[str, ...]:
    """The names of a line: those of its pieces if they are side by side, else of all of it,
    which may be one name with wide spaces."""
    pieces = [piece.text for piece in line.pieces if any(map(str.isalpha, piece.text))]
    apart = [names_in(piece) for piece in pieces]
    whole = names_in(line.text)
    found = tuple(name for names in apart for name in names)
    if len(found) > len(whole) or (all(apart) and len(found) == len(whole)):
        return found
    return whole


def resolve_authors(
    printed: Sequence[str], stated: Sequence[str], page_words: frozenset[str]
) -> tuple[str, ...]:
    """The authors: as printed, in the metadata's spelling where the page has capitals only.

    Names of the metadata count if their family names are on the page, and stand alone if they
    are more than those that were found in the authors' block.
    """
    confirmed = [name for name in stated if _family(name) in page_words]
    by_family = {_family(name): name for name in confirmed}
    if len(confirmed) > len(printed) and all(_family(name) in by_family for name in printed):
        return tuple(confirmed)
    return tuple(by_family.get(_family(name), name) if name.isupper() else name for name in printed)


def _family(name: str) -> str:
    return squash(name.split()[-1])
