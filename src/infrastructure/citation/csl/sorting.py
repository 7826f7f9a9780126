"""The order of works, as a style's ``sort`` element asks for it."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cmp_to_key
from typing import NamedTuple, TypeVar

from citeloom.infrastructure.citation.csl.context import Scene
from citeloom.infrastructure.citation.csl.item import DATES, NAMES
from citeloom.infrastructure.citation.csl.rendering.dates import sort_key
from citeloom.infrastructure.citation.csl.rendering.elements import render_all
from citeloom.infrastructure.citation.csl.rendering.names import render_names
from citeloom.infrastructure.citation.csl.rendering.rich_text import CLOSE, OPEN, plain
from citeloom.infrastructure.citation.csl.style import Node

T = TypeVar("T")
# Letters without a decomposition, by what the Unicode collation has them beside.
_LETTERS = str.maketrans(
    {"æ": "ae", "Æ": "AE", "ø": "o", "Ø": "O", "ß": "ss", "đ": "d", "Đ": "D", "ł": "l", "Ł": "L",
     "þ": "th", "Þ": "Th", "œ": "oe", "Œ": "OE", "ı": "i"}
)  # fmt: skip
_IGNORED = str.maketrans(dict.fromkeys(f"{OPEN}{CLOSE}“”‘’«»[]'\"", None))

_DIGITS = re.compile(r"\d{1,12}")
# Names as keys: family names first, nothing between them that would sort.
_FLAT = {"name-as-sort-order": "all", "and": "", "delimiter": " ", "sort-separator": " "}


class Key(NamedTuple):
    """Letters without accents and case, then with; an empty one sorts last."""

    letters: str
    accents: str
    case: str


def collation(text: str) -> Key:
    """A key of the order that dictionaries have (Unicode collation's first three levels), with
    numbers by their value."""
    text = _DIGITS.sub(lambda found: found.group().zfill(12), text.translate(_IGNORED).strip())
    decomposed = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    bare = "".join(c for c in decomposed if not unicodedata.combining(c))
    spaced = "".join(_weight(c) for c in bare.casefold())
    return Key(spaced, decomposed.casefold(), text.swapcase())


def _weight(char: str) -> str:
    """Blanks before marks before digits before letters."""
    if char.isspace():
        return "\x01"
    if char.isalnum():
        return char
    return f"\x02{char}"


def ordered(entries: Sequence[T], sort: Node | None, scene: Callable[[T], Scene]) -> list[T]:
    """``entries`` by the keys of ``sort``; equal ones keep their order."""
    if sort is None:
        return list(entries)
    keys = [key for key in sort.children if key.tag == "key"]
    made = [(entry, [_key(scene(entry), key) for key in keys]) for entry in entries]
    falling = [key.get("sort") == "descending" for key in keys]

    def compare(one: tuple[T, list[Key]], other: tuple[T, list[Key]]) -> int:
        for a, b, down in zip(one[1], other[1], falling, strict=True):
            if a == b:
                continue
            if not a.letters or not b.letters:  # what has no key goes last in either order
                return 1 if not a.letters else -1
            return (1 if a > b else -1) * (-1 if down else 1)
        return 0

    return [entry for entry, _ in sorted(made, key=cmp_to_key(compare))]


def _key(scene: Scene, key: Node) -> Key:
    scene.sorting = True
    scene.name_options = {**_FLAT, **_truncation(key)}
    if macro := scene.style.macros.get(key.get("macro")):
        return collation(plain(render_all(scene, macro).text))
    name = key.get("variable")
    if name in NAMES:
        names = Node("names", {"variable": name}, (Node("name", {"form": "long"}),))
        return collation(plain(render_names(scene, names).text))
    if name in DATES:
        date = scene.item.date(name)
        return collation(sort_key(date) if date else "")
    if name == "citation-number":
        return collation(f"{scene.number:06}")
    value = scene.item.text(name) or ""
    return collation(value.zfill(8) if value.isdigit() else value)


def _truncation(key: Node) -> dict[str, str]:
    return {
        name.replace("names", "et-al"): key.get(name)
        for name in ("names-min", "names-use-first", "names-use-last")
        if key.get(name)
    }
