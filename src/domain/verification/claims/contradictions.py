"""Contradictions that can be shown, and what a claim names and its source nowhere has.

One thing of a source's own sentence is changed: a number, a negation, a word for its opposite, a
member of a series for another, the sides of a comparison.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import accumulate, permutations
from typing import Final

from citeloom.domain.text.terms import Term, stem
from citeloom.domain.verification.quantities.quantity import (
    Quantity,
    counted_plural,
    counted_stems,
    ends,
    is_comparable,
    missing_quantities,
    quantities,
    same_value,
    unstated,
)

from .parsed_sentence import (
    ParsedSentence,
    content_tokens,
    coverage,
    is_told_of_others,
    parse_claim,
    stems_of,
    synonym_stem,
    whole_names,
)
from .polarity import Direction, are_aligned, are_opposed, comparison, opposed_by_prefix
from .slots import slots

# Two is said of what the reader counted; 18 points or 0.53 must stand somewhere.
_DIGITS: Final = re.compile(r"\d\D?\d")
_YEAR: Final = re.compile(r"(?:1[5-9]|20)\d\d")
_LETTERS: Final = re.compile(r"[^\W_]+")
_HUMP: Final = re.compile(r"(?<=[^\W\d_])(?:[A-Z](?=[a-z])|\d)|(?<=[a-z\d])[A-Z]")
# Names of large countries and the words for what is theirs.
_COUNTRIES: Final = tuple(
    tuple(name.strip() for name in line.split(","))
    for line in """
United States, America, American, U.S.A.
United Kingdom, Britain, British
Germany, German
France, French
Spain, Spanish
Portugal, Portuguese
Netherlands, Dutch
Switzerland, Swiss
Sweden, Swedish
Denmark, Danish
Finland, Finnish
Norway, Norwegian
Poland, Polish
Ireland, Irish
Greece, Greek
Turkey, Turkish, Türkiye
China, Chinese
Brazil, Brazilian
Israel, Israeli
Iraq, Iraqi
Thailand, Thai
Philippines, Filipino, Philippine
""".strip().splitlines()
)


def absent(claim: str, document: str) -> tuple[str, ...]:
    """Names and numbers of two digits or more of the claim that the text of the whole document
    has nowhere, as the claim writes them. What may be a year is not looked for."""
    parsed = parse_claim(claim)
    words = [parsed.text[term.start : term.end] for term in parsed.terms if term.is_name]
    text = _words(document)
    called = _called_otherwise(parsed.text, text)
    names = [
        name
        for name in dict.fromkeys(map(_name, words))
        if not text.have(name) and name.casefold() not in called
    ]
    numbers = [
        one
        for one in parsed.quantities
        if _DIGITS.search(one.text) and not _YEAR.fullmatch(one.text)
    ]
    missing = unstated(numbers, _quantities(document)) if numbers else ()
    return (*names, *(one.text for one in missing))


class _Words:
    """The words of a document: ``letters`` without the text between them, the offsets of their
    beginnings and ends, and their stems."""

    def __init__(self, document: str) -> None:
        found = [one[0] for one in _LETTERS.finditer(document)]
        self.letters = "".join(found).casefold()
        word_ends = list(accumulate(len(one.casefold()) for one in found))
        # *BLAST* is in *StarBLAST*, *Rust* is not in *trust*.
        humps = {
            end - len(one) + hump.start()
            for one, end in zip(found, word_ends, strict=True)
            for hump in _HUMP.finditer(one)
        }
        self._begins, self._ends = {0, *word_ends} | humps, set(word_ends) | humps
        self._stems = frozenset(synonym_stem(stem(one.casefold())) for one in found)

    def have(self, name: str) -> bool:
        """Whether the words have a name, of one word or several, whatever joins them."""
        letters = "".join(_LETTERS.findall(name)).casefold()
        singular = letters.removesuffix("s")
        return not letters or self._stand(letters) or (len(singular) > 1 and self._stand(singular))

    def _stand(self, letters: str) -> bool:
        at = self.letters.find(letters)
        while at >= 0:
            end = at + len(letters)
            if at in self._begins and (end in self._ends or self.letters[end] == "s"):
                return True
            at = self.letters.find(letters, at + 1)
        return synonym_stem(stem(letters)) in self._stems


def _called_otherwise(claim: str, text: _Words) -> set[str]:
    """The claim's country names for which ``text`` has another word."""
    found: set[str] = set()
    for names in _COUNTRIES:
        mine = [name for name in names if re.search(rf"\b{re.escape(name)}(?!\w)", claim)]
        if mine and any(map(text.have, names)):
            found |= {word.casefold() for name in mine for word in _LETTERS.findall(name)}
    return found


