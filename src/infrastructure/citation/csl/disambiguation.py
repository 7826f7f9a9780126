"""Disambiguation of citations that would look the same (CSL 1.0.2, "Disambiguation")."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from citeloom.domain.text.phrasing import letter_suffix
from citeloom.infrastructure.citation.csl.context import Disambiguation, RenderingContext
from citeloom.infrastructure.citation.csl.item import Item
from citeloom.infrastructure.citation.csl.rendering.elements import render_all
from citeloom.infrastructure.citation.csl.rendering.name_parts import Person
from citeloom.infrastructure.citation.csl.rendering.rich_text import plain
from citeloom.infrastructure.citation.csl.style import StyleDefinition, StyleNode

MakeContext = Callable[[str, StyleNode | None], RenderingContext]


def disambiguate(
    style: StyleDefinition, items: Sequence[Item], make_context: MakeContext
) -> Mapping[str, Disambiguation]:
    """Disambiguations by id; ``items`` come in the order of the bibliography, which year suffixes
    follow.

    In this order: given names or initials of authors where two people have the same family name,
    more names in place of "et al.", what the style has under the condition ``disambiguate``, a
    year suffix.
    """
    area = style.citation
    layout = area.child("layout") if area else None
    if area is None or layout is None:
        return {}
    by_id: dict[str, Disambiguation] = {item.id: Disambiguation() for item in items}

    def cited(item: Item) -> str:
        context = make_context(item.id, area)
        context.disambiguation = by_id[item.id]
        return plain(render_all(context, layout).text)

    if area.get("disambiguate-add-givenname") == "true":
        rule = area.get("givenname-disambiguation-rule") or "by-cite"
        _add_given_names(items, by_id, rule, cited)
    if area.get("disambiguate-add-names") == "true":
        for clashing in _clashes(items, cited):
            _add_names(clashing, by_id, cited)
    for clashing in _clashes(items, cited):
        _try_condition(clashing, by_id, cited)
    if area.get("disambiguate-add-year-suffix") == "true":
        for clashing in _clashes(items, cited):
            for n, item in enumerate(clashing):
                by_id[item.id] = replace(by_id[item.id], year_suffix=letter_suffix(n))
    return by_id


def _try_condition(
    clashing: list[Item], by_id: dict[str, Disambiguation], cited: Callable[[Item], str]
) -> None:
    """The condition holds for these works if it sets any of them apart."""
    before = {item.id: by_id[item.id] for item in clashing}
    for item in clashing:
        by_id[item.id] = replace(before[item.id], condition=True)
    if len({cited(item) for item in clashing}) == 1:
        by_id.update(before)


def _clashes(items: Sequence[Item], cited: Callable[[Item], str]) -> list[list[Item]]:
    """Groups of works with the same citation."""
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        groups[cited(item)].append(item)
    return [clashing for clashing in groups.values() if len(clashing) > 1]


def _add_given_names(
    items: Sequence[Item],
    by_id: dict[str, Disambiguation],
    rule: str,
    cited: Callable[[Item], str],
) -> None:
    """Initials, else given names, of authors who share a family name with another person."""
    only_first = rule.startswith("primary-name")
    fullest = 1 if rule.endswith("with-initials") else 2
    if rule == "by-cite":
        for clashing in _clashes(items, cited):
            _expand_given_names(clashing, by_id, only_first=False, fullest=fullest)
    else:
        _expand_given_names(items, by_id, only_first=only_first, fullest=fullest)


def _expand_given_names(
    items: Sequence[Item], by_id: dict[str, Disambiguation], *, only_first: bool, fullest: int
) -> None:
    """``fullest`` is 1 for initials at most, 2 for whole given names."""
    holders: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for item in items:
        for person in _authors(item)[: 1 if only_first else None]:
            if person.given:
                holders[_family(person)].add(
                    (_initials(person.given), _normalized_given(person.given))
                )
    for item in items:
        given: dict[int, int] = {}
        for n, person in enumerate(_authors(item)[: 1 if only_first else None]):
            others = holders[_family(person)]
            if len(others) < 2 or not person.given:
                continue
            own_initials = _initials(person.given)
            if len({initials for initials, _ in others}) > 1:
                given[n] = 1
            if fullest == 2 and sum(initials == own_initials for initials, _ in others) > 1:
                given[n] = 2
        if given:
            by_id[item.id] = replace(by_id[item.id], min_names=0, given_names=given)


def _authors(item: Item) -> tuple[Person, ...]:
    return item.people("author") or item.people("editor")


def _family(person: Person) -> str:
    return f"{person.particle} {person.family}{person.literal}".strip().casefold()


def _normalized_given(given: str) -> str:
    return " ".join(given.replace(".", " ").split()).casefold()


def _initials(given: str) -> str:
    return "".join(word[0] for word in given.replace("-", " ").replace(".", " ").split())


def _add_names(
    clashing: list[Item], by_id: dict[str, Disambiguation], cited: Callable[[Item], str]
) -> None:
    """Name more authors of each until it differs from the others, if it ever does."""
    longest = max(len(_authors(item)) for item in clashing)
    before = {item.id: by_id[item.id] for item in clashing}
    for names in range(2, longest + 1):
        for item in clashing:
            by_id[item.id] = replace(before[item.id], min_names=names)
        texts = [cited(item) for item in clashing]
        if len(set(texts)) == len(texts):
            return
    texts = [cited(item) for item in clashing]
    if len(set(texts)) == 1:
        for item in clashing:
            by_id[item.id] = before[item.id]
