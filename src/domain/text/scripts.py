"""Super- and subscripts in plain text: how they are written, and which of them are note marks.

Digits and signs are Unicode's own characters (*10⁶*, *10⁻³*, *CO₂*, *Ca²⁺*), everything else
stands behind a caret or an underscore (*x^T*, *x_i*), in brackets unless it is letters alone that
nothing follows (*x^(n+1)*, *x_(i,j)*). Numbers of notes and references are superscripts behind
their word or punctuation (*survey.¹²,¹³*), with a space behind a year (*in 1998 ³*), which is
never raised to a power. Decision 0059.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

SUPER_DIGITS: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹"
#: Raised digits with the commas and dashes of a list of notes.
MARKS: Final = f"[{SUPER_DIGITS}]+(?:[,;\u2013-][{SUPER_DIGITS}]+)*"
_UP: Final = str.maketrans("0123456789+-\u2212\u2013=()", f"{SUPER_DIGITS}⁺⁻⁻⁻⁼⁽⁾")
_DOWN: Final = str.maketrans("0123456789+-\u2212\u2013=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎")
_NUMERIC: Final = re.compile(r"[+\u2212\u2013-]?\(?\d+\)?[+\u2212\u2013-]?|[+\u2212\u2013-]{1,3}")
_LIST: Final = re.compile(r"(?=.*\d)[\d,;\u2013\s*†‡§-]{2,}")
_IN_BRACKETS: Final = re.compile(r"\[[^\[\]]*\]|\([^()]*\d[^()]*,[^()]*\)")
_ENCLOSED: Final = re.compile(r"\([^()]*\)")
# Longer texts are not scripts, whatever the file says.
_LONGEST: Final = 40
# Raised letters that are not apart from their word: ordinals, and Knuth's and Lamport's names.
_ORDINALS: Final = frozenset("st nd rd th er ère re e ème nde o os as".split())
_SIGNS: Final = {"TM": "™", "SM": "℠", "∘": "°", "◦": "°"}
_YEAR: Final = re.compile(r"(?<![\d.,])(?:1[5-9]|20)\d\d[a-z]?\Z")
# Two letters or more that are raised to a power; longer words have notes.
_POWERED: Final = frozenset(
    "mm cm dm km nm pm hm ha kg mg ml dl mol mmol min sec Pa hPa kPa MPa GPa Hz kHz MHz GHz kJ MJ "
    "kW MW eV keV MeV GeV kcal cal rad deg feet inch log ln lg exp sin cos tan cot csc sinh cosh "
    "tanh arcsin arccos arctan det dim var".split()
)
_SHORT_WORDS: Final = frozenset(
    "of is it in on to by as at us we he be do so no or if an al my me up go am".split()
)
_DIGITS: Final = str.maketrans(SUPER_DIGITS, "0123456789")
# Between the characters of a draft may stand word joiners, where its markup was.
_POWER: Final = re.compile(
    rf"(?<=\d)(?:[⁻⁺]?[{SUPER_DIGITS}]+(?![,;\u2013][{SUPER_DIGITS}])"
    r"|[\s\u2060]?[$\u2060]{0,4}(?:\^|\*\*)[$\s\u2060]{0,4}[{(]?[$\s\u2060]{0,4}"
    r"[-+\u2212\u2013]?\d{1,3}(?!\d)(?:[\u2060$]{0,4}[})^])?[\u2060$]{0,4})"
)
_SUPERS: Final = re.compile(f"[{SUPER_DIGITS}⁺⁻⁼⁽⁾]+(?:[,;\u2013-][{SUPER_DIGITS}]+)*")
_SMALL: Final = f"{SUPER_DIGITS}₀₁₂₃₄₅₆₇₈₉"
_SCRIPTED: Final = re.compile(
    rf"(?<![^\W_{_SMALL}])[^\W_{_SMALL}]+(?:[_^]\(?[^\W_{_SMALL}]+\)?|[{_SMALL}]+)+"
)
_SCRIPT_PART: Final = re.compile(rf"[{_SMALL}]+|[^\W_{_SMALL}]+")
_ELEMENT: Final = re.compile(r"[A-Z][a-z]?(?![a-z])")
_WORD_BEFORE: Final = re.compile(r"[^\W\d_]+\Z")


def raised(script: str, before: str = "", after: str = "") -> str:
    """The text of a superscript between ``before`` and ``after``."""
    return _around(script, lambda core: _raised(core, before, after))


def _around(script: str, written: Callable[[str], str]) -> str:
    """White space around a script stays."""
    core = script.strip()
    start = script.find(core)
    return script[:start] + written(" ".join(core.split())) + script[start + len(core) :]


def _raised(script: str, before: str, after: str) -> str:
    if script in _SIGNS:
        return _SIGNS[script]
    if _stays(script):
        return script
    if before[-1:].isdigit() and script in _ORDINALS:
        return script
    if script in "Aa" and before[-1:] == "L" and after[:1] in ("T", "t"):
        return script
    if _NUMERIC.fullmatch(script):
        is_note = script.isdigit() and _YEAR.search(before[-8:]) is not None
        return f" {script.translate(_UP)}" if is_note else script.translate(_UP)
    if _LIST.fullmatch(script):
        marks = re.sub(r"\d+", lambda number: number[0].translate(_UP), script.replace(" ", ""))
        return f" {marks}" if before[-1:].isdigit() else marks
    return f"^{_token(script, after)}"


def lowered(script: str, before: str = "", after: str = "") -> str:
    """The text of a subscript between ``before`` and ``after``."""
    return _around(script, lambda core: _lowered(core, before, after))


def _lowered(script: str, before: str, after: str) -> str:
    if _stays(script) or (script == "E" and before[-1:] == "T" and after[:1] == "X"):
        return script
    if _NUMERIC.fullmatch(script):
        return script.translate(_DOWN)
    return f"_{_token(script, after)}"


def note_marks(text: str) -> Iterator[tuple[int, int]]:
    """Spans of raised numbers that belong to notes or references, not to what is before them."""
    for match in _SUPERS.finditer(text):
        if _is_mark(text, *match.span()):
            yield match.span()


def powers(text: str) -> Iterator[tuple[int, int, str]]:
    """The powers of digits in texts and drafts (10⁶, 10^6, ``10^{-3}``, ``10**6``, ``10^6^``,
    ``10$^6$``): start and end of the text behind the digit, and the exponent."""
    for match in _POWER.finditer(text):
        sign = "-" if re.search("[-\u2212\u2013⁻]", match[0]) else ""
        yield *match.span(), sign + re.sub(r"\D", "", match[0].translate(_DIGITS))


def without_powers(text: str) -> str:
    """The text, with nothing in place of its powers."""
    return _POWER.sub("", text)


def scripts_apart(text: str, joined: Callable[[str], bool]) -> str:
    """The text, without the marks of its scripts: each is a word of its own, as *PHIL 2*, unless
    ``joined`` holds for it and its word together, as *PHIL2*. Readers of pages do either."""

    def written(match: re.Match[str]) -> str:
        parts = _SCRIPT_PART.findall(match[0])
        whole = "".join(parts)
        return whole if joined(whole) else " ".join(parts)

    return _SCRIPTED.sub(written, text)


def takes_notes(word: str) -> bool:
    """Whether a raised number behind these letters is that of a note: *survey²*, not *cm²*."""
    if len(word) < 3:
        return word in _SHORT_WORDS
    return word not in _POWERED


def _stays(script: str) -> bool:
    """Whether a script stays plain text: signs (``*``, ``†``, ``′``), square brackets, text too
    long for a script, and text in this notation already."""
    if len(script) > _LONGEST or _IN_BRACKETS.fullmatch(script):
        return True
    return not any(
        (char.isalnum() and char not in SUPER_DIGITS) or char in "+-\u2212\u2013=⊤∞"
        for char in script
    )


def _token(script: str, after: str) -> str:
    is_plain = (script.isalpha() or script == "∞") and not after[:1].isalnum()
    return script if is_plain or _ENCLOSED.fullmatch(script) else f"({script})"


def _is_mark(text: str, start: int, end: int) -> bool:
    if re.fullmatch(MARKS, text[start:end]) is None:
        return False
    before = text[max(0, start - 24) : start]
    last = before[-1:]
    if not last or last.isspace():
        return _ELEMENT.match(text, end) is None
    if any(char in text[start:end] for char in ",;\u2013-"):
        return True
    if last in ")]":
        return re.search(r"[^\W\d_]{4,}[^()\[\]]*[)\]]\Z", before) is not None
    if word := _WORD_BEFORE.search(before):
        return takes_notes(word[0])
    return not (last.isalnum() or last in "_^|")
