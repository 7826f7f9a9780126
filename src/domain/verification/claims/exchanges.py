"""What has changed places within a sentence: values between words, relations between operands, and
what *only* restricts.

Two values go with two words in one of two ways: *boys 12 % and girls 15 %*, *girls 12 % and boys
15 %*. A conjunction between the values parts them, or *respectively* pairs them in order.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from .parsed_sentence import ParsedSentence, Token, content_tokens, word_at

# Values that are neither words nor numbers.
_SYMBOL: Final = re.compile(r"[∞∅⊥⊤⊕⊗⊙]|(?<![\w'’])[b-hj-z](?![\w'’.])")
_PARTS: Final = re.compile(
    r";|(?:,\s)?\b(?:and then|and|or|but|while|whereas|then|versus|vs|compared (?:to|with)|than"
    r"|rather than|instead of|followed by)\b",
    re.IGNORECASE,
)
_COMMA: Final = re.compile(r",(?=\s)")
_LISTED: Final = re.compile(r",\s|\b(?:and|or)\b")
_RESPECTIVELY: Final = re.compile(r"\brespectively\b", re.IGNORECASE)
# With up to two words between it and its noun.
_GOVERNOR: Final = re.compile(
    r"\b(by|of|in|on|at|for|with|to|into|from|as|over|under|during|after|before|among|within)\s"
    r"(?:[\w-]+\s){0,2}\Z",
    re.IGNORECASE,
)
_MOST: Final = 10  # values of a sentence that are compared, and words
_MOST_WORDS: Final = 40
_NEAR: Final = 40  # characters before a noun in which its preposition stands


class _Mark(NamedTuple):
    """A value or word at ``start``; only those of one ``sort`` are exchanged: values of a unit and
    kind, words after the same preposition, names."""

    start: int
    sort: str


_Marks = Mapping[str, _Mark]


def exchanges(claim: ParsedSentence, source: ParsedSentence) -> Iterator[str]:
    """What has changed places, in sentences for people."""
    if values := exchanged_values(claim, source):
        yield "“{}” and “{}” have changed places.".format(*values)
    if only := moved_only(claim, source):
        yield "Your sentence says “only” of “{}”, the source of “{}”.".format(*only)
    for said, stated in other_formulas(claim.text, source.text):
        if stated:
            yield f"Your sentence says “{said}”, the source “{stated}”."
        else:
            yield f"The nearest sentence does not have “{said}”."


def exchanged_values(claim: ParsedSentence, source: ParsedSentence) -> tuple[str, str] | None:
    """Two values of the claim, each of which stands with the word of the other in the source."""
    mine, theirs = _marks(claim), _marks(source)
    shared = [key for key in mine if key in theirs][:_MOST_WORDS]
    names = _names(claim) | _names(source)
    values = [key for key in shared if mine[key].sort.startswith("=") or key in names][:_MOST]
    if len(values) < len(("value", "other")):
        return None
    alike = [
        (one, other)
        for one, other in combinations(shared, 2)
        if {one, other} <= names
        or all(marks[one].sort == marks[other].sort for marks in (mine, theirs))
    ]
    for value, other in alike:
        if value not in values or other not in values:
            continue
        here = _belonging(claim.text, mine, value, other)
        there = _belonging(source.text, theirs, value, other)
        stand_alike = {
            at_home == abroad
            for pair in alike
            if (at_home := here(*pair)) and (abroad := there(*pair))
        }
        if stand_alike == {False}:
            return word_at(claim.text, mine[value].start), word_at(claim.text, mine[other].start)
    return None


def _names(sentence: ParsedSentence) -> set[str]:
    starts = {one.start for one in sentence.terms if one.is_name}
    return {key for key, one in _marks(sentence).items() if one.start in starts}


@lru_cache(maxsize=256)
def _marks(sentence: ParsedSentence) -> dict[str, _Mark]:
    """The words, compounds as one, and values that a sentence has once, by key."""
    text = sentence.text
    sorts = {one.start: f"={one.unit} {one.kind}" for one in sentence.quantities}
    keys: dict[int, str] = {}
    for token in content_tokens(sentence):
        keys[token.start] = f"{keys.get(token.start, '')} {token.key}".strip()
    for symbol in _SYMBOL.finditer(text):
        keys.setdefault(symbol.start(), symbol[0])
        sorts[symbol.start()] = "= number"
    found: dict[str, list[_Mark]] = {}
    for start, key in sorted(keys.items()):
        governor = _GOVERNOR.search(text, max(0, start - _NEAR), start)
        sort = sorts.get(start, governor[1].casefold() if governor else "")
        found.setdefault(key, []).append(_Mark(start, sort))
    return {key: marks[0] for key, marks in found.items() if len(marks) == 1}


def _belonging(
    text: str, marks: _Marks, value: str, other: str
) -> Callable[[str, str], tuple[str, str] | None]:
    """Which of two values each of two words belongs to; None where they belong to one, or it is
    not clear."""
    first, last = sorted((value, other), key=lambda key: marks[key].start)
    start, end = marks[first].start, marks[last].start
    in_order = bool(_RESPECTIVELY.search(text))
    spans, is_listed = ((), False) if in_order else _spans(text, marks, first, last)

    def belongs(one: str, two: str) -> tuple[str, str] | None:
        at, after = marks[one].start, marks[two].start
        if in_order:
            is_apart = max(at, after) < start or min(at, after) > end
            is_list = is_apart and _LISTED.search(text, min(at, after), max(at, after))
            return ((first, last) if at < after else (last, first)) if is_list else None
        owners = [
            (key, place < marks[key].start)
            for place in (at, after)
            for key, (begins, ends) in zip((first, last), spans, strict=False)
            if begins <= place < ends and place not in (start, end)
        ]
        if len(owners) != len({key for key, _ in owners}) or len(owners) != len((one, two)):
            return None
        (owner, side), (another, other_side) = owners
        return (owner, another) if side == other_side or not is_listed else None

    return belongs


def _spans(
    text: str, marks: _Marks, first: str, last: str
) -> tuple[Sequence[tuple[int, int]], bool]:
    """The parts of a sentence about two values, none if more than one conjunction is between; and
    whether the values may stand in a list, with words before and after of both."""
    start, end = marks[first].start, marks[last].start
    between = [*_PARTS.finditer(text, start, end)] or [*_COMMA.finditer(text, start, end)]
    if len(between) != 1:
        return (), False
    sort = marks[first].sort
    others = [one.start for one in marks.values() if sort[:1] == "=" and one.sort == sort]
    cuts = [one.start() for pattern in (_PARTS, _COMMA) for one in pattern.finditer(text)]
    # What belongs to a value before or after these, of the same unit.
    before = [cut for cut in cuts if cut < start and any(one < cut for one in others)]
    after = [cut for cut in cuts if cut > end and any(one > cut for one in others)]
    (joint,) = between
    spans = (max(before, default=0), joint.start()), (joint.end(), min(after, default=len(text)))
    return spans, joint[0].strip(", ").casefold() in ("", "and", "or")


# *Only* whose word is the next: of the subject, or after a preposition.
_ONLY: Final = re.compile(r"\bonly\b", re.IGNORECASE)
_NARROW: Final = re.compile(
    r"(?:\A\W*|[,;:]\s|\b(?:that|and|but)\s)only\b"
    r"|\bonly\s(?:by|of|in|on|at|for|with|to|into|from|as|under|during|after|before|among|when|if)\b",
    re.IGNORECASE,
)


def moved_only(claim: ParsedSentence, source: ParsedSentence) -> tuple[str, str] | None:
    """What *only* restricts in the claim and in the source, if each sentence has both: *only files
    can be deleted by the owner*, *files can be deleted only by the owner*."""
    (mine, keys), (theirs, others) = _restricted(claim), _restricted(source)
    if mine is None or theirs is None or mine.key == theirs.key:
        return None
    if mine.key not in others or theirs.key not in keys:
        return None
    return word_at(claim.text, mine.start), word_at(source.text, theirs.start)


def _restricted(sentence: ParsedSentence) -> tuple[Token | None, set[str]]:
    """The word that the only *only* of a sentence restricts, if that is certain; and all words."""
    tokens = content_tokens(sentence)
    found = [*_NARROW.finditer(sentence.text)]
    is_one = len(found) == 1 == len(_ONLY.findall(sentence.text))
    after = (one for one in tokens if found and one.start >= found[0].end())
    return next(after, None) if is_one else None, {one.key for one in tokens}


_SAME_SIGN: Final = {"⩽": "≤", "<=": "≤", "⩾": "≥", ">=": "≥", "!=": "≠", "->": "→", "<-": "←"}
_TURNED: Final = dict(zip("≤≥<>→←⊂⊃⊆⊇", "≥≤><←→⊃⊂⊇⊆", strict=True))
_STRICT: Final = {"≤": "<", "≥": ">"}
_SYMMETRIC: Final = "=≠±×∪∩+⊕⊗"
# What stands before a sign, the sign, and what stands after it.
_FORMULA: Final = re.compile(
    r"(?P<left>(?:\d+\.)?[\w'′]+|[)\]}])\s?(?P<sign><=|>=|!=|->|<-|[≤⩽≥⩾<>=≠±×∪∩⊂⊃⊆⊇∈∉→←+−⊕⊗])"
    r"\s?(?=(?P<right>[(\[{|]?\s?[\w∞∅]+(?:\.\d+)?))"
)
_SENTENCE: Final = re.compile(r"(?<=[.;])\s")
_Formulas = Mapping[tuple[str, str], Mapping[str, str]]


def other_formulas(claim: str, source: str) -> Iterator[tuple[str, str]]:
    """Formulas of the claim with another sign between their operands than in the sentence of the
    source that has most of them (*a ≥ b*, *a ≤ b*; not *b ≥ a*), with that; and sums of single
    letters that it lacks, with ""."""
    if not (mine := _formulas(claim)):
        return
    parts = [_formulas(part, turned=True) for part in _SENTENCE.split(source)]
    theirs = max(parts, key=lambda part: _likeness(mine, part))
    for operands, written in mine.items():
        stated = theirs.get(operands, {})
        for sign, formula in written.items():
            known = {sign, *(("=", _STRICT[sign]) if sign in _STRICT else ())}
            is_sum = sign in "+−⊕⊗" and max(map(len, operands)) <= len("2x")
            if (stated or (is_sum and theirs)) and known.isdisjoint(stated):
                yield formula, next(iter(stated.values()), "")


def _likeness(mine: _Formulas, part: _Formulas) -> tuple[int, int]:
    known = [key for key in mine if key in part]
    return len(known), sum(not mine[key].keys().isdisjoint(part[key]) for key in known)


def _formulas(text: str, *, turned: bool = False) -> _Formulas:
    """By the operands the signs, each with the formula as written; ``turned``: in either order."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for one in _FORMULA.finditer(text):
        left, right = one["left"], "".join(one["right"].split())
        sign = _SAME_SIGN.get(one["sign"], one["sign"])
        written = text[one.start() : one.end("right")]
        found.setdefault((left, right), {})[sign] = written
        if turned and (other := sign if sign in _SYMMETRIC else _TURNED.get(sign)):
            found.setdefault((right, left), {})[other] = written
    return found