# A draft cites a document many times.
@lru_cache(maxsize=4)
def _words(document: str) -> _Words:
    return _Words(whole_names(document))


@lru_cache(maxsize=4)
def _quantities(document: str) -> tuple[Quantity, ...]:
    """The quantities, and the ends of ranges."""
    found = quantities(document)
    return (*found, *(end for one in found for end in ends(one)))


def _name(word: str) -> str:
    """The part of a word that names: *French* of *French-speaking*, *Google* of *Google's*; "" for
    a number."""
    if not any(letter.isupper() for letter in word):
        return ""
    return re.sub(r"[-\u2010\u2011][a-z]+\Z|['’]s?\Z", "", word)


# Minimum weighted coverage of the claim by its sentence: the same subject, the same
# sentence but for a name or a direction, verbatim.
_SAME_SUBJECT: Final = 0.6
_SAME_SENTENCE: Final = 0.75
_REPEATED: Final = 0.9
_VERBATIM: Final = 0.95
# Least number of words around two numbers that stand alike, from which one is in the other's place.
_LEAST_FRAME: Final = 3
# A number from here on is hardly twice in a document by chance.
_LARGE: Final = 100
_NUMBERED: Final = re.compile(
    r"(?<![\w.-])(?P<series>[^\W\d_]+)[-\u2010\u2011\s]?(?P<number>\d+(?:\.\d+)*)(?![\d%])"
)


