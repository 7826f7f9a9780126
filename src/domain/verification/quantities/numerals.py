"""Numerals, magnitude words and units of English prose.

Tables of units, magnitude words and numerals of English prose. Each unit has one name (*mg* for
*milligrams*) and, where units are convertible (*min*, *h*), a base unit with a factor. Factors are
those of the SI brochure (9th edition, 2019); a year has 12 months, a week 7 days.
"""

import re
from decimal import Decimal
from typing import Final, NamedTuple

#: Words and letters after a number that multiply it (short scale).
MAGNITUDES: Final = {
    "hundred": Decimal(100),
    "thousand": Decimal(1000),
    "million": Decimal(10) ** 6,
    "billion": Decimal(10) ** 9,
    "trillion": Decimal(10) ** 12,
    "thousands": Decimal(1000),
    "millions": Decimal(10) ** 6,
    "billions": Decimal(10) ** 9,
    "mn": Decimal(10) ** 6,
    "bn": Decimal(10) ** 9,
    "tn": Decimal(10) ** 12,
    "k": Decimal(1000),
    "K": Decimal(1000),
    "M": Decimal(10) ** 6,
    "B": Decimal(10) ** 9,
    "T": Decimal(10) ** 12,
}
CURRENCIES: Final = {
    "$": "USD",
    "US$": "USD",
    "USD": "USD",
    "dollar": "USD",
    "dollars": "USD",
    "€": "EUR",
    "EUR": "EUR",
    "euro": "EUR",
    "euros": "EUR",
    "£": "GBP",
    "GBP": "GBP",
    "¥": "JPY",
    "JPY": "JPY",
    "yen": "JPY",
    "CHF": "CHF",
    "₹": "INR",
    "INR": "INR",
}

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMERALS: Final = {
    **{word: value for value, word in enumerate(_ONES)},
    **{word: 10 * value for value, word in enumerate(_TENS, start=2)},
    **{
        f"{ten}-{one}": 10 * tens + value
        for tens, ten in enumerate(_TENS, start=2)
        for value, one in enumerate(_ONES[1:10], start=1)
    },
    "dozen": 12,
}
ORDINALS: Final = {
    word: value
    for value, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth".split(), start=1
    )
}
#: Words of shares and multiples: value and unit.
SHARES: Final = {
    "half": (Decimal(50), "percent"),
    "quarter": (Decimal(25), "percent"),
    "three quarters": (Decimal(75), "percent"),
    "twice": (Decimal(2), "fold"),
    "thrice": (Decimal(3), "fold"),
    "doubled": (Decimal(2), "fold"),
    "tripled": (Decimal(3), "fold"),
    "quadrupled": (Decimal(4), "fold"),
    "halved": (Decimal("0.5"), "fold"),
}

