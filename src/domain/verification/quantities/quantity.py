"""Quantities of prose: extraction with offsets, and the comparison of a claim's with a source's.

Extraction of quantities from prose, with offsets. A quantity is a number with its sign, magnitude,
unit and qualifier (about, at least). Ranges, confidence intervals and values with a spread are one
quantity each. Numbers within names are none: *IL-6*, *COVID-19*, *3D*, *Figure 2*, *[12]*,
versions, DOIs.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Final, Literal, NamedTuple

from citeloom.domain.text.terms import Term, stem

from .numerals import (
    ATOM,
    DECADE,
    EXPONENT,
    NUMERALS,
    ORDINALS,
    SHARES,
    TIMES_BEFORE,
    Atom,
    atom_of,
    in_base,
    power_of_ten,
    with_unit,
)

Kind = Literal["number", "range", "interval", "p-value", "year", "ordinal"]
Relation = Literal["=", "<", ">"]

#: Relative tolerance of approximate values.
TOLERANCE: Final = Decimal("0.05")
# "Over 500" is said of 523, hardly of 900: maximum ratio of a value and its bound.
_NEAR_BOUND: Final = Decimal("1.25")


class Quantity(NamedTuple):
    """A quantity at ``text[start:end]``.

    ``value`` includes its magnitude; of a range or interval it is the lower end, ``upper`` the
    other. ``spread`` is the value after ±, ``level`` the per cent of a confidence interval.
    ``unit`` is a name of ``units`` (``percent``, ``USD``, ``mg/kg``) or "".
    """

    start: int
    end: int
    text: str
    value: Decimal
    kind: Kind = "number"
    unit: str = ""
    upper: Decimal | None = None
    spread: Decimal | None = None
    level: Decimal | None = None
    relation: Relation = "="
    approximate: bool = False


def missing_quantities(
    claimed: Iterable[Quantity], stated: Iterable[Quantity]
) -> tuple[Quantity, ...]:
    """The quantities of a claim that the source does not state."""
    claimed, distinct = tuple(claimed), tuple({_nowhere(one): one for one in stated}.values())
    # "From one to four" is "1-4".
    for one in [one for one in distinct if one.kind == "range"]:
        if all(any(same_value(mine, end) for mine in claimed) for end in ends(one)):
            distinct += ends(one)
    known: dict[Quantity, bool] = {}
    missing = []
    for one in claimed:
        if (of_no_place := _nowhere(one)) not in known:
            known[of_no_place] = _is_stated(one, distinct)
        if not known[of_no_place]:
            missing.append(one)
    return tuple(missing)


def _nowhere(quantity: Quantity) -> Quantity:
    """The quantity whatever its place and wording."""
    return quantity._replace(start=0, end=0, text="")


def same_value(one: Quantity, other: Quantity) -> bool:
    """Whether ``other`` of a source supports ``one`` of a claim, ranges apart.

    Units are converted (2 h is 120 min), 25 % equals 0.25. Values are equal, or within 5 per
    cent if one is approximate, or near the claim's bound and within it."""
    if (one.kind == "ordinal") != (other.kind == "ordinal"):
        return False
    if (one.kind == "p-value") != (other.kind == "p-value"):
        return False
    value, unit = in_base(one.value, one.unit)
    other_value, other_unit = in_base(other.value, other.unit)
    if unit != other_unit:
        if {unit, other_unit} != {"percent", ""} or "" not in (one.unit, other.unit):
            return False
        bare, share = (value, other_value) if not unit else (other_value, value)
        return 0 < bare < 1 and bare * 100 == share
    if one.spread is not None and one.spread != other.spread:
        return False
    return _meets(one, other, value, other_value)


def _meets(one: Quantity, other: Quantity, value: Decimal, other_value: Decimal) -> bool:
    if value == other_value:
        return one.relation == other.relation or "=" in (one.relation, other.relation)
    if "year" not in (one.kind, other.kind) and (one.approximate or other.approximate):
        return abs(value - other_value) <= TOLERANCE * max(abs(value), abs(other_value))
    if one.kind == "p-value" and one.relation == "<":
        return other_value < value and other.relation != ">"
    if one.relation == ">":
        return value < other_value <= value * _NEAR_BOUND and other.relation != "<"
    if one.relation == "<":
        return other_value < value <= other_value * _NEAR_BOUND and other.relation != ">"
    return False


