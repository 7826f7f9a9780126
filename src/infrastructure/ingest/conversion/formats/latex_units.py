"""Numbers, units and quantities of LaTeX's package siunitx, as it prints them by default."""

import re
from typing import Final

from citeloom.domain.text.scripts import raised

_PREFIXES: Final = {
    "quecto": "q", "ronto": "r", "yocto": "y", "zepto": "z", "atto": "a", "femto": "f",
    "pico": "p", "nano": "n", "micro": "µ", "milli": "m", "centi": "c", "deci": "d", "deca": "da",
    "deka": "da", "hecto": "h", "kilo": "k", "mega": "M", "giga": "G", "tera": "T", "peta": "P",
    "exa": "E", "zetta": "Z", "yotta": "Y", "kibi": "Ki", "mebi": "Mi", "gibi": "Gi",
}  # fmt: skip
_UNITS: Final = {
    "ampere": "A", "candela": "cd", "kelvin": "K", "kilogram": "kg", "metre": "m", "meter": "m",
    "mole": "mol", "second": "s", "becquerel": "Bq", "celsius": "°C", "degreeCelsius": "°C",
    "coulomb": "C", "farad": "F", "gray": "Gy", "hertz": "Hz", "henry": "H", "joule": "J",
    "katal": "kat", "lumen": "lm", "lux": "lx", "newton": "N", "ohm": "Ω", "pascal": "Pa",
    "radian": "rad", "siemens": "S", "sievert": "Sv", "steradian": "sr", "tesla": "T",
    "volt": "V", "watt": "W", "weber": "Wb", "astronomicalunit": "au", "bel": "B",
    "dalton": "Da", "day": "d", "decibel": "dB", "degree": "°", "electronvolt": "eV",
    "hectare": "ha", "hour": "h", "litre": "L", "liter": "L", "arcminute": "′", "minute": "min",
    "arcsecond": "″", "neper": "Np", "tonne": "t", "gram": "g", "percent": r"\%", "bar": "bar",
    "angstrom": "Å", "barn": "b", "knot": "kn", "mmHg": "mmHg", "atomicmassunit": "u",
    "bit": "bit", "byte": "B", "parsec": "pc", "lightyear": "ly", "kg": "kg", "g": "g", "mg": "mg",
    "ug": "µg", "ng": "ng", "m": "m", "cm": "cm", "mm": "mm", "um": "µm", "nm": "nm", "pm": "pm",
    "km": "km", "dm": "dm", "s": "s", "ms": "ms", "us": "µs", "ns": "ns", "ps": "ps", "mol": "mol",
    "mmol": "mmol", "umol": "µmol", "nmol": "nmol", "kmol": "kmol", "l": "l", "L": "L",
    "ml": "ml", "mL": "mL", "ul": "µl", "uL": "µL", "K": "K", "Hz": "Hz", "kHz": "kHz",
    "MHz": "MHz", "GHz": "GHz", "mHz": "mHz", "THz": "THz", "N": "N", "mN": "mN", "kN": "kN",
    "Pa": "Pa", "kPa": "kPa", "MPa": "MPa", "GPa": "GPa", "mV": "mV", "V": "V", "kV": "kV",
    "uV": "µV", "A": "A", "mA": "mA", "uA": "µA", "nA": "nA", "W": "W", "mW": "mW", "kW": "kW",
    "MW": "MW", "uW": "µW", "J": "J", "kJ": "kJ", "kWh": "kW h", "eV": "eV", "keV": "keV",
    "MeV": "MeV", "GeV": "GeV", "TeV": "TeV", "meV": "meV", "kohm": "kΩ", "dB": "dB",
    "F": "F", "pF": "pF", "nF": "nF", "uF": "µF",
}  # fmt: skip
_TOKEN: Final = re.compile(
    r"\\(?P<name>[A-Za-z]+)\s*(?:\{(?P<argument>[^{}]*)\})?"
    r"|(?P<power>\^\s*(?:\{[^{}]*\}|\S))|(?P<dot>[.~]|\\[,;: ])|(?P<other>[^\\^.~\s{}]+)"
)
_NO_SPACE: Final = ("°", "′", "″")


