"""CSL citation processor: citations and a bibliography of a set of works.

Cite grouping and collapsing: cites of the same authors in one citation (CSL 1.0.2). The
specification's sections "Cite Grouping" and "Cite Collapsing":
https://docs.citationstyles.org/en/v1.0.2/specification.html#cite-grouping
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cmp_to_key
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

from citeloom.domain.references.fields import DATES, NAMES
from citeloom.domain.text.phrasing import letter_suffix

from .item import Disambiguation, Item, RenderingContext, read_item
from .rendering.elements import render, render_all, sort_key
from .rendering.formatting import affixed, decorated
from .rendering.names import render_names
from .rendering.rich_text import CLOSE, EMPTY, OPEN, Runs, plain, resolve_quotes, runs
from .rendering.variables import Person
from .style import StyleDefinition, StyleNode

_YEARS = ("year", "year-suffix", "year-suffix-ranged")
_RANGE_FROM = 3
"""Number of successive year suffixes that become a range."""


@dataclass(frozen=True, slots=True)
class GroupedCite:
    """A cite as rendered. ``names`` is the text of its first ``names`` element; ``bare`` the cite
    without them; ``year`` is ``bare`` without the year ``suffix``."""

    text: Runs
    names: str
    bare: Runs
    year: str
    suffix: str
    has_locator: bool


def groups_cites(area: StyleNode) -> bool:
    """Whether a style groups the cites of the same authors."""
    return area.get("collapse") in _YEARS or "cite-group-delimiter" in area.attrs


def join_groups(
    cites: Sequence[GroupedCite], area: StyleNode, layout: StyleNode, glue: Callable[..., Runs]
) -> Runs:
    """The cites of a citation, those of the same authors together at the place of the first."""
    delimiter = layout.get("delimiter")
    groups: dict[str, list[GroupedCite]] = {}
    for n, cite in enumerate(cites):
        groups.setdefault(cite.names or f"\0{n}", []).append(cite)
    joined, before = EMPTY, ""
    for group in groups.values():
        for between, text in _members(group, area, delimiter):
            if joined and text:
                joined = glue(joined, runs(before if between is None else between))
            joined = glue(joined, text) if joined else text
        collapsed = len(group) > 1 and area.get("collapse") in _YEARS
        before = (area.get("after-collapse-delimiter") if collapsed else "") or delimiter
    return joined


def _members(
    group: Sequence[GroupedCite], area: StyleNode, delimiter: str
) -> Iterator[tuple[str | None, Runs]]:
    """The texts of a group, each with the delimiter before it (None: that between groups)."""
    collapse, between = area.get("collapse"), area.attrs.get("cite-group-delimiter", ", ")
    first, *others = group
    yield None, first.text
    if collapse not in _YEARS:
        yield from ((between, cite.text) for cite in others)
        return
    at = 1
    while at < len(group):
        end = _end_of_year(group, at) if collapse != "year" else at
        if end == at:
            yield between, group[at].bare
            at += 1
            continue
        ranged = collapse.endswith("ranged")
        apart = area.get("year-suffix-delimiter") or delimiter
        for mark, suffix in _suffixes([one.suffix for one in group[at - 1 : end]], ranged=ranged):
            yield mark or apart, runs(suffix)
        at = end


def _end_of_year(group: Sequence[GroupedCite], at: int) -> int:
    """The position after the cites from ``at`` on that differ from the one before only by their
    year suffix; a locator belongs to one cite."""
    before = group[at - 1]
    while (
        at < len(group)
        and group[at].suffix
        and before.suffix
        and group[at].year == before.year
        and not (group[at].has_locator or group[at - 1].has_locator)
    ):
        at += 1
    return at


def _suffixes(suffixes: Sequence[str], *, ranged: bool) -> Iterator[tuple[str, str]]:
    """The suffixes after the first, which is in the text before, with ``–`` where a range ends."""
    at = 0
    while at < len(suffixes):
        end = at
        while ranged and end + 1 < len(suffixes) and _follows(suffixes[end], suffixes[end + 1]):
            end += 1
        if at > 0:
            yield "", suffixes[at]
        if end - at + 1 >= _RANGE_FROM:
            yield "–", suffixes[end]
        else:
            yield from (("", suffix) for suffix in suffixes[at + 1 : end + 1])
        at = end + 1


def _follows(suffix: str, following: str) -> bool:
    same = suffix[:-1] == following[:-1]
    return same and ord(following[-1]) == ord(suffix[-1]) + 1


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


T = TypeVar("T")
# Letters without a decomposition, by what the Unicode collation has them beside.
_LETTERS = str.maketrans(
    {"æ": "ae", "Æ": "AE", "ø": "o", "Ø": "O", "ß": "ss", "đ": "d", "Đ": "D", "ł": "l", "Ł": "L",
     "þ": "th", "Þ": "Th", "œ": "oe", "Œ": "OE", "ı": "i"}
)  # fmt: skip
_IGNORED = str.maketrans(dict.fromkeys(f"{OPEN}{CLOSE}“”‘’«»[]'\"", None))

_DIGITS = re.compile(r"\d{1,12}")
# Names as keys: family names first, nothing between them that would sort.
_KEY_OPTIONS = {"name-as-sort-order": "all", "and": "", "delimiter": " ", "sort-separator": " "}


class CollationKey(NamedTuple):
    """Letters without accents and case, then with accents, then with case; an empty key sorts
    last."""

    letters: str
    accents: str
    case: str


def collation_key(text: str) -> CollationKey:
    """A key of dictionary order (the first three levels of Unicode collation), with numbers by
    value."""
    text = _DIGITS.sub(lambda match: match.group().zfill(12), text.translate(_IGNORED).strip())
    decomposed = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    bare = "".join(c for c in decomposed if not unicodedata.combining(c))
    spaced = "".join(_weight(c) for c in bare.casefold())
    return CollationKey(spaced, decomposed.casefold(), text.swapcase())


def _weight(char: str) -> str:
    """Spaces before marks before digits before letters."""
    if char.isspace():
        return "\x01"
    if char.isalnum():
        return char
    return f"\x02{char}"


def sort_entries(
    entries: Sequence[T], sort: StyleNode | None, context: Callable[[T], RenderingContext]
) -> list[T]:
    """``entries`` by the keys of ``sort``; equal ones keep their order."""
    if sort is None:
        return list(entries)
    keys = [key for key in sort.children if key.tag == "key"]
    keyed_entries = [(entry, [_key(context(entry), key) for key in keys]) for entry in entries]
    descending = [key.get("sort") == "descending" for key in keys]

    def compare(one: tuple[T, list[CollationKey]], other: tuple[T, list[CollationKey]]) -> int:
        for a, b, is_descending in zip(one[1], other[1], descending, strict=True):
            if a == b:
                continue
            if not a.letters or not b.letters:  # what has no key goes last in either order
                return 1 if not a.letters else -1
            return (1 if a > b else -1) * (-1 if is_descending else 1)
        return 0

    return [entry for entry, _ in sorted(keyed_entries, key=cmp_to_key(compare))]


def _key(context: RenderingContext, key: StyleNode) -> CollationKey:
    context.sorting = True
    context.name_options = {**_KEY_OPTIONS, **_truncation(key)}
    if macro := context.style.macros.get(key.get("macro")):
        return collation_key(plain(render_all(context, macro).text))
    name = key.get("variable")
    if name in NAMES:
        names = StyleNode("names", {"variable": name}, (StyleNode("name", {"form": "long"}),))
        return collation_key(plain(render_names(context, names).text))
    if name in DATES:
        date = context.item.date(name)
        return collation_key(sort_key(date) if date else "")
    if name == "citation-number":
        return collation_key(f"{context.number:06}")
    value = context.item.text(name) or ""
    return collation_key(value.zfill(8) if value.isdigit() else value)


def _truncation(key: StyleNode) -> dict[str, str]:
    return {
        name.replace("names", "et-al"): key.get(name)
        for name in ("names-min", "names-use-first", "names-use-last")
        if key.get(name)
    }


@dataclass(frozen=True, slots=True)
class Reference:
    """A work in a citation, with a locator: a value and its CSL label (``page``, …)."""

    id: str
    locator: tuple[str, str] | None = None


class Processor:
    """One style over one set of works. Works are numbered in the order of the bibliography."""

    def __init__(
        self, style: StyleDefinition, items: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> None:
        self._style = style
        self._items: dict[str, Item] = {id: read_item(csl, id) for id, csl in items}
        self._disambiguations: Mapping[str, Disambiguation] = {}
        self._numbers = {id: n for n, id in enumerate(self._items, start=1)}
        self.order = self._bibliography_order()
        self._numbers = {id: n for n, id in enumerate(self.order, start=1)}
        self._disambiguations = disambiguate(
            style, [self._items[id] for id in self.order], self._context
        )

    def _bibliography_order(self) -> list[str]:
        area = self._style.bibliography
        sort = area.child("sort") if area else None
        return sort_entries(list(self._items), sort, lambda id: self._context(id, area))

    def _context(
        self, id: str, area: StyleNode | None, locator: tuple[str, str] | None = None
    ) -> RenderingContext:
        disambiguation = self._disambiguations.get(id, Disambiguation())
        if area and area.tag == "bibliography":
            disambiguation = Disambiguation(year_suffix=disambiguation.year_suffix)
        assert area is not None or self._style.citation is not None
        return RenderingContext(
            style=self._style,
            item=self._items[id],
            area=area or self._style.citation or StyleNode("citation", {}),
            number=self._numbers[id],
            locator=locator,
            disambiguation=disambiguation,
        )

    def bibliography(self) -> list[tuple[str, Runs]]:
        """Each work's id and entry, in the style's order; empty for a style without a
        bibliography."""
        area = self._style.bibliography
        layout = area.child("layout") if area else None
        if area is None or layout is None:
            return []
        entries: list[tuple[str, Runs]] = []
        previous_names: Runs = EMPTY
        author_substitute = area.get("subsequent-author-substitute")
        for id in self.order:
            context = self._context(id, area)
            entry = self._entry(context, area, layout)
            if author_substitute and context.first_names and context.first_names == previous_names:
                repeated = self._context(id, area)
                repeated.author_substitute = author_substitute
                entry = self._entry(repeated, area, layout)
            previous_names = context.first_names
            entries.append((id, entry))
        return entries

    def _entry(self, context: RenderingContext, area: StyleNode, layout: StyleNode) -> Runs:
        text = self._fields(context, area, layout)
        text = affixed(context, layout, decorated(layout, trimmed(text)))
        return resolve_quotes(trimmed(text), self._style.locale.quotes)

    def _fields(self, context: RenderingContext, area: StyleNode, layout: StyleNode) -> Runs:
        """The layout; a space follows the first field where the style aligns it in the margin
        (``second-field-align``)."""
        first, *rest = layout.children
        if not area.get("second-field-align") or not rest:
            return render_all(context, layout).text
        margin = render(context, first).text
        body = render_all(context, StyleNode("layout", {}, tuple(rest))).text
        if not margin or not body:
            return margin + body
        return context.glue(context.glue(margin, runs(" ")), _unspaced(body))

    def cite(self, references: Sequence[Reference]) -> Runs:
        """One citation of one or more works."""
        area = self._style.citation
        layout = area.child("layout") if area else None
        if area is None or layout is None or not references:
            return EMPTY
        sorted_references = sort_entries(
            references,
            area.child("sort"),
            lambda reference: self._context(reference.id, area, reference.locator),
        )
        first = self._context(sorted_references[0].id, area)
        if groups_cites(area):
            cites = [self._grouped(reference, area, layout) for reference in sorted_references]
            text = join_groups(cites, area, layout, first.glue)
        else:
            text = self._joined(first, area, layout, sorted_references)
        text = _unspaced(affixed(first, layout, decorated(layout, text)))
        return resolve_quotes(text, self._style.locale.quotes)

    def _grouped(self, reference: Reference, area: StyleNode, layout: StyleNode) -> GroupedCite:
        whole, bare, year = (self._context(reference.id, area, reference.locator) for _ in range(3))
        suffix = whole.disambiguation.year_suffix
        bare.without_first_names = year.without_first_names = True
        year.disambiguation = replace(year.disambiguation, year_suffix="")
        text = render_all(whole, layout).text
        return GroupedCite(
            text=text,
            names=plain(whole.first_names),
            bare=render_all(bare, layout).text,
            year=plain(render_all(year, layout).text),
            suffix=suffix,
            has_locator=reference.locator is not None,
        )

    def _joined(
        self,
        context: RenderingContext,
        area: StyleNode,
        layout: StyleNode,
        references: Sequence[Reference],
    ) -> Runs:
        texts = [
            (reference, render_all(self._context(reference.id, area, reference.locator), layout))
            for reference in references
        ]
        delimiter = layout.get("delimiter")
        if area.get("collapse") != "citation-number":
            return context.join([out.text for _, out in texts], delimiter)
        parts: list[Runs] = []
        numbered = [
            (self._numbers[reference.id] - n, reference, out.text)
            for n, (reference, out) in enumerate(texts)
        ]
        for _, together in groupby(numbered, key=lambda entry: entry[0]):
            for plain_run, group in groupby(together, key=lambda entry: entry[1].locator is None):
                texts_of_group = [text for _, _, text in group]
                if plain_run and len(texts_of_group) > 2:
                    parts.append(texts_of_group[0] + runs("–") + texts_of_group[-1])
                else:
                    parts += texts_of_group
        return context.join(parts, area.get("after-collapse-delimiter") or delimiter)


def _unspaced(text: Runs) -> Runs:
    if not text:
        return text
    first = text[0].text.lstrip(" ")
    return (text[0]._replace(text=first), *text[1:]) if first else text[1:]


def trimmed(text: Runs) -> Runs:
    """Without trailing spaces."""
    while text and not text[-1].text.rstrip(" "):
        text = text[:-1]
    if not text:
        return text
    return (*text[:-1], text[-1]._replace(text=text[-1].text.rstrip(" ")))