# Spellings of units, the name first; case-sensitive.
_WRITTEN = """
percent: % ٪ per-cent percentage-points percentage-point pct
fold: folds times ×
milliseconds: ms msec millisecond
seconds: second sec secs s
minutes: minute min mins
hours: hour hr hrs h
days: day d
weeks: week wk wks
months: month mo
years: year yr yrs y
decades: decade
ng: nanogram nanograms
µg: ug mcg microg microgram micrograms
mg: milligram milligrams
g: gram grams
kg: kilogram kilograms kgs
nm: nanometre nanometres nanometer nanometers
µm: um microm micrometre micrometres micrometer micrometers
mm: millimetre millimetres millimeter millimeters
cm: centimetre centimetres centimeter centimeters
m: metre metres meter meters
km: kilometre kilometres kilometer kilometers
miles: mile
µl: ul µL uL microlitre microlitres microliter microliters
ml: mL millilitre millilitres milliliter milliliters
dl: dL decilitre decilitres deciliter deciliters
l: L litre litres liter liters
nM: nanomolar
µM: uM micromolar
mM: millimolar
M: molar
nmol: nanomol nanomoles
µmol: umol micromol micromoles
mmol: millimol millimoles
mol: moles
°C: ℃ degC
°F: ℉ degF
°: degrees degree
K: kelvin
Hz: hertz
kHz: kilohertz
MHz: megahertz
GHz: gigahertz
KB: kilobytes kilobyte kB kbytes kbyte Kbytes Kbyte
MB: megabytes megabyte Mbytes Mbyte
GB: gigabytes gigabyte Gbytes Gbyte
TB: terabytes terabyte
V: volts volt
mV: millivolts
W: watts watt
kW: kilowatts
MW: megawatts
kWh: kilowatt-hours
J: joules joule
kJ: kilojoules
kcal: kilocalories
Pa: pascal
kPa: kilopascal
mmHg: mm-Hg
bp: basepairs
kDa: kilodaltons
IU: iu
"""
UNITS: Final = {
    written.replace("-", " "): line.partition(":")[0]
    for line in _WRITTEN.strip().splitlines()
    for written in (line.partition(":")[0], *line.partition(":")[2].split())
}
#: Base unit and conversion factor of a unit.
BASES: Final = {
    name: (base, Decimal(factor))
    for name, base, factor in (
        ("milliseconds", "seconds", "0.001"),
        ("minutes", "seconds", "60"),
        ("hours", "seconds", "3600"),
        ("weeks", "days", "7"),
        ("years", "months", "12"),
        ("decades", "months", "120"),
        ("ng", "g", "1e-9"),
        ("µg", "g", "1e-6"),
        ("mg", "g", "1e-3"),
        ("kg", "g", "1e3"),
        ("nm", "m", "1e-9"),
        ("µm", "m", "1e-6"),
        ("mm", "m", "1e-3"),
        ("cm", "m", "1e-2"),
        ("km", "m", "1e3"),
        ("µl", "l", "1e-6"),
        ("ml", "l", "1e-3"),
        ("dl", "l", "0.1"),
        ("nM", "M", "1e-9"),
        ("µM", "M", "1e-6"),
        ("mM", "M", "1e-3"),
        ("kHz", "Hz", "1e3"),
        ("MHz", "Hz", "1e6"),
        ("GHz", "Hz", "1e9"),
    )
}


def in_base(value: Decimal, unit: str) -> tuple[Decimal, str]:
    """A value converted to its base unit."""
    base, factor = BASES.get(unit, (unit, Decimal(1)))
    return value * factor, base