def _is_stated(one: Quantity, stated: Sequence[Quantity]) -> bool:
    if one.upper is None:
        if one.relation != "=" or one.approximate:
            stated = (*stated, *(end for other in stated for end in ends(other)))
        return any(same_value(one, other) for other in stated if other.upper is None)
    low, high = ends(one)
    for other in stated:
        other_ends = ends(other)
        if not other_ends or not (
            same_value(low, other_ends[0]) and same_value(high, other_ends[1])
        ):
            continue
        if one.level is None or other.level in (None, one.level):
            return True
    single = [other for other in stated if other.upper is None]
    return one.kind == "range" and all(
        any(same_value(end, other) for other in single) for end in (low, high)
    )


def ends(quantity: Quantity) -> tuple[Quantity, ...]:
    """Both ends of a range or interval as numbers; none of a single value."""
    if quantity.upper is None:
        return ()
    plain = quantity._replace(upper=None, kind="number", level=None)
    return plain, plain._replace(value=quantity.upper)


# "two short readings": maximum length of a counted noun phrase, in words.
_WORDS: Final = 3
# A plural ends the phrase.
_PLURAL: Final = re.compile(r"(?!\S*(?:ss|us|is)\Z)\S+s\Z|people\Z|(?:wo)?men\Z|children\Z")
_PHRASE: Final = re.compile(
    r"(?:\sor\s(?:more|fewer|less))?"
    r"(?:[\s\u00a0-]+(?!(?:to|in|for|with|and|or|by|at|on|from|than|as|per)\b)[^\W\d_][\w’'-]*)"
    rf"{{1,{_WORDS}}}"
)


def is_comparable(
    one: Quantity, counted: frozenset[str], other: Quantity, other_counted: frozenset[str]
) -> bool:
    """Whether two quantities measure the same: equal unit, or without units a common counted
    noun, or none on either side."""
    if one.unit != other.unit or one.kind != other.kind:
        return False
    return (
        bool(one.unit)
        or one.kind != "number"
        or bool(counted & other_counted)
        or not (counted or other_counted)
    )


def counted_stems(quantity: Quantity, terms: Iterable[Term], text: str) -> frozenset[str]:
    """The stem of the plural right after a number, else those of the words up to punctuation."""
    counted = _counted(quantity, terms, text)
    head = counted_plural(quantity, counted, text)
    return frozenset({head.stem} if head else {one.stem for one in counted})


def counted_plural(quantity: Quantity, terms: Iterable[Term], text: str) -> Term | None:
    """The plural that a number counts, within a few words."""
    counted = _counted(quantity, terms, text)
    return next((one for one in counted if _PLURAL.match(text[one.start : one.end])), None)


def _counted(quantity: Quantity, terms: Iterable[Term], text: str) -> list[Term]:
    phrase = _PHRASE.match(text, quantity.end)
    end = phrase.end() if phrase else quantity.end
    return [one for one in terms if quantity.end <= one.start < end]


def unstated(claimed: Iterable[Quantity], stated: Sequence[Quantity]) -> tuple[Quantity, ...]:
    """``missing_quantities``, except counts that an ordinal implies (*second*: two)."""
    ordinals = {one.value for one in stated if one.kind == "ordinal"}
    return tuple(
        one
        for one in missing_quantities(claimed, stated)
        if not (_is_count_in_words(one) and one.value in ordinals)
    )


def _is_count_in_words(one: Quantity) -> bool:
    return one.kind == "number" and not one.unit and one.text.isalpha()


