"""Claims that no sentence of their paper bears out word by word, with the page that they were
taken from: numbers in other words, short quotations, quoted clauses, and terms of another page.
"""

import random
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from verifying_sentences import Sentence

_NUMBER = re.compile(r"(?<![\w.])(?:\d{2,}|\d+\.\d+|\d+(?=\s?%))(?![\w-])")
_YEAR = re.compile(r"(?:19|20)\d\d")
_DROPPED = 4
_SHORT, _CLAUSE, _TERM = 3, 7, 2


class PageCase(NamedTuple):
    """A claim of ``kind``, the work and the printed page that it is taken from."""

    kind: str
    claim: str
    citekey: str
    page: str


def page_cases(of: Sequence[Sentence], count: int, seed: int) -> list[PageCase]:
    """So many claims of each kind, from sentences on one page."""
    chance = random.Random(seed)
    placed = sorted(one for one in of if one.page_label and not set("“”\"'") & set(one.text))
    chance.shuffle(placed)
    numbered = [one for one in placed if set(_NUMBER.findall(one.text)) - set(_years(one.text))]
    cases = [_case("numbers in other words", one, _thinned(one.text)) for one in numbered[:count]]
    for one in placed[:count]:
        words = one.text.rstrip(".").split()
        at = chance.randrange(len(words) - _CLAUSE)
        short = " ".join(words[at : at + _SHORT])
        clause = " ".join(words[at : at + _CLAUSE])
        others = _thinned(" ".join([*words[:at], *words[at + _SHORT :]]))
        cases.append(_case("a short quotation", one, f"“{short}” is said of this: {others}"))
        cases.append(_case("a quoted clause", one, f"They write that “{clause}”"))
        if term := _term_of_another_page(one, placed, chance):
            told = f"As to “{term}”, {_thinned(one.text)}"
            cases.append(_case("a term of another page", one, told))
    return cases


def other_pages(of: Sequence[Sentence]) -> Mapping[tuple[str, str], str]:
    """For each page of a paper the one farthest from it, where there are three or more."""
    pages: dict[str, set[str]] = {}
    for one in of:
        if one.page_label and one.page_label.isdigit():
            pages.setdefault(one.citekey, set()).add(one.page_label)
    return {
        (citekey, page): max(sorted(known), key=lambda other: abs(int(other) - int(page)))
        for citekey, known in pages.items()
        if len(known) > 2
        for page in known
    }


def _case(kind: str, one: Sentence, claim: str) -> PageCase:
    assert one.page_label is not None
    return PageCase(kind, claim, one.citekey, one.page_label)


def _thinned(text: str) -> str:
    """The second half of a sentence before its first, without every fourth word that is no
    number."""
    words = text.rstrip(".").split()
    kept = [
        word
        for number, word in enumerate(words)
        if number % _DROPPED != _DROPPED - 1 or any(map(str.isdigit, word))
    ]
    half = len(kept) // 2
    return " ".join([*kept[half:], *kept[:half]])


def _years(text: str) -> list[str]:
    return _YEAR.findall(text)


def _term_of_another_page(
    one: Sentence, among: Sequence[Sentence], chance: random.Random
) -> str | None:
    """Two words in a row from the middle of a sentence on another page of the paper."""
    others = [
        other
        for other in among
        if other.citekey == one.citekey and other.page_label != one.page_label
    ]
    if not others:
        return None
    words = [word for word in chance.choice(others).text.split() if word.isalpha()]
    pairs = [f"{a} {b}" for a, b in pairwise(words) if min(len(a), len(b)) > 4]
    return chance.choice(pairs) if pairs else None
