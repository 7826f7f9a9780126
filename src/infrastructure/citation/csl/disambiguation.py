"""Telling works apart whose citations would look the same (CSL 1.0.2, "Disambiguation")."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from citeloom.infrastructure.citation.csl.context import Fullness, Scene
from citeloom.infrastructure.citation.csl.item import Item
from citeloom.infrastructure.citation.csl.rendering.elements import render_all
from citeloom.infrastructure.citation.csl.rendering.name_parts import Person
from citeloom.infrastructure.citation.csl.rendering.rich_text import plain
from citeloom.infrastructure.citation.csl.style import Node, Style

MakeScene = Callable[[str, Node | None], Scene]


@dataclass(frozen=True, slots=True)
class Told:
    """What tells a work from others: more of its names, a letter behind the year."""

    fullness: Fullness = field(default_factory=Fullness)
    year_suffix: str = ""
    ambiguous: bool = False


def told_apart(style: Style, items: Sequence[Item], scene: MakeScene) -> Mapping[str, Told]:
    """By id; ``items`` come in the order of the bibliography, which letters follow.

    In this order: given names or initials of the first author where two different people have
    the family name, more names in place of "et al.", a letter behind the year.
    """
    area = style.citation
    layout = area.child("layout") if area else None
    if area is None or layout is None:
        return {}
    told: dict[str, Told] = {item.id: Told() for item in items}

    def cited(item: Item) -> str:
        one = scene(item.id, area)
        one.fullness, one.year_suffix = told[item.id].fullness, told[item.id].year_suffix
        return plain(render_all(one, layout).text)

    if area.get("disambiguate-add-givenname") == "true":
        rule = area.get("givenname-disambiguation-rule") or "by-cite"
        _tell_people(items, told, rule, cited)
    if area.get("disambiguate-add-names") == "true":
        for same in _clashes(items, cited):
            _add_names(same, told, cited)
    if area.get("disambiguate-add-year-suffix") == "true":
        for same in _clashes(items, cited):
            for n, item in enumerate(same):
                told[item.id] = replace(told[item.id], year_suffix=letters(n))
    return told


def _clashes(items: Sequence[Item], cited: Callable[[Item], str]) -> list[list[Item]]:
    """Groups of works with the same citation."""
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        groups[cited(item)].append(item)
    return [same for same in groups.values() if len(same) > 1]


def _tell_people(
    items: Sequence[Item],
    told: dict[str, Told],
    rule: str,
    cited: Callable[[Item], str],
) -> None:
    """Initials, else given names, of authors whose family name another one has too."""
    only_first = rule.startswith("primary-name")
    fullest = 1 if rule.endswith("with-initials") else 2
    if rule == "by-cite":
        for same in _clashes(items, cited):
            _tell_apart(same, told, only_first=False, fullest=fullest)
    else:
        _tell_apart(items, told, only_first=only_first, fullest=fullest)


def _tell_apart(
    items: Sequence[Item], told: dict[str, Told], *, only_first: bool, fullest: int
) -> None:
    """``fullest`` is 1 for initials at most, 2 for whole given names."""
    holders: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for item in items:
        for person in _authors(item)[: 1 if only_first else None]:
            if person.given:
                holders[_family(person)].add((_initials(person.given), _bare(person.given)))
    for item in items:
        given: dict[int, int] = {}
        for n, person in enumerate(_authors(item)[: 1 if only_first else None]):
            others = holders[_family(person)]
            if len(others) < 2 or not person.given:
                continue
            own = _initials(person.given)
            if len({initials for initials, _ in others}) > 1:
                given[n] = 1
            if fullest == 2 and sum(initials == own for initials, _ in others) > 1:
                given[n] = 2
        if given:
            told[item.id] = replace(told[item.id], fullness=Fullness(given=given))


def _authors(item: Item) -> tuple[Person, ...]:
    return item.people("author") or item.people("editor")


def _family(person: Person) -> str:
    return f"{person.particle} {person.family}{person.literal}".strip().casefold()


def _bare(given: str) -> str:
    return " ".join(given.replace(".", " ").split()).casefold()


def _initials(given: str) -> str:
    return "".join(word[0] for word in given.replace("-", " ").replace(".", " ").split())


def _add_names(same: list[Item], told: dict[str, Told], cited: Callable[[Item], str]) -> None:
    """Name more authors of each until it differs from the others, if it ever does."""
    longest = max(len(_authors(item)) for item in same)
    before = {item.id: told[item.id] for item in same}
    for names in range(2, longest + 1):
        for item in same:
            fuller = replace(before[item.id].fullness, names=names)
            told[item.id] = replace(before[item.id], fullness=fuller)
        texts = [cited(item) for item in same]
        if len(set(texts)) == len(texts):
            return
    texts = [cited(item) for item in same]
    if len(set(texts)) == 1:
        for item in same:
            told[item.id] = before[item.id]


def letters(number: int) -> str:
    """``a`` to ``z``, ``aa``, …"""
    made = ""
    while number >= 0:
        made = chr(ord("a") + number % 26) + made
        number = number // 26 - 1
    return made