_DASH: Final = "-\u2212\u2010\u2011\u2012\u2013\u2014"
_TEN: Final = re.compile(rf"(?<![\w.])10{EXPONENT}")
_BETWEEN: Final = re.compile(
    rf"\s?[{_DASH}]\s?|[{_DASH}]?\s(?:to|through)\s(?:about\s|approximately\s)?", re.IGNORECASE
)
_LISTED: Final = re.compile(r"(?:,\s|,?\s(?:and|or|to|versus|vs\.?)\s|/)")
_INTERVAL: Final = re.compile(
    r"(?P<level>\d{2}(?:\.\d+)?)\s?%\s?(?:-\s?)?(?:CIs?|CrI|confidence intervals?|"
    r"credible intervals?)(?:\s\(?CI\)?)?[\s:,=(\[]*(?:of|from|between)?\s*\Z"
    r"|\bCI\s?(?P<other>\d{2})?\s?%?[\s:,=(\[]*\Z",
    re.IGNORECASE,
)
_INTERVAL_MIDDLE: Final = re.compile(rf"\s?[{_DASH}]\s?|\s?[,;]\s?|\s(?:to|and)\s")
_P: Final = re.compile(
    r"(?<![\w])p(?:\s?[-\u2010\u2011]?\s?values?)?\s?(?:of\s)?"
    r"(?P<sign>[<>=≤≥]|less than|below|was|is|were)\s?\Z",
    re.IGNORECASE,
)
_P_RELATION: Final[dict[str, Relation]] = {
    "<": "<",
    "≤": "<",
    "less than": "<",
    "below": "<",
    ">": ">",
    "≥": ">",
}
_PLUS_MINUS: Final = re.compile(r"\s?(?:±|\+/[-\u2212\u2013])\s?")
_OR_MORE: Final = re.compile(r"\+|\sor\s(?:more|older|above|higher|greater|over)\b", re.IGNORECASE)
_OR_LESS: Final = re.compile(r"\sor\s(?:less|fewer|younger|below|lower|under)\b", re.IGNORECASE)
_REFERENCE: Final = re.compile(rf"\[\s?\d+(?:\s?[,;{_DASH}]\s?\d+)*\s?\]")
_ADDRESS: Final = re.compile(
    r"\b(?:https?://|www\.)\S+|\b10\.\d{4,9}/\S+|\b[^\s@]{1,64}@[^\s@]{1,255}\.\w+|\b\d+\.\d+\.\d+[\w.]*"
    r"|\b\d{1,2}:\d{2}\b"
)
_APPROXIMATE: Final = re.compile(
    r"(?:\b(?:about|approximately|approx\.?|roughly|around|nearly|almost|circa|ca\.?|some|"
    r"an estimated|close to|in the order of|on the order of)\s|[~≈∼]\s?)(?:a\s)?\Z",
    re.IGNORECASE,
)
_ABOVE: Final = re.compile(
    r"(?:\b(?:more than|over|above|at least|greater than|exceed(?:s|ed|ing)?|no less than|"
    r"upwards? of|a minimum of|from at least)\s|[>≥⩾]\s?)\Z",
    re.IGNORECASE,
)
_BELOW: Final = re.compile(
    r"(?:\b(?:less than|fewer than|under|below|at most|up to|no more than|not more than|"
    r"a maximum of|within)\s|[<≤⩽]\s?)\Z",
    re.IGNORECASE,
)
_YEAR_BEFORE: Final = re.compile(
    r"(?:\b(?:in|since|from|until|till|by|during|before|after|of|year|early|late|mid|to|and|"
    r"between|through|spring|summer|autumn|fall|winter|january|february|march|april|may|june|"
    r"july|august|september|october|november|december)[\s-]|[(,;©–-]\s?|'|\A)\Z",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(r"\s(?!was|is|has|as|does|this|us\b|its|thus|plus)[a-z]{3,}s\b")
# "To 1757 interactive students", where no year is as likely: not "in 2019 new students".
_OF_DATES_AND_COUNTS: Final = re.compile(r"(?:\b(?:to|and|of)\s|\A)\Z", re.IGNORECASE)
_COUNTED_LATER: Final = re.compile(
    r"(?:\s(?!(?:the|a|an|and|or|in|on|at|of|to|for|by|was|were|is|are|has|have|had|we|they|it|this"
    r"|that|with|as|when|who|which|while|but|after|before)\b)[a-z]+){1,2}"
    r"\s(?!was|is|has|as|does|this|us\b|its|thus|plus)[a-z]{4,}s\b"
)
_ORDINAL: Final = re.compile(
    rf"(?<![\w.])(?:(?P<digits>\d+)(?:st|nd|rd|th)\b"
    rf"|(?<=the\s)(?P<word>{'|'.join(ORDINALS)})\b)",
    re.IGNORECASE,
)
_SHARE: Final = re.compile(
    r"\b(?P<word>half(?=\s(?:of|the|a\b|an\b))|(?:a|one)\squarter(?=\sof)|three[\s-]quarters"
    r"|twice|thrice|doubled|tripled|quadrupled|halved)\b"
    r"|\b(?P<fold>two|three|four|five|six|seven|eight|nine|ten)fold\b",
    re.IGNORECASE,
)


def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text, in order, without overlap."""
    taken = bytearray(len(text))

    def take(start: int, end: int) -> None:
        taken[start:end] = b"\1" * (end - start)

    for match in _ADDRESS.finditer(text):
        take(*match.span())
    for match in _REFERENCE.finditer(text):
        if not _INTERVAL.search(text, max(0, match.start() - 40), match.start()):
            take(*match.span())
    result: list[Quantity] = []
    for quantity in (*_ordinals(text), *_shares(text), *_powers(text)):
        if not any(taken[quantity.start : quantity.end]):
            take(quantity.start, quantity.end)
            result.append(quantity)
    atoms = [
        atom
        for match in ATOM.finditer(text)
        if not any(taken[match.start() : match.end()]) and (atom := atom_of(text, match))
    ]
    result += _with_list_units(text, list(_combined_quantities(text, atoms)))
    return tuple(sorted(result))


def has_numeric_content(text: str) -> bool:
    """Whether a text states a quantity or a year."""
    return any(quantity.kind != "ordinal" for quantity in quantities(text))


def _combined_quantities(text: str, atoms: Sequence[Atom]) -> Iterator[Quantity]:
    """Single numbers, and ranges, intervals and spreads as one quantity each."""
    at = 0
    while at < len(atoms):
        one = atoms[at]
        other = atoms[at + 1] if at + 1 < len(atoms) else None
        before = text[max(0, one.start - 60) : one.start]
        between = text[one.end : other.start] if other else ""
        level = _INTERVAL.search(before + text[one.start : one.end])
        head = _INTERVAL.search(text[max(0, one.start - 1) : other.start]) if other else None
        if head and head.start() <= 1 and head["level"]:
            at += 1  # the 95 % of a confidence interval
            continue
        level = _INTERVAL.search(before)
        if other and level and _INTERVAL_MIDDLE.fullmatch(between):
            share = level["level"] or level["other"]
            yield _combine(text, one, other, "interval")._replace(
                level=Decimal(share) if share else None
            )
            at += 2
        elif other and _PLUS_MINUS.fullmatch(between):
            whole = _combine(text, one, other, "number")
            yield whole._replace(upper=None, spread=whole.upper)
            at += 2
        elif other and _is_range(before, between, one, other):
            yield _combine(text, one, other, "range")
            at += 2
        else:
            yield _single(text, one)
            at += 1


def _is_range(before: str, between: str, one: Atom, other: Atom) -> bool:
    if one.unit and other.unit and one.unit != other.unit:
        return False
    scale = other.magnitude if one.magnitude == 1 else Decimal(1)
    if one.value * scale >= other.value:
        return False
    if re.search(r"\bbetween\s\Z", before, re.IGNORECASE):
        return bool(re.fullmatch(r"\sand\s", between))
    is_dashed = re.fullmatch(rf"\s?[{_DASH}]\s?", between) is not None
    if re.search(r"\bfrom\s\Z", before, re.IGNORECASE) and not is_dashed:
        return bool(re.search(r"\b(?:rang|var)\w+\sfrom\s\Z", before, re.IGNORECASE)) and bool(
            _BETWEEN.fullmatch(between)
        )
    return bool(_BETWEEN.fullmatch(between))


def _combine(text: str, one: Atom, other: Atom, kind: Kind) -> Quantity:
    """One quantity of two ends; the first takes unit and magnitude of the second."""
    # "$3-5 billion": the magnitude is that of both.
    shares = kind == "range" and one.magnitude == 1
    scale = other.magnitude if shares else Decimal(1)
    low = one._replace(value=one.value * scale, unit=one.unit or other.unit)
    return _single(text, low)._replace(
        end=other.end, text=text[one.start : other.end], upper=other.value, kind=kind
    )


def _single(text: str, atom: Atom) -> Quantity:
    before = text[max(0, atom.start - 40) : atom.start]
    relation: Relation = "="
    kind: Kind = "number"
    if (p := _P.search(before)) and not atom.unit:
        kind = "p-value"
        relation = _P_RELATION.get(p["sign"].casefold(), "=")
    elif _ABOVE.search(before) or _OR_MORE.match(text, atom.end):
        relation = ">"
    elif _BELOW.search(before) or _OR_LESS.match(text, atom.end):
        relation = "<"
    elif _is_year(text, atom, before):
        kind = "year"
    return Quantity(
        start=atom.start,
        end=atom.end,
        text=text[atom.start : atom.end],
        value=atom.value,
        kind=kind,
        unit=atom.unit,
        relation=relation,
        approximate=bool(_APPROXIMATE.search(before)),
    )


def _is_year(text: str, atom: Atom, before: str) -> bool:
    """Four digits in the context of a date that count nothing."""
    if _OF_DATES_AND_COUNTS.search(before) and _COUNTED_LATER.match(text, atom.end):
        return False
    digits = text[atom.start : atom.end]
    return DECADE.fullmatch(digits) is not None or (
        re.fullmatch(r"(?:1[5-9]|2[01])\d\d", digits) is not None
        and _YEAR_BEFORE.search(before) is not None
        and not _COUNTED.match(text, atom.end)
    )


def _with_list_units(text: str, found: Sequence[Quantity]) -> list[Quantity]:
    """In "25, 30 and 40 %" all three are per cent."""
    given = list(found)
    for at in range(len(given) - 2, -1, -1):
        one, after = given[at], given[at + 1]
        if one.unit or not after.unit or one.kind != "number" or after.kind == "interval":
            continue
        if _LISTED.fullmatch(text[one.end : after.start]):
            given[at] = one._replace(unit=after.unit)
    return given


def _ordinals(text: str) -> Iterator[Quantity]:
    for match in _ORDINAL.finditer(text):
        value = int(match["digits"]) if match["digits"] else ORDINALS[match["word"].casefold()]
        yield Quantity(*match.span(), match[0], Decimal(value), kind="ordinal")


def _shares(text: str) -> Iterator[Quantity]:
    for match in _SHARE.finditer(text):
        if match["fold"]:
            value, unit = Decimal(NUMERALS[match["fold"].casefold()]), "fold"
        else:
            word = re.sub(r"[\s-]+", " ", match["word"].casefold())
            value, unit = SHARES[re.sub(r"^(?:a|one) ", "", word)]
        yield Quantity(*match.span(), match[0], value, unit=unit)


def _powers(text: str) -> Iterator[Quantity]:
    for match in _TEN.finditer(text):
        if not TIMES_BEFORE.search(text, max(0, match.start() - 12), match.start()):
            atom = with_unit(text, Atom(*match.span(), power_of_ten(match[0]), "", Decimal(1)))
            yield _single(text, atom)


# Not *the same metrics*, which may be several.
_ONE_OF: Final = re.compile(
    r"\b(?:a single|one and the same|the same) (?!\w*[^\Wisu]s\b)(\w+)", re.IGNORECASE
)
_SEVERAL_OF: Final = re.compile(
    r"\b(?:several|multiple|many|various|different) (\w+)", re.IGNORECASE
)


def several_for_one(claim: str, source: str) -> Iterator[str]:
    """*Several* and the like of the claim before what the source has once only: *several scopes*
    for *a single scope*; and *a single scope* for *several scopes*."""
    for mine, theirs in ((_SEVERAL_OF, _ONE_OF), (_ONE_OF, _SEVERAL_OF)):
        same, other = ({stem(one.casefold()) for one in p.findall(source)} for p in (mine, theirs))
        for found in mine.finditer(claim):
            if stem(found[1].casefold()) in other - same:
                yield found[0]
