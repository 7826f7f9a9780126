"""Style rules of HTML pages (CSS): declarations, and the cascade of a page's own style sheets."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import soupsieve
from bs4 import BeautifulSoup, Tag

_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.S)
# What is shown on a screen of any size.
_ALWAYS: Final = re.compile(
    r"@media\s+(?:only\s+)?(?:screen|all)\s*|@supports\b.*|@layer\b.*", re.I
)
# The last compound of a selector decides which elements are looked at.
_KEY: Final = re.compile(r"([#.]?)(-?[A-Za-z_][\w-]*)[^\s>+~]*\Z")
_NAMES: Final = re.compile(
    r"(#[\w-]+)|(\.[\w-]+|\[[^\]]*\]|(?<!:):(?!:)[\w-]+)|((?<![\w.#:-])[a-z][\w-]*)"
)
_DEEPEST: Final = 4  # conditions within conditions
_MOST_CANDIDATES: Final = 3_000_000

Declarations = Mapping[str, str]


class _Rule(NamedTuple):
    selector: str
    declarations: Declarations
    important: Declarations


class Styles:
    """The declarations of each element of a page, its ``style`` attribute included. Those of other
    files are not known."""

    def __init__(self, page: BeautifulSoup) -> None:
        self._matched: dict[int, list[tuple[tuple[int, ...], Declarations]]] = defaultdict(list)
        self._elements: dict[str, list[Tag]] = defaultdict(list)
        self._all: list[Tag] = []
        self._compared = 0
        texts = [sheet.get_text() for sheet in page.find_all("style") if _is_shown(sheet)]
        rules = [rule for text in texts for rule in _rules(_COMMENT.sub(" ", text))]
        if rules:
            self._index(page)
        for order, rule in enumerate(rules):
            self._apply(rule, order)

    def of(self, element: Tag) -> dict[str, str]:
        """By name, in lower case."""
        plain, important = declarations_of(str(element.get("style") or ""))
        found: dict[str, str] = {}
        matched = sorted(self._matched.get(id(element), ()), key=lambda one: one[0])
        for rank, declared in matched:
            if not rank[0]:
                found.update(declared)
        found.update(plain)
        for rank, declared in matched:
            if rank[0]:
                found.update(declared)
        found.update(important)
        return found

    def _index(self, page: BeautifulSoup) -> None:
        for element in page.find_all(True):
            self._all.append(element)
            self._elements[element.name.lower()].append(element)
            self._elements[f"#{element.get('id')}"].append(element)
            for name in element.get_attribute_list("class"):
                self._elements[f".{name}"].append(element)

    def _apply(self, rule: _Rule, order: int) -> None:
        for selector in _parted(rule.selector):
            try:
                compiled = soupsieve.compile(selector)
            except (soupsieve.SelectorSyntaxError, NotImplementedError):
                continue  # of a part that is no element (::before), or not of any standard
            key = _KEY.search(selector)
            candidates = self._elements.get("".join(key.groups()), []) if key else self._all
            self._compared += len(candidates)
            if self._compared > _MOST_CANDIDATES:
                return
            rank = _specificity(selector)
            for element in candidates:
                if compiled.match(element):
                    for which, declared in enumerate((rule.declarations, rule.important)):
                        if declared:
                            self._matched[id(element)].append(((which, *rank, order), declared))


def declarations_of(text: str) -> tuple[dict[str, str], dict[str, str]]:
    """Of a rule or a ``style`` attribute; those that are ``!important`` apart."""
    plain: dict[str, str] = {}
    important: dict[str, str] = {}
    for declaration in _COMMENT.sub(" ", text).split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            value = " ".join(value.lower().split())
            kept, mark, _ = value.partition("!")
            (important if mark else plain)[name.strip().lower()] = kept.strip()
    return plain, important


def _is_shown(sheet: Tag) -> bool:
    media = str(sheet.get("media") or "all").lower()
    return media in ("all", "screen")


def _rules(text: str, depth: int = 0) -> Iterator[_Rule]:
    for prelude, body in _blocks(text):
        if prelude.startswith("@"):
            if _ALWAYS.fullmatch(prelude) and depth < _DEEPEST:
                yield from _rules(body, depth + 1)
        elif prelude:
            yield _Rule(prelude, *declarations_of(body.partition("{")[0]))


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """What stands before the braces and in them, at the outermost level."""
    depth = start = opened = 0
    prelude = ""
    for brace in re.finditer(r"[{}]", text):
        if brace.group() == "{":
            if depth == 0:
                prelude, opened = text[start : brace.start()], brace.end()
            depth += 1
        elif depth > 0:
            depth -= 1
            if depth == 0:
                # A statement such as @import ends with a semicolon.
                yield prelude.rpartition(";")[2].strip(), text[opened : brace.start()]
                start = brace.end()


def _parted(selectors: str) -> Iterator[str]:
    """The selectors of a list; commas in brackets do not part them."""
    depth = start = 0
    for mark in re.finditer(r"[(\[)\],]", selectors):
        if mark.group() in "([":
            depth += 1
        elif mark.group() in ")]":
            depth -= 1
        elif depth == 0:
            yield selectors[start : mark.start()].strip()
            start = mark.end()
    yield selectors[start:].strip()


def _specificity(selector: str) -> tuple[int, int, int]:
    """Ids, classes, types (Selectors Level 4, 17)."""
    found = _NAMES.findall(selector)
    ids, classes, types = (sum(bool(one[at]) for one in found) for at in range(3))
    return ids, classes, types