MINUS: Final = "-\u2212\u2010\u2011\u2012\u2013"
_SUPER: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
#: What may stand behind the 10 of a power.
EXPONENT: Final = (
    rf"(?:[\s$\u2060]{{0,4}}(?:\^|\*\*)[\s$\u2060]{{0,4}}[{{(]?[$\u2060]{{0,4}}[{MINUS}+]?\d+"
    r"(?:[\u2060$]{0,4}[})^])?"
    r"|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+(?![,;–][⁰¹²³⁴⁵⁶⁷⁸⁹]))"
)
_PLAIN: Final = (
    r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,]*\d)|\d{1,3}(?:[\u00a0\u2009\u202f]\d{3})+(?!\d)"
    r"|\d+[.\u00b7]\d+(?:[eE][-\u2212+]?\d+)?|\d+,\d{1,2}(?![\d,])"
    r"|\d+(?:[eE][-\u2212+]?\d+)?|\.\d+"
)
_TIMES: Final = r"[\s$\u2060]{0,4}(?:[×x·*\u22c5]|\\times\b|\\cdot\b)[\s$\u2060]{0,4}"
_POWER: Final = rf"{_TIMES}10(?:{EXPONENT}|[{MINUS}]\d+)"
TIMES_BEFORE: Final = re.compile(rf"\d{_TIMES}\Z")
_CURRENCY: Final = r"US\$|[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|INR|JPY)(?=\s?\d)"
_NUMERAL: Final = "|".join(
    word.replace("-", "[- ]") for word in sorted(NUMERALS, key=len, reverse=True)
)
_NUMERAL_WORD: Final = re.compile(rf"\b(?:{_NUMERAL}|a|hundred|thousand)\b")
# *Two hundred and twelve*, *three thousand two hundred and ten*, *two hundred thousand*; not
# *between one hundred and two hundred*, *one hundred five-year-olds*.
_LAST: Final = rf",?\s(?:and\s)?(?:{_NUMERAL})(?![^\W\d_]|[\s-]hundred|-\w)"
_MORE: Final = (
    rf"[\s-]thousand,?\s(?:and\s)?(?:a|{_NUMERAL})[\s-]hundred(?:{_LAST})?"
    rf"|[\s-](?:hundred|thousand)(?:{_LAST}|(?=\s(?:thousand|million|billion)\b))"
)
_MAGNITUDE: Final = "|".join(
    rf"(?:\s|-)?{word}\b" if len(word) > 2 else rf"{word}\b(?!/)" for word in MAGNITUDES
)
ATOM: Final = re.compile(
    rf"(?P<sign>(?<![\w\]).%])(?<!\d\s)[{MINUS}+](?=[$€£¥]?[\d.]))?"
    rf"(?P<currency>{_CURRENCY})?\s?"
    rf"(?:(?P<number>(?<![\w.])(?:{_PLAIN}))(?P<power>{_POWER})?"
    rf"|(?<![\w-])(?P<word>(?:{_NUMERAL}|a(?=\s(?:hundred|thousand|million|billion)\b))"
    rf"(?:{_MORE})?)(?![^\W\d_]))"
    rf"(?P<magnitude>{_MAGNITUDE})?",
    re.IGNORECASE,
)
_UNIT_WORDS: Final = "|".join(
    re.escape(unit).replace(r"\ ", r"[\s-]") for unit in sorted(UNITS, key=len, reverse=True)
)
_UNIT: Final = re.compile(
    rf"\s?(?:(?<=\s)|-|(?<=[\d%]))?(?P<unit>(?:{_UNIT_WORDS})"
    rf"(?:\s?/\s?(?:{_UNIT_WORDS})|\s(?:{_UNIT_WORDS})⁻[¹²³])*)(?![^\W\d_]|\d)(?<!×(?=\s\d))"
)
_MONEY: Final = re.compile(r"\s?(?P<unit>dollars?|euros?|yen|USD|EUR|GBP|CHF)\b", re.IGNORECASE)
_LABEL: Final = re.compile(
    r"(?:\b(?:fig(?:ure)?s?|tab(?:le)?s?|eqn?s?|equations?|sec(?:tion)?s?|chap(?:ter)?s?|refs?|"
    r"references?|appendix|algorithm|theorem|lemma|definition|listing|version|v|pp|pages?|"
    r"vol(?:ume)?|issue|phase|type|grade|stage|exercise|lesson|module|doi|isbn|arxiv)\.?\s?"
    r"(?:\d[\w.]*(?:\s?(?:[-–,&]|and)\s?))?\(?)\Z",
    re.IGNORECASE,
)
DECADE: Final = re.compile(r"(?:1[5-9]|20)\d0s")
_PREFIXES: Final = frozenset("mid pre post late early in of is".split())
# "One" is a numeral before a counted noun, else a pronoun.
_PRONOUN_BEFORE: Final = re.compile(
    r"\b(?:no|any|each|every|this|that|which|the|another|some|other|first|last|than|as)\s\Z",
    re.IGNORECASE,
)
_PRONOUN_AFTER: Final = re.compile(
    r"\sto\s(?!(?:two|three|four|five|six|seven|eight|nine|ten|twelve|\d))"
    r"|\s(?:of|another|an|can|could|should|may|might|must|would|or|is|was|who|that|which|"
    r"hand|side|way|has|had|needs|wants|cannot|does|by|at|in|for|and|as|with)\b|\s?[^\s\w]|\s?\Z",
    re.IGNORECASE,
)


class Atom(NamedTuple):
    """A single number, before ranges and intervals are combined."""

    start: int
    end: int
    value: Decimal
    unit: str
    magnitude: Decimal