def _exchanged(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return [f"Your sentence says “{mine}”, the source “{theirs}”." for mine, theirs in pairs]


def contradictions(
    claim: ParsedSentence, sentences: Sequence[ParsedSentence], best: int
) -> tuple[str, ...]:
    """One sentence for each contradiction of the claim by ``sentences[best]``, for people to
    check; ``sentences`` are all the evidence."""
    source = sentences[best]
    found = _exchanged((a.text, b.text) for a, b in other_numbers(claim, sentences, best))
    found += _exchanged(changed_names(claim, source))
    is_denied = adds_negation(claim, source) or drops_negation(claim, source)
    if is_denied and not is_told_of_others(claim, source, sentences):
        found.append("One of the two sentences denies what the other says.")
    found += _exchanged((a.word, b.word) for a, b in reversed_words(claim, source))
    if coverage(claim, stems_of(source)) >= _SAME_SENTENCE:
        found += _exchanged(opposed_by_prefix(claim.text, source.text))
    if coverage(claim, stems_of(source)) >= _VERBATIM and _denies(claim) == _denies(source):
        found += [
            f"“{one.word}” goes the other way in the source."
            for one in said_of_another(claim, source)
            if one.word not in _TIMES or _is_turned_in_place(one, claim, source)
        ]
    if denies_the_other(claim, source):
        found.append("Your sentence denies what the source says, and says what it denies.")
    if coverage(claim, stems_of(source)) >= _VERBATIM and has_swapped_sides(claim, source):
        found.append("The sides of the comparison have changed places.")
    return tuple(dict.fromkeys(found))


# What these are said of is the whole before them, too.
_TIMES: Final = frozenset({"before", "after"})


def _is_turned_in_place(word: Direction, claim: ParsedSentence, source: ParsedSentence) -> bool:
    return any(
        _stands_alike(_neighbours(claim, word), _neighbours(source, other))
        for other in source.directions
        if are_opposed(word, other)
    )


def other_numbers(
    claim: ParsedSentence, sentences: Sequence[ParsedSentence], best: int
) -> list[tuple[Quantity, Quantity]]:
    """Pairs of a quantity of the claim that no sentence of the evidence states, and one of the
    best sentence, of the same unit or counted noun, that stands in its place. Years only if the
    claim repeats the sentence."""
    covered = coverage(claim, stems_of(sentences[best]))
    if covered < _SAME_SUBJECT:
        return []
    counted = {
        each for one in claim.quantities for each in counted_stems(one, claim.terms, claim.text)
    }
    stated = [
        quantity
        for n, sentence in enumerate(sentences)
        for quantity in sentence.quantities
        if n == best or _may_be_the_same(quantity, sentence, counted)
    ]
    others = missing_quantities(sentences[best].quantities, claim.quantities)
    in_place = {
        (slot.mine[0].start, slot.theirs[0].start)
        for slot in slots(claim, sentences[best])
        if slot.frame >= _LEAST_FRAME
    }
    found = []
    for quantity in unstated(claim.quantities, stated):
        if quantity.kind == "year" and covered < _VERBATIM:
            continue
        replaced = [
            one
            for one in others
            if _replaces(quantity, claim, one, sentences[best])
            or (
                (quantity.start, one.start) in in_place
                and (quantity.unit, quantity.kind) == (one.unit, one.kind)
            )
        ]
        found += [(quantity, other) for other in replaced[:1]]
    return found


def counts_of_others(
    claim: ParsedSentence, source: ParsedSentence
) -> Iterator[tuple[str, str, bool]]:
    """Counts of the claim with the source's: the same number, of things that the source does not
    name: *43 engineers*, *43 students*."""
    known = {token.key for token in content_tokens(source)}
    for one in claim.quantities:
        mine = counted_plural(one, claim.terms, claim.text)
        if one.unit or one.kind != "number" or mine is None or synonym_stem(mine.stem) in known:
            continue
        for other in source.quantities:
            theirs = counted_plural(other, source.terms, source.text)
            if theirs is not None and same_value(one, other):
                yield (
                    claim.text[one.start : mine.end],
                    source.text[other.start : theirs.end],
                    True,
                )
                break


def said_of_another(
    claim: ParsedSentence, source: ParsedSentence, *, of_subject: bool = False
) -> Iterator[Direction]:
    """Direction words of the claim whose opposite the source says of the same thing, while it says
    the same only of something else: *lower variance (and higher agreement)*, *higher variance*.
    ``of_subject``: the thing may also precede the word."""
    of: dict[tuple[bool, str], list[Direction]] = {}
    for one in source.directions:
        for key in _said_of(source, one):
            of.setdefault(key, []).append(one)
    turning = {synonym_stem(stem(one.word)) for one in source.directions}
    for mine in claim.directions:
        for key in _said_of(claim, mine):
            if not (of_subject or key[0]):
                continue
            same = of.get(key, ())
            # *The first ad* is also *the first omitted ad*.
            near = [
                one
                for one in source.directions
                if key[1] in _object(source, one) and _object(source, one)[0] not in turning
            ]
            is_opposed = any(are_opposed(mine, one) for one in same)
            if is_opposed and not any(are_aligned(mine, one) for one in (*same, *near)):
                yield mine
                break


def _said_of(sentence: ParsedSentence, word: Direction) -> Iterator[tuple[bool, str]]:
    """The stems of the two content words before it, unless a noun follows at once (*in many
    places*), and of that after it."""
    yield from ((True, after) for after in _object(sentence, word)[:1])
    if any(one.start == word.end + 1 for one in sentence.terms):
        return
    begin = max((one.end for one in sentence.directions if one.end <= word.start), default=0)
    before = [one for one in sentence.terms if begin <= one.start and one.end <= word.start][-2:]
    yield from (
        (False, one.stem) for one in before if not _COMMA.search(sentence.text, one.end, word.start)
    )


_COMMA: Final = re.compile(r"[,;:.()]")


def denied_otherwise(one: ParsedSentence, other: ParsedSentence) -> set[str]:
    """The first content word in the scope of each negation that the other sentence does not deny;
    none for a verb (*eliminated*), whose object may stand before it. And what each denies alone of
    what the other asserts alone: *in May, but not in June*, *in June, but not in May*."""
    tokens = content_tokens(one)
    starts = {token.start for token in tokens}
    scopes = (
        [token.key for token in tokens if each.end <= token.start < each.scope]
        for each in one.negations
        if each.start not in starts
    )
    (asserted, denied), (theirs, denied_there) = map(_asserted_and_denied, (one, other))
    known = denied_there | {
        t.key for t in content_tokens(other) if _HAS_NO.match(other.text, t.start)
    }
    firsts = [
        (keys[0], next((k for k in keys if k not in asserted), keys[0])) for keys in scopes if keys
    ]
    is_crossed = (denied_there - theirs) & (asserted - denied)
    crossed = (denied - asserted) & (theirs - denied_there) if is_crossed else set[str]()
    return crossed | {first for first, alone in firsts if known.isdisjoint((first, alone))}


def _asserted_and_denied(sentence: ParsedSentence) -> tuple[set[str], set[str]]:
    """The content words of clauses without a negation, and those in the scope of one."""
    asserted, denied = set[str](), set[str]()
    for token in content_tokens(sentence):
        if any(one.end <= token.start < one.scope for one in sentence.negations):
            denied.add(token.key)
        elif all(
            _BREAK.search(sentence.text, *sorted((token.start, one.start)))
            for one in sentence.negations
        ):
            asserted.add(token.key)
    return asserted, denied


_BREAK: Final = re.compile(r"[,;:]\s|\b(?:but|and|while|whereas)\b", re.IGNORECASE)
# *Needs no tuning*: does not need it.
_HAS_NO: Final = re.compile(r"\w+ no\b", re.IGNORECASE)


def idle_denials(one: ParsedSentence, other: ParsedSentence) -> int:
    """How many negations of a sentence deny nothing that the other one names, or only what they do
    not deny elsewhere: *in blocks, not in the sense of a block structure*."""
    denied = [
        {t.key for t in content_tokens(one) if each.end <= t.start < each.scope}
        for each in one.negations
    ]
    asserted = {
        token.key
        for token in content_tokens(one)
        if not any(each.end <= token.start < each.scope for each in one.negations)
    }
    named = {token.key for token in content_tokens(other)} - asserted
    return sum(keys.isdisjoint(named) for keys in denied)


def denies_the_other(claim: ParsedSentence, source: ParsedSentence) -> bool:
    """Whether a claim repeats a sentence, denies what that asserts and asserts what that denies:
    *A, and not B*, *B, and not A*."""
    known = {token.key for token in content_tokens(source)}
    claimed = {token.key for token in content_tokens(claim)}
    is_crossed = (
        denied_otherwise(claim, source) & known and denied_otherwise(source, claim) & claimed
    )
    return bool(is_crossed) and coverage(claim, stems_of(source)) >= _VERBATIM


def adds_negation(claim: ParsedSentence, source: ParsedSentence) -> bool:
    """Whether a claim repeats a sentence without negations and adds one."""
    # *avoids* and *few* do more than negate
    words = {one.start for one in claim.terms} | {one.start for one in claim.directions}
    only_negates = any(one.start not in words for one in claim.negations)
    is_added = only_negates and not source.negations
    return is_added and coverage(claim, stems_of(source)) >= _VERBATIM


def drops_negation(claim: ParsedSentence, source: ParsedSentence) -> bool:
    """Whether a claim repeats the parts of a sentence around each of its negations, without them.
    Two that may cancel each other out (*not without merit*) are not two parts."""
    starts = [one.start for one in source.negations]
    is_open = len(starts) > 1 and "without" in source.text.casefold().split()
    if claim.negations or not starts or is_open or coverage(claim, stems_of(source)) < _REPEATED:
        return False
    count, claimed = Counter(term.stem for term in source.terms), stems_of(claim)
    common = [term for term in source.terms if count[term.stem] == 1 and term.stem in claimed]
    parts = zip(source.negations, [*starts[1:], len(source.text)], strict=True)
    return any(term.end <= starts[0] for term in common) and all(
        any(one.end <= term.start < min(one.scope, end) for term in common) for one, end in parts
    )


def reversed_words(
    claim: ParsedSentence, source: ParsedSentence
) -> list[tuple[Direction, Direction]]:
    """Pairs of a direction word of the claim and the opposite one that stands between the same
    words in the source, if the rest is the same and equally denied."""
    words = {one.start for one in claim.directions}
    rest = claim._replace(terms=tuple(term for term in claim.terms if term.start not in words))
    is_same = coverage(rest, stems_of(source)) >= _SAME_SENTENCE
    if not is_same or _denies(claim) != _denies(source) or is_turned_round(claim, source):
        return []
    claimed, said = {one.word for one in claim.directions}, {one.word for one in source.directions}
    return [
        (mine, theirs)
        for mine in claim.directions
        if mine.word not in said
        and not any(
            are_aligned(mine, other) and _object(claim, mine) == _object(source, other)
            for other in source.directions
        )
        for theirs in source.directions
        if theirs.word not in claimed
        and are_opposed(mine, theirs)
        and mine.negated == theirs.negated
        and _stands_alike(_neighbours(claim, mine), _neighbours(source, theirs))
    ]


def has_swapped_sides(claim: ParsedSentence, source: ParsedSentence) -> bool:
    """Whether a claim repeats a comparison with its sides exchanged."""
    return _is_crossed(claim, source) and not _are_reversed(claim, source)


def is_turned_round(claim: ParsedSentence, source: ParsedSentence) -> bool:
    """Whether a claim says the same with exchanged sides and the opposite word: *B is lower than
    A* for *A is higher than B*."""
    return _is_crossed(claim, source) and _are_reversed(claim, source)


def changed_names(claim: ParsedSentence, source: ParsedSentence) -> tuple[tuple[str, str], ...]:
    """Pairs of a numbered name of the claim and one of the same series in the source: *IL-6* and
    *IL-8*, *Phase 2* and *Phase 3*. None if much else differs."""
    if coverage(claim, stems_of(source)) < _SAME_SENTENCE:
        return ()
    claim_names, source_names = _numbered_names(claim), _numbered_names(source)
    return tuple(
        (written, other)
        for (series, number), written in claim_names.items()
        if (series, number) not in source_names
        for (same, another), other in source_names.items()
        if same == series and (same, another) not in claim_names
    )


def _numbered_names(sentence: ParsedSentence) -> dict[tuple[str, str], str]:
    quantity_spans = [(one.start, one.end) for one in sentence.quantities]
    return {
        (match["series"].casefold(), match["number"]): match[0]
        for match in _NUMBERED.finditer(sentence.text)
        if not any(start < match.end() and match.start() < end for start, end in quantity_spans)
    }


_GOVERNOR: Final = re.compile(r"\b(?:by|of|in|on|at|for|with|to|into|from|than|over|as)\b", re.I)


def exchanges_numbered(claim: ParsedSentence, source: ParsedSentence) -> bool:
    """Whether two numbered names have changed places: *of A-6 in A-20*, *of A-20 in A-6*; *Phase 1
    comes before Phase 2*, *Phase 2 comes before Phase 1*."""
    mine, theirs = _governed_names(claim), _governed_names(source)
    return any(
        mine[one] == theirs[other] != mine[other] == theirs[one]
        or _between(claim, one, other) == _between(source, other, one) != ""
        for one, other in permutations(mine.keys() & theirs.keys(), 2)
    )


def _between(sentence: ParsedSentence, one: str, other: str) -> str:
    """The words from one name to the other, except those of a list."""
    text, found, _ = sentence.text.partition(one)[2].partition(other)
    return text if found and re.sub(r"\b(?:and|or)\b|\W", "", text) else ""


def _governed_names(sentence: ParsedSentence) -> dict[str, str]:
    """The preposition before each numbered name, "" for none."""
    found: dict[str, str] = {}
    for match in _NUMBERED.finditer(sentence.text):
        before = _GOVERNOR.findall(sentence.text, 0, match.start())
        found.setdefault(match[0], before[-1].casefold() if before else "")
    return {name: found[name] for name in _numbered_names(sentence).values()}


def _may_be_the_same(
    quantity: Quantity, sentence: ParsedSentence, counted: AbstractSet[str]
) -> bool:
    """Whether a number of another sentence may be one of the claim, whose numbers count
    ``counted``: it has a unit or three digits, or counts the same."""
    if quantity.unit or abs(quantity.value) >= _LARGE or quantity.value % 1:
        return True
    return not counted.isdisjoint(_counted_in_list(quantity, sentence))


_LIST: Final = re.compile(r",?\s(?:and|or)\s|,\s")


def _counted_in_list(quantity: Quantity, sentence: ParsedSentence) -> frozenset[str]:
    """What a number counts; one of a list, what the last of it counts: *0, 2 and 4 dB*."""
    for one in sentence.quantities:
        if one.start > quantity.end and _LIST.fullmatch(sentence.text, quantity.end, one.start):
            quantity = one
    return counted_stems(quantity, sentence.terms, sentence.text)


def _replaces(
    one: Quantity, claim: ParsedSentence, other: Quantity, source: ParsedSentence
) -> bool:
    counted_by_claim = counted_stems(one, claim.terms, claim.text)
    counted_by_source = counted_stems(other, source.terms, source.text)
    if not one.unit and one.kind == "number" and not counted_by_claim & counted_by_source:
        return False
    return is_comparable(one, counted_by_claim, other, counted_by_source)


def _denies(sentence: ParsedSentence) -> bool:
    """Whether there is a negation that is not a direction word (*few*, *hardly*)."""
    words = {one.start for one in sentence.directions}
    return any(one.start not in words for one in sentence.negations)


def _neighbours(sentence: ParsedSentence, word: Direction) -> tuple[Term | None, Term | None]:
    """The content words before and after a word."""
    before = [term for term in sentence.terms if term.end <= word.start]
    after = [term for term in sentence.terms if term.start >= word.end]
    return before[-1] if before else None, after[0] if after else None


def _object(sentence: ParsedSentence, word: Direction) -> list[str]:
    """The stems of the next two content words."""
    after = bisect_left(sentence.terms, word.end, key=lambda term: term.start)
    return [term.stem for term in sentence.terms[after : after + 2]]


def _stands_alike(
    mine: tuple[Term | None, Term | None], theirs: tuple[Term | None, Term | None]
) -> bool:
    """Whether the neighbours that the claim has are the same, at least one."""
    same = [
        other is not None and synonym_stem(one.stem) == synonym_stem(other.stem)
        for one, other in zip(mine, theirs, strict=True)
        if one is not None
    ]
    return bool(same) and all(same)


def _are_reversed(claim: ParsedSentence, source: ParsedSentence) -> bool:
    """Whether the words that compare are opposed."""
    mine, theirs = _comparing(claim), _comparing(source)
    return mine is not None and theirs is not None and are_opposed(mine, theirs)


def _comparing(sentence: ParsedSentence) -> Direction | None:
    """The direction word next before the comparison."""
    sides = comparison(sentence.text)
    before = [one for one in sentence.directions if sides and one.end <= sides.end()]
    return before[-1] if before else None


def _is_crossed(claim: ParsedSentence, source: ParsedSentence) -> bool:
    """Whether both compare, and what one compares with the other has before *than*."""
    mine, theirs = comparison(claim.text), comparison(source.text)
    if mine is None or theirs is None:
        return False
    left, right = _sides(claim, *mine.span())
    other_left, other_right = _sides(source, *theirs.span())
    crossed = len(left & other_right) + len(right & other_left)
    is_crossed = bool(left & other_right) and bool(right & other_left or not right)  # *than these*
    return is_crossed and crossed > len(right & other_right)


def _sides(sentence: ParsedSentence, middle: int, after: int) -> tuple[set[str], set[str]]:
    left = {t.stem for t in sentence.terms if t.end <= middle}
    right = {t.stem for t in sentence.terms if t.start >= after}
    return left - right, right - left