def number_text(source: str) -> str:
    """A number, or several with semicolons: ``1e5``, ``1.2 +- 0.3``, ``2 x 3``."""
    parts = [_number(part) for part in source.split(";") if part.strip()]
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)


def _number(source: str) -> str:
    text = re.sub(r"[\s{}$~]|\\,", "", source)
    text = re.sub(r"\+-|\\pm(?![A-Za-z])", " ± ", text)
    text = re.sub(r"(?<=\d)x(?=[\d.-])|\\times(?![A-Za-z])", " × ", text)
    text = re.sub(r"(?<![eEdD])-", "\N{MINUS SIGN}", text)
    power = re.search(r"[eEdD]([+-]?)(\d+)\Z", text)
    if power is not None:
        sign = "-" if power[1] == "-" else ""
        head = text[: power.start()]
        ten = f"10{raised(sign + power[2], '10')}"
        text = f"{head} × {ten}" if head else ten
    return re.sub(r"^\\(?:approx|sim)", "~", text)


def unit_text(source: str, options: str = "") -> str:
    """A unit: ``\\metre\\per\\second``, ``m.s^{-1}``. With ``per-mode=symbol`` it has a slash."""
    units: list[tuple[str, int]] = []
    prefix, sign, power = "", 1, 1
    for token in _TOKEN.finditer(source):
        name, argument = token["name"], token["argument"]
        if name == "per":
            sign = -1
        elif name in _PREFIXES:
            prefix = _PREFIXES[name]
        elif name in ("square", "cubic"):
            power = 2 if name == "square" else 3
        elif name in ("squared", "cubed", "tothe") and units:
            exponent = {"squared": "2", "cubed": "3"}.get(name, argument or "1")
            units[-1] = (units[-1][0], units[-1][1] * _whole(exponent))
        elif name == "raiseto":
            power = _whole(argument or "1")
        elif name in ("of", "highlight") and units:
            units[-1] = (f"{units[-1][0]}({argument or ''})", units[-1][1])
        elif token["power"] and units:
            units[-1] = (units[-1][0], units[-1][1] * _whole(token["power"].strip("^{} ")))
        elif name or token["other"]:
            unit = _UNITS.get(name, name) if name else token["other"]
            units.append((prefix + unit, sign * power))
            prefix, sign, power = "", 1, 1
    return _printed(units, is_slashed=re.search(r"per-mode\s*=\s*\w*symbol", options) is not None)


def _printed(units: list[tuple[str, int]], *, is_slashed: bool) -> str:
    def one(unit: str, power: int) -> str:
        return unit if power == 1 else unit + raised(str(power), unit)

    above = [one(unit, power) for unit, power in units if power > 0 or not is_slashed]
    below = [one(unit, -power) for unit, power in units if power < 0 and is_slashed]
    under = f"({' '.join(below)})" if len(below) > 1 else "".join(below)
    return f"{' '.join(above) or '1'}/{under}" if below else " ".join(above)


def _whole(text: str) -> int:
    found = re.fullmatch(r"\s*([+-]?\d+)\s*", text.replace("\N{MINUS SIGN}", "-"))
    return int(found[1]) if found is not None else 1


def quantity_text(number: str, unit: str, options: str = "", *, to: str | None = None) -> str:
    """A number with its unit, or a range ``to`` another number."""
    units = unit_text(unit, options)
    space = "" if units in _NO_SPACE or not units else " "

    def one(value: str) -> str:
        return f"{number_text(value)}{space}{units}" if value.strip() else units

    if to is not None:
        return f"{one(number)} to {one(to)}"
    parts = [one(part) for part in number.split(";")]
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
