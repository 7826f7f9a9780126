"""Filters of a view, with counts."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.domain.search.request import QueryResultItem

#: Chips of a group that are shown at once, and with "more".
_FEW: Final = 12
#: Of the first groups, so many are shown without opening the menu where there is room.
_OPEN_GROUPS: Final = 3
_OPEN_CHIPS: Final = 3
_MOST: Final = 200


class Chip(NamedTuple):
    """A filter, how many papers or passages pass it, and the view with it (without it where it is
    ``on``)."""

    text: str
    number: int | None
    on: bool
    url: str


class ChipGroup(NamedTuple):
    """Filters by one field; ``counted`` names what their counts are of. ``more`` are those beyond
    a few; ``open`` are seen without opening the menu of all."""

    name: str
    counted: str
    chips: Sequence[Chip]
    more: Sequence[Chip]
    open: Sequence[Chip] = ()


class Chips(NamedTuple):
    """``on`` are the filters in force, each named with its field; ``groups`` all that can be
    chosen."""

    on: Sequence[Chip]
    groups: Sequence[ChipGroup]


class Filtered(NamedTuple):
    """The filters in force, and the URL of the view with others."""

    filters: tuple[str, ...]
    url: Callable[[tuple[str, ...]], str]

    def chip(self, clause: str, text: str, count: int | None) -> Chip:
        on = clause in self.filters
        others = tuple(one for one in self.filters if one != clause)
        return Chip(text, count, on, self.url(others if on else (*others, clause)))


def chips(
    documents: Sequence[StoredDocument], hits: Sequence[QueryResultItem], view: Filtered
) -> Chips:
    """Filters with more than one value, the most frequent first; years newest first. Sections and
    kinds are those of the passages found, the others those of all papers. Where passages were
    found their sections come first, as that narrows down what is read."""
    works = [one.citation for one in documents if one.citation]
    years = Counter(
        year for one in documents if (year := one.citation.year if one.citation else one.year)
    )
    of_papers = {
        "year": [(str(year), count) for year, count in sorted(years.items(), reverse=True)],
        "author": _counted(_surnames(one) for one in documents),
        "type": _counted([one.type] for one in works if one.type),
        "collection": _counted(one.collections for one in works),
        "tag": _counted(one.tags for one in works),
    }
    of_hits = {
        "section": _counted(one.section_path for one in hits),
        "kind": _counted([one.kind.value] for one in hits),
    }
    groups = [
        *(_group(name, "passages found", values, view) for name, values in of_hits.items()),
        *(_group(name, "papers", values, view) for name, values in of_papers.items()),
    ]
    chosen = [one for one in groups if len(one.chips) > 1]
    shown = [one._replace(open=_open(one.chips)) for one in chosen[:_OPEN_GROUPS]]
    on = [view.chip(one, one.replace("=", " ", 1).replace('"', ""), None) for one in view.filters]
    return Chips(on, [*shown, *chosen[_OPEN_GROUPS:]])


def _open(chips: Sequence[Chip]) -> Sequence[Chip]:
    """The first of a group that are not in force, which are shown before all groups."""
    return [one for one in chips if not one.on][:_OPEN_CHIPS]


def _surnames(document: StoredDocument) -> Iterable[str]:
    authors = document.citation.authors if document.citation else document.authors
    return (author.split()[-1] for author in authors if author.strip())


def _counted(values: Iterable[Iterable[str]]) -> list[tuple[str, int]]:
    """How many have each value, each of them once; those that no filter can say are left out."""
    counts = Counter(
        value for each in values for value in set(each) if value.strip() and '"' not in value
    )
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))


def _group(name: str, counted: str, values: Sequence[tuple[str, int]], view: Filtered) -> ChipGroup:
    made = [view.chip(_clause(name, text), text, count) for text, count in values[:_MOST]]
    return ChipGroup(name, counted, made[:_FEW], made[_FEW:])


def _clause(name: str, text: str) -> str:
    """Values with commas in quotes, as a comma parts values."""
    return f'{name}="{text}"' if "," in text else f"{name}={text}"