def atom_of(text: str, match: re.Match[str]) -> Atom | None:
    """The number of a match of ``ATOM`` with its unit; None if it is part of a name."""
    start, end = match.start(), match.end()
    while text[start] in " \t\n\u00a0":
        start += 1
    before = text[max(0, start - 40) : start]
    if match["number"] and _is_labelled(before):
        return None
    value = _value(match)
    magnitude = Decimal(1)
    if written := (match["magnitude"] or "").strip(" -\n\t\u00a0"):
        known = MAGNITUDES.get(written if len(written) <= 2 else written.casefold())
        if match["currency"] and known is None:
            known = MAGNITUDES.get(written.upper())
        if known is None or (written == "T" and not match["currency"]):
            end = match.start("magnitude")
        else:
            magnitude = known
    unit = CURRENCIES.get((match["currency"] or "").upper(), "")
    is_one = match["word"] and match["word"].casefold() == "one" and magnitude == 1
    if is_one and (_PRONOUN_BEFORE.search(before) or _PRONOUN_AFTER.match(text, end)):
        return None
    if money := _MONEY.match(text, end):
        end, unit = money.end(), unit or CURRENCIES.get(money["unit"].casefold()) or money["unit"]
    elif DECADE.fullmatch(text[start : end + 1]):
        end += 1
    elif not unit and (measured := _UNIT.match(text, end)):
        end, unit = measured.end(), _unit_name(measured["unit"])
    elif match["number"] and magnitude == 1 and _is_name(text, end):
        return None
    return Atom(start, end, value * magnitude, unit, magnitude)


def with_unit(text: str, atom: Atom) -> Atom:
    """A number with the unit behind it, if there is one."""
    measured = _UNIT.match(text, atom.end)
    if measured is None:
        return atom
    return atom._replace(end=measured.end(), unit=_unit_name(measured["unit"]))


def _value(match: re.Match[str]) -> Decimal:
    if match["word"]:
        return _in_words(match["word"].casefold())
    digits = match["number"].replace("\u2212", "-").replace("\u00b7", ".")
    if re.fullmatch(r"\d+,\d{1,2}", digits):
        digits = digits.replace(",", ".")
    value = Decimal(re.sub(r"[,\u00a0\u2009\u202f]", "", digits))
    if match["power"]:
        value *= power_of_ten(match["power"])
    return -value if (match["sign"] or "+") != "+" else value


def _in_words(written: str) -> Decimal:
    whole, found = Decimal(0), Decimal(0)
    for word in _NUMERAL_WORD.findall(written):
        if word == "thousand":
            whole, found = whole + found * MAGNITUDES[word], Decimal(0)
        elif word == "hundred":
            found *= MAGNITUDES[word]
        else:
            found += NUMERALS.get(re.sub(r"\s", "-", word), 1)
    return whole + found


def power_of_ten(written: str) -> Decimal:
    exponent = written[written.index("10") + 2 :].translate(_SUPER)
    exponent = re.sub(rf"[{MINUS}]", "-", re.sub(r"[\s^{}()*$\u2060]", "", exponent))
    # No quantity of the literature lies beyond; an exponent may be a misread reference.
    return Decimal(10) ** max(-400, min(400, int(exponent)))


def _unit_name(written: str) -> str:
    parts = re.split(r"\s?/\s?", re.sub(r"\s(\S+)⁻[¹²³]", r"/\1", re.sub(r"[\s-]+", " ", written)))
    return "/".join(UNITS.get(part, part) for part in parts)


def _is_name(text: str, end: int) -> bool:
    """Whether the text after a number makes it a name: *3D*, *4-PBA*, but not *20-item*."""
    rest = text[end : end + 24].lstrip("⁰¹²³⁴⁵⁶⁷⁸⁹")
    if re.match(r"[^\W\d_]", rest):
        return True
    hyphened = re.match(r"[-\u2010\u2011'\u2032]([^\W\d_]+)", rest)
    return hyphened is not None and not (len(hyphened[1]) > 2 and hyphened[1].islower())


def _is_labelled(before: str) -> bool:
    """Whether the text before a number makes it a name: *Figure 2*, *IL-6*."""
    if _LABEL.search(before):
        return True
    hyphened = re.search(r"([^\W\d_]+)[-\u2010\u2011]\Z", before)
    return hyphened is not None and hyphened[1].casefold() not in _PREFIXES
