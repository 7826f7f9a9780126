"""Variables of CSL: dates, numbers, names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from citeloom.domain.citation.locators import RangeFormat, page_range, to_roman
from citeloom.domain.references.dates import csl_date
from citeloom.infrastructure.citation.csl.style import Locale


@dataclass(frozen=True, slots=True)
class Moment:
    """A year with month and day where known; ``season`` is 1 (spring) to 4."""

    year: int
    month: int | None = None
    day: int | None = None
    season: int | None = None


@dataclass(frozen=True, slots=True)
class DateValue:
    """One date, or a range; an ``open`` range has no end. ``literal`` is the text of a date that
    cannot be parsed."""

    start: Moment | None = None
    end: Moment | None = None
    open: bool = False
    literal: str | None = None
    circa: bool = False
    season: str | None = None


def read_date(value: Any) -> DateValue | None:
    """A CSL date variable, EDTF, or a date in words; None if empty. Words count beside date parts
    only if they are more precise (``June 27, 2014`` beside ``[[2014]]``)."""
    if isinstance(value, str | int):
        return _parse_text(str(value))
    if not isinstance(value, Mapping):
        return None
    circa = bool(value.get("circa"))
    moments = [m for m in map(_moment, _parts(value.get("date-parts"))) if m]
    literal = next(
        (str(value[key]).strip() for key in ("literal", "raw", "edtf") if value.get(key)), ""
    )
    parsed = _parse_text(literal) if literal else None
    if not moments:
        if parsed is None:
            return None
        return replace(parsed, circa=circa or parsed.circa)
    first = moments[0]
    if parsed and parsed.start and parsed.start.year == first.year and not first.month:
        return replace(parsed, circa=circa or parsed.circa)
    season = value.get("season")
    season_name = None
    if season is not None and first.month is None:
        if str(season) in {"1", "2", "3", "4"}:
            first = Moment(first.year, season=int(season))
        else:
            season_name = str(season)
    parts = _parts(value.get("date-parts"))
    is_open = len(parts) > 1 and len(moments) == 1
    end = moments[1] if len(moments) > 1 else None
    return DateValue(first, end, is_open, circa=circa, season=season_name)


def _parts(value: Any) -> list[Any]:
    if not isinstance(value, list):
        return []
    return value if all(isinstance(part, list) for part in value) else [value]


def _moment(parts: list[Any]) -> Moment | None:
    numbers: list[int] = []
    for part in parts[:3]:
        try:
            numbers.append(int(part))
        except (TypeError, ValueError, OverflowError):
            break
    if not numbers or numbers[0] == 0:
        return None
    month = numbers[1] if len(numbers) > 1 else 0
    if month > 12:  # EDTF: 21 to 24 are seasons; CSL-JSON of others has 13 to 16
        return Moment(numbers[0], season=(month - 1) % 4 + 1 if month in range(13, 25) else None)
    if not month:
        return Moment(numbers[0])
    return Moment(numbers[0], month, (numbers[2] if len(numbers) > 2 else 0) or None)


def _parse_text(text: str) -> DateValue | None:
    date = csl_date(text) if text.strip() else {}
    return DateValue(literal=text.strip()) if "literal" in date else read_date(date)


# CSL 1.0.2, appendix "Variables", number variables; page apart.
NUMBERS = frozenset(
    "chapter-number citation-number collection-number edition issue locator number "
    "number-of-pages number-of-volumes page page-first part-number printing-number section "
    "supplement-number version volume".split()
)
# With letters before or behind, or in small Roman numerals (to lxxxix: "mix" is a word).
_ONE = r"(?:[A-Za-z]*\d+[A-Za-z]*|(?=[ivxl])(?:xl|l?x{0,3})(?:ix|iv|v?i{0,3}))"
_NUMERIC = re.compile(rf"{_ONE}(?:\s*(?:[,&\-\u2013]|and|/)\s*{_ONE})*")
_SEVERAL = re.compile(r"[\w.]\s*(?:[,&]|-+|\u2013|and)\s*\w")


def is_numeric(text: str) -> bool:
    """CSL's ``is-numeric``: numbers with letters before or behind, alone or in lists and
    ranges."""
    return bool(_NUMERIC.fullmatch(text.strip()))


def is_plural(variable: str, text: str) -> bool:
    """Whether the label of this content takes the plural form."""
    if variable.startswith("number-of-"):
        number = text.strip()
        return number.isdecimal() and number.lstrip("0") not in ("", "1")
    if not re.search(r"\d|^[ivxlc]+\b", text.strip(), re.IGNORECASE):
        return False
    return bool(_SEVERAL.search(text))


def format_number(text: str, variable: str, pages: RangeFormat, dash: str) -> str:
    """A number variable as text: ranges get the dash, page ranges the style's format."""
    if variable == "page" or variable == "locator":
        return page_range(text, pages, dash)
    if is_numeric(text):
        return re.sub(r"(?<=\w)\s*-\s*(?=\w)", dash, re.sub(r"\s*,\s*", ", ", text))
    return text


def number_in_form(text: str, form: str, locale: Locale) -> str:
    """Each number of ``text`` as ``numeric``, ``ordinal``, ``long-ordinal`` or ``roman``."""
    if form in ("", "numeric") or not is_numeric(text):
        return format_number(text, "number", RangeFormat.AS_IT_IS, "–")

    def change(match: re.Match[str]) -> str:
        number = int(match.group())
        if form == "roman":
            return roman(number)
        if form == "long-ordinal" and number <= 10:
            return locale.term(f"long-ordinal-{number:02}") or ordinal(number, locale)
        return ordinal(number, locale)

    return re.sub(
        r"(?<![A-Za-z\d])\d+(?![A-Za-z\d])",
        change,
        format_number(text, "number", RangeFormat.AS_IT_IS, "–"),
    )


