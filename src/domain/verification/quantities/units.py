"""Tables of units, magnitude words and numerals of English prose.

Each unit has one name (*mg* for *milligrams*) and, where units are convertible (*min*, *h*), a
base unit with a factor. Factors are those of the SI brochure (9th edition, 2019); a year has
12 months, a week 7 days.
"""

from decimal import Decimal
from typing import Final

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
KB: kilobytes kB
MB: megabytes megabyte
GB: gigabytes gigabyte
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
