"""CSL number variables: numeric test, plurals, ordinals, Roman numerals, ranges."""

import re

from citeloom.domain.citation.page_ranges import RangeFormat, page_range
from citeloom.infrastructure.citation.csl.style import Locale

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
_SINGLE = re.compile(r"[^,&\-\u2013]+")


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
    if not 0 < number < 4000:
        return str(number)
    letters = ""
    for value, sign in (
        (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
        (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
    ):  # fmt: skip
        count, number = divmod(number, value)
        letters += sign * count
    return letters