def ordinal(number: int, locale: Locale) -> str:
    """``2nd``: the term of the whole number, of its last two digits, of its last one, or the
    general one."""
    terms = [f"ordinal-{number:02}"] if number < 100 else []
    terms += [f"ordinal-{number % 100:02}"] if number % 100 >= 10 else []
    terms += [f"ordinal-{number % 10:02}", "ordinal"]
    suffix = next((term for name in terms if (term := locale.term(name)) is not None), "")
    return f"{number}{suffix}"


def roman(number: int) -> str:
    return to_roman(number) if 0 < number < 4000 else str(number)


# Capitals of the Latin, Greek, Cyrillic and Armenian scripts.
_CAPITALS = "".join(char for char in map(chr, range(0x590)) if char.isupper()) + "".join(
    char for char in map(chr, range(0x1E00, 0x2000)) if char.isupper() or char.istitle()
)
_SMALL = rf"[^\W\d_{_CAPITALS}]"
# Particles that stay with the family name: words in small letters before it, of any language.
_BEFORE = re.compile(
    rf"((?:(?:{_SMALL}+\.?|{_SMALL}{{1,2}}['’])(?:\s+|(?<=['’])))+|{_SMALL}{{1,3}}(?:['’]|-))"
    r"(?=[^\W\d_])"
)
_AFTER = re.compile(rf"(?<=\s)((?:{_SMALL}{{2,}}\.?\s+)*{_SMALL}{{2,}})$")
_JOINS = frozenset({"and", "und", "et", "y", "e", "og", "och", "en"})
_SUFFIX = re.compile(r"^(.*?),!?\s*((?:jr|sr|esq|ph\.?d|m\.?d)\.?|[IVX]+)$", re.IGNORECASE)
# Scripts whose names are written in one piece, family first.
_JOINED_SCRIPT = re.compile(r"[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class Person:
    """``literal`` is a name in one piece (of an institution); otherwise the parts of a name."""

    family: str = ""
    given: str = ""
    dropping: str = ""
    particle: str = ""
    suffix: str = ""
    literal: str = ""

    @property
    def stands_for_others(self) -> bool:
        """Words for further authors, as pandoc and its citation processor write them."""
        return self.literal == "others"

    @property
    def is_joined(self) -> bool:
        return bool(_JOINED_SCRIPT.match(self.family or self.given))


def read_people(value: Any) -> tuple[Person, ...]:
    """The people of a CSL name variable; entries without a name are left out."""
    people = value if isinstance(value, list) else [value]
    return tuple(person for one in people if (person := _person(one)) is not None)


def _person(value: Any) -> Person | None:
    if isinstance(value, str):
        value = {"literal": value}
    if not isinstance(value, Mapping):
        return None
    literal = _text(value, "literal") or _text(value, "name")
    family, given = _text(value, "family"), _text(value, "given")
    if literal:
        return Person(literal=literal)
    if not family:
        return Person(family=given) if given else None
    dropping = _text(value, "dropping-particle")
    particle = _text(value, "non-dropping-particle")
    suffix = _text(value, "suffix")
    if not suffix and (match := _SUFFIX.match(given)):
        given, suffix = match.group(1), match.group(2)
    if family[0] in '"“' and family[-1] in '"”':
        family = family[1:-1]
    elif not particle and (match := _BEFORE.match(family)) and match.group().islower():
        particle, family = match.group(1).rstrip(), family[match.end() :]
    match = None if dropping else _AFTER.search(given)
    if match and match.group(1).islower() and match.group(1) not in _JOINS:
        dropping, given = match.group(1), given[: match.start()].rstrip()
    return Person(
        family=family,
        given=given,
        dropping=dropping.replace("'", "’"),
        particle=particle.replace("'", "’"),
        suffix=suffix,
    )


def _text(value: Mapping[str, Any], key: str) -> str:
    part = value.get(key)
    return " ".join(str(part).split()) if isinstance(part, str | int) else ""


def initials(given: str, mark: str, *, hyphen: bool, shorten: bool = True) -> str:
    """``Jean-Paul M.`` as ``J.-P. M.`` for the mark ``". "``; abbreviations such as ``Th.`` and
    lower-case words stay. Without ``shorten`` only existing initials get the mark."""
    words: list[str] = []
    for word in re.findall(r"[(\[][^)\]]*[)\]]|[^\s.]+\.?", re.sub(r"[\u2010\u2011]", "-", given)):
        if word[0].islower() or not (word[0].isalpha() or word[0] == "-"):
            words.append(f" {word} ")
            continue
        if not shorten:
            letter = word.rstrip(".")
            after_hyphen = letter.startswith("-") and bool(words)
            is_initial = len(letter.lstrip("-")) == 1 and letter.isupper()
            if is_initial and after_hyphen:
                words[-1] = words[-1].rstrip()
            words.append(f"{letter}{mark}" if is_initial else f" {word} ")
            continue
        pieces = [piece for piece in word.split("-") if piece]
        if word.startswith("-"):  # of "J.-P.", which is two words here
            if hyphen and words:
                words[-1] = words[-1].rstrip() + "-"
            pieces = pieces or [""]
        parts = [_initial(piece, mark) for piece in pieces if piece and piece[0].isupper()]
        if hyphen:
            words.append("-".join([*(p.rstrip() for p in parts[:-1]), *parts[-1:]]))
        else:
            words.append("".join(parts))
    return " ".join("".join(words).split())


def _initial(word: str, mark: str) -> str:
    bare = word.rstrip(".")
    if word.endswith(".") and len(bare) > 1 and bare[1:].islower():
        return bare + mark
    return word[0] + mark
