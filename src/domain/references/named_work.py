"""Works that a draft names otherwise than by a citation key."""

import re
from collections.abc import Iterable

from pydantic import Field

from citeloom.domain.references.entries.reference_list import CitedWork
from citeloom.domain.references.identifiers import letters_and_digits
from citeloom.domain.value import Value


class NamedWork(Value):
    """``keys`` are citation keys, item keys and DOIs of a field, the best first. ``authors`` are
    names as written, an organisation in one piece; ``others``: followed by *et al.*; ``loose``:
    words before the last name may belong to the sentence; ``tentative``: a citation only if such a
    work is known (*May, 2018*). ``years`` has two for a reprint and none
    for *n.d.* or *in press*; ``letter`` tells works of one year apart. ``entry`` is that of the
    draft's reference list, or the metadata of a field."""

    keys: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    others: bool = False
    loose: bool = False
    tentative: bool = False
    years: tuple[int, ...] = ()
    letter: str = Field(default="", max_length=1)
    entry: CitedWork | None = None


def entry_of(work: NamedWork, entries: Iterable[CitedWork]) -> CitedWork | None:
    """The one entry with these authors and this date; None without one, or with several."""
    found = [entry for entry in entries if _fits(work, entry)]
    return found[0] if len(found) == 1 else None


def _fits(work: NamedWork, entry: CitedWork) -> bool:
    if not work.authors or not entry.author:
        return False
    names = [letters_and_digits(name) for name in work.authors]
    first = letters_and_digits(entry.author)
    if not (first == names[0] or names[0].endswith(first) or first.endswith(names[0])):
        return False
    letters = letters_and_digits(entry.text)
    if not all(name in letters for name in names[1:]):
        return False
    if not work.years:
        return entry.year is None
    return any(
        re.search(rf"(?<!\d){year}{work.letter}(?![a-z\d])", entry.text) for year in work.years
    )


def labelled(entries: Iterable[CitedWork]) -> dict[str, CitedWork]:
    """The entries with a number, by their number."""
    return {
        str(int(entry.label)): entry for entry in entries if entry.label and entry.label.isdecimal()
    }
