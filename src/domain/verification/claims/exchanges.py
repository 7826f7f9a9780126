"""What has changed places: values between words, signs between operands, what *only* restricts.

Two values go with two words in one of two ways: *boys 12 % and girls 15 %*, *girls 12 % and boys
15 %*. A conjunction between the values parts them, or *respectively* pairs them in order.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from .parsed_sentence import ParsedSentence, Token, content_tokens, word_at
from .voices import exchanged_sides

# Values that are neither words nor numbers.
_SYMBOL: Final = re.compile(r"[∞∅⊥⊤⊕⊗⊙]|(?<![\w'’])[b-hj-z](?![\w'’.])")
_JOINT: Final = re.compile(
    r";|(?:,\s)?\b(?:and then|and|or|but|while|whereas|then|versus|vs|compared (?:to|with)|than"
    r"|rather than|instead of|followed by)\b",
    re.IGNORECASE,
)
_LISTED: Final = re.compile(r",\s|\b(?:and|or)\b", re.IGNORECASE)
_RESPECTIVELY: Final = re.compile(r"\brespectively\b", re.IGNORECASE)
_PREPOSITION: Final = (
    r"(?:by|of|in|on|at|for|with|to|into|from|as|over|under|during|after|before|among|within|when)"
)
# With up to two words between it and its noun.
_GOVERNOR: Final = re.compile(rf"\b({_PREPOSITION})\s(?:[\w-]+\s){{0,2}}\Z", re.IGNORECASE)
_NEAR: Final = 40  # characters in which it is looked for
_MOST: Final = 40  # words of a sentence that are compared


class _OnlyOne(NamedTuple):
    """A value or word at ``start``. ``sort``: unit and kind of a value, preposition of a word."""

    start: int
    sort: str
    is_name: bool


_Marks = Mapping[str, _OnlyOne]


def exchanges(claim: ParsedSentence, source: ParsedSentence) -> Iterator[str]:
    """What has changed places, in sentences for people."""
    if values := exchanged_values(claim, source):
        yield "“{}” and “{}” have changed places.".format(*values)
    if sides := exchanged_sides(claim, source):
        yield "In the source, “{}” stands on the other side of “{}”.".format(*sides)
    if only := moved_only(claim, source):
        yield "Your sentence says “only” of “{}”, the source of “{}”.".format(*only)
    for said, stated in other_formulas(claim.text, source.text):
        other = f"Your sentence says “{said}”, the source “{stated}”."
        yield other if stated else f"The nearest sentence does not have “{said}”."


def exchanged_values(claim: ParsedSentence, source: ParsedSentence) -> tuple[str, str] | None:
    """Two values of the claim, each of which stands with the word of the other in the source."""
    both = mine, theirs = _marks(claim), _marks(source)

    def is_name(key: str) -> bool:
        return mine[key].is_name or theirs[key].is_name

    alike = [
        (one, other)
        for one, other in combinations([key for key in mine if key in theirs][:_MOST], 2)
        if (is_name(one) and is_name(other))
        or all(marks[one].sort == marks[other].sort for marks in both)
    ]
    for value, other in alike:
        if any(mine[key].sort[:1] != "=" and not is_name(key) for key in (value, other)):
            continue
        starts = (sorted((marks[value].start, marks[other].start)) for marks in both)
        if None in map(_conjunction, (claim.text, source.text), *zip(*starts, strict=True)):
            continue
        stand_alike = (
            here == there
            for pair in alike
            if (here := _are_in_order(claim.text, mine, (value, other), pair)) is not None
            and (there := _are_in_order(source.text, theirs, (value, other), pair)) is not None
        )
        if not next(stand_alike, True) and not any(stand_alike):
            return word_at(claim.text, mine[value].start), word_at(claim.text, mine[other].start)
    return None


@lru_cache(maxsize=256)
def _marks(sentence: ParsedSentence) -> _Marks:
    """The words, compounds as one, and values that a sentence has once, by key."""
    text, names = sentence.text, {one.start for one in sentence.terms if one.is_name}
    sorts = {one.start: f"={one.unit} {one.kind}" for one in sentence.quantities}
    keys: dict[int, str] = {}
    for token in content_tokens(sentence):
        keys[token.start] = f"{keys.get(token.start, '')} {token.key}".strip()
    for symbol in _SYMBOL.finditer(text):
        keys.setdefault(symbol.start(), symbol[0])
        sorts[symbol.start()] = "= number"
    found: dict[str, list[_OnlyOne]] = {}
    for start, key in sorted(keys.items()):
        governor = _GOVERNOR.search(text, max(0, start - _NEAR), start)
        sort = sorts.get(start, governor[1].casefold() if governor else "")
        found.setdefault(key, []).append(_OnlyOne(start, sort, start in names))
    return {key: marks[0] for key, marks in found.items() if len(marks) == 1}


def _are_in_order(
    text: str, marks: _Marks, values: tuple[str, str], words: tuple[str, str]
) -> bool | None:
    """Whether the first word goes with the first value, and the second with the second, or
    crosswise; None where that is not clear."""
    (value, other), (one, two) = ([marks[key].start for key in pair] for pair in (values, words))
    is_in_order = (one < two) == (value < other)
    (low, high), (first, last) = sorted((value, other)), sorted((one, two))
    parted = _conjunction(text, low, high)
    if parted is None or {one, two} & {value, other}:
        return None
    joint, is_list = parted
    if joint is None:
        is_apart = last < low or first > high
        return is_in_order if is_apart and _LISTED.search(text, first, last) else None
    if not first < joint < last:
        return None
    # In a list, what stands before and after it is said of all.
    return is_in_order if not is_list or (first < low) == (last < high) else None


@lru_cache(maxsize=1024)
def _conjunction(text: str, low: int, high: int) -> tuple[int | None, bool] | None:
    """Where the one conjunction between two values is, and whether it is that of a list; nowhere
    with *respectively*. None where that is not clear."""
    if _RESPECTIVELY.search(text):
        return None, True
    joints = [*_JOINT.finditer(text, low, high)] or [*_LISTED.finditer(text, low, high)]
    if len(joints) != 1:
        return None
    return joints[0].start(), bool(_LISTED.fullmatch(joints[0][0].strip(", ") or ", "))


# *Only* of the subject, before a preposition or article, or last; it may also stand before a verb.
_ONLY: Final = re.compile(r"\bonly\b", re.IGNORECASE)
_NARROW: Final = re.compile(
    rf"(?:\A\W*|[,;:]\s|\b(?:that|and|but)\s)only\b|\bonly\s(?:the|{_PREPOSITION})\b"
    r"|\bonly\W*\Z",
    re.IGNORECASE,
)


def moved_only(claim: ParsedSentence, source: ParsedSentence) -> tuple[str, str] | None:
    """What *only* restricts in the claim and in the source, if each sentence has both: *only files
    can be deleted by the owner*, *files can be deleted only by the owner*."""
    words: list[Token] = []
    for one, other in ((claim, source), (source, claim)):
        found = [*_NARROW.finditer(one.text)]
        if not len(found) == 1 == len(_ONLY.findall(one.text)):
            return None
        tokens = content_tokens(one)
        meant = [token for token in tokens if token.start >= found[0].end()][:1] or tokens[-1:]
        words += [t for t in meant if t.key in {token.key for token in content_tokens(other)}]
    if len(words) != len((claim, source)) or words[0].key == words[1].key:
        return None
    return word_at(claim.text, words[0].start), word_at(source.text, words[1].start)


_SAME_SIGN: Final = {"⩽": "≤", "<=": "≤", "⩾": "≥", ">=": "≥", "!=": "≠", "->": "→", "<-": "←"}
_TURNED: Final = dict(zip("≤≥<>→←⊂⊃⊆⊇=≠±×∪∩+⊕⊗", "≥≤><←→⊃⊂⊇⊆=≠±×∪∩+⊕⊗", strict=True))
_WEAKER: Final = {"<": "≤", ">": "≥", "=": "≤≥"}
# What stands before a sign, the sign, and what stands after it.
_FORMULA: Final = re.compile(
    r"(?P<left>(?:\d+\.)?[\w'′]+|[)\]}])\s?(?P<sign><=|>=|!=|->|<-|[≤⩽≥⩾<>=≠±×∪∩⊂⊃⊆⊇∈∉→←+−⊕⊗])"
    r"\s?(?=(?P<right>[(\[{|]?\s?[\w∞∅]+(?:\.\d+)?))"
)
_Formulas = dict[tuple[str, str], dict[str, str]]
_SENTENCE: Final = re.compile(r"(?<=[.;])\s")


def other_formulas(claim: str, source: str) -> Iterator[tuple[str, str]]:
    """Formulas of the claim with another sign between their operands than in the sentence of the
    source that has most of them (*a ≥ b*, *a ≤ b*; not *b ≥ a*), with that; and sums of single
    letters that it lacks, with ""."""
    mine = _formulas(claim)
    parts = [_formulas(part, is_stated=True) for part in _SENTENCE.split(source)] if mine else [{}]
    theirs = max(parts, key=lambda part: _likeness(mine, part))
    for operands, written in mine.items():
        stated = theirs.get(operands, {})
        for sign, formula in written.items():
            is_sum = sign in "+−⊕⊗" and max(map(len, operands)) <= len("2x")
            if (stated or (is_sum and theirs)) and sign not in stated:
                yield formula, next(iter(stated.values()), "")


def _likeness(mine: _Formulas, part: _Formulas) -> tuple[int, int]:
    known = mine.keys() & part.keys()
    return len(known), sum(mine[key].keys() <= part[key].keys() for key in known)


def _formulas(text: str, *, is_stated: bool = False) -> _Formulas:
    """By the operands the signs, each with the formula as written; of what is stated also with the
    operands in the other order, and weaker."""
    found: _Formulas = {}
    for one in _FORMULA.finditer(text):
        left, right = one["left"], "".join(one["right"].split())
        sign = _SAME_SIGN.get(one["sign"], one["sign"])
        signs = {sign, *(_WEAKER.get(sign, "") if is_stated else "")}
        for each in signs:
            written = text[one.start() : one.end("right")]
            found.setdefault((left, right), {})[each] = written
            if is_stated and each in _TURNED:
                found.setdefault((right, left), {})[_TURNED[each]] = written
    return found
