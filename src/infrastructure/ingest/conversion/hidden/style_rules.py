"""Style rules of HTML pages: declarations, the cascade, and why a text is not seen."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

import soupsieve
from bs4 import BeautifulSoup, Tag
from PIL import ImageColor


class Unseen(StrEnum):
    NOT_DISPLAYED = "not displayed"
    OUTSIDE = "off the page"
    TRANSPARENT = "transparent"
    TOO_SMALL = "too small"
    NO_CONTRAST = "invisible against the background"


def unseen_warnings(counts: Mapping[Unseen, int]) -> list[str]:
    """What was left out, in a sentence; ``counts`` are words. What is plainly not displayed, such
    as a menu that is closed, is not worth one."""
    told = {
        why: counts[why] for why in Unseen if why is not Unseen.NOT_DISPLAYED and counts.get(why)
    }
    total = sum(told.values())
    if not total:
        return []
    words = "1 hidden word was" if total == 1 else f"{total} hidden words were"
    return [f"{words} left out ({', '.join(told)})"]


Colour = tuple[int, int, int]
WHITE: Final[Colour] = (255, 255, 255)
BLACK: Final[Colour] = (0, 0, 0)
_CONTRAST: Final = 20  # of 255, in any of red, green, blue: less is not visible

_NUMBER: Final = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_LENGTH: Final = re.compile(rf"({_NUMBER})(px|pt|pc|in|cm|mm|q|em|rem|ex|ch|vw|vh|%)?")
#: Pixels (CSS Values 4, 6.2); those of a window are of one that is 1,000 wide and high.
_PIXELS: Final = {
    None: 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78, "q": 0.945,
    "rem": 16.0, "vw": 10.0, "vh": 10.0,
}  # fmt: skip
_OF_FONT: Final = {"em": 1.0, "ex": 0.5, "ch": 0.5, "%": 0.01}
_SPACED: Final = re.compile(r"(rgb|hsl)a?\(\s*([^\s,/)]+)[\s,]+([^\s,/)]+)[\s,]+([^\s,/)]+)(.*)\)")
_FRACTION: Final = re.compile(rf"({_NUMBER})(%?)")
_FAINT: Final = 0.05  # opacity that shows nothing


def pixels(value: str, font: float) -> float | None:
    """A length, where ``font`` is the size of the font for ``em``; None if it is not a length, or
    is unknown."""
    match = _LENGTH.fullmatch(value)
    if match is None:
        return None
    number, unit = float(match[1]), match[2]
    return number * (_OF_FONT[unit] * font if unit in _OF_FONT else _PIXELS[unit])


def fraction(value: str) -> float | None:
    """A number, or a percentage."""
    match = _FRACTION.fullmatch(value)
    if match is None:
        return None
    return float(match[1]) / (100 if match[2] else 1)


def is_faint(opacity: str) -> bool:
    found = fraction(opacity)
    return found is not None and found <= _FAINT


def is_transparent(value: str) -> bool:
    if value == "transparent":
        return True
    match = _SPACED.fullmatch(value)
    if match is not None and (rest := match[5].strip(" ,/")):
        return is_faint(rest)
    return (
        value.startswith("#") and len(value) in (5, 9) and set(value[-(len(value) // 4) :]) == {"0"}
    )


def colour(value: str) -> Colour | None:
    """Red, green, blue from 0 to 255; None if the text is not a colour, or transparent."""
    match = _SPACED.fullmatch(value)
    if match is not None:
        opacity = fraction(match[5].strip(" ,/") or "1")
        if opacity is None or opacity < 1:
            return None
        value = f"{match[1]}({match[2].removesuffix('deg')},{match[3]},{match[4]})"
    try:
        found = ImageColor.getrgb(value)
    except ValueError:
        return None
    if len(found) == 4 and found[3] != 255:
        return None
    return found[0], found[1], found[2]


def are_alike(one: Colour, other: Colour) -> bool:
    """Whether text of one colour is not seen on the other."""
    return all(abs(a - b) < _CONTRAST for a, b in zip(one, other, strict=True))


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
        """Entries by name, in lower case."""
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
                continue  # of a part that is not an element (::before), or not of any standard
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
    """Declarations of a rule or a ``style`` attribute; the ``!important`` ones separately."""
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
    """The text before the braces and in them, at the outermost level."""
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
