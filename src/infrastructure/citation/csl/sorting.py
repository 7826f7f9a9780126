"""CSL sorting and bibliography order."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cmp_to_key
from typing import NamedTuple, TypeVar

from citeloom.infrastructure.citation.csl.context import RenderingContext
from citeloom.infrastructure.citation.csl.item import DATES, NAMES
from citeloom.infrastructure.citation.csl.rendering.dates import sort_key
from citeloom.infrastructure.citation.csl.rendering.elements import render_all
from citeloom.infrastructure.citation.csl.rendering.names import render_names
from citeloom.infrastructure.citation.csl.rendering.rich_text import CLOSE, OPEN, plain
from citeloom.infrastructure.citation.csl.style import StyleNode

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
