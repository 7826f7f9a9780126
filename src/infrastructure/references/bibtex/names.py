"""CSL names from BibTeX's three name orders and BibLaTeX's extended form."""

import re

from pybtex.bibtex.utils import split_name_list, split_tex_string
from pybtex.database import Person
from pybtex.exceptions import PybtexError

from citeloom.infrastructure.references.fields.latex_reader import from_latex
from citeloom.infrastructure.references.fields.names import (
    inverted_name,
    personal_name,
    without_empty,
)
from citeloom.infrastructure.references.fields.plain_text import plain

# BibLaTeX manual, "Name lists": family=…, given=…, prefix=…, suffix=…, each maybe in quotes.
_EXTENDED = re.compile(r"\s*(family|given|prefix|suffix|useprefix)(?:-i)?\s*=\s*(.*)", re.DOTALL)

_NON_DROPPING = "non-dropping-particle"


def names_of(field: str, *, drops: bool = False) -> list[dict[str, str]]:
    """The CSL names of an ``author`` or ``editor`` field; ``others`` is skipped, a name in braces
    is an institution. ``drops``: whether particles drop (``useprefix=false``)."""
    parts = (part.strip() for part in split_name_list(field))
    names = (_name(part, drops) for part in parts if part and part != "others")
    return [name for name in names if name]


def _name(text: str, drops: bool) -> dict[str, str]:
    if _is_braced(text):
        return without_empty(literal=latex_text(text))
    pieces = split_tex_string(text, ",")
    if len(pieces) > 1 and all(_EXTENDED.fullmatch(piece) for piece in pieces):
        return _extended_name(pieces, drops)
    try:
        if len(pieces) > 3:
            return inverted_name(latex_text(text))
        person = Person(text)
    except (PybtexError, RecursionError):
        return without_empty(literal=latex_text(text))
    particle, family = (
        latex_text(" ".join(person.prelast_names)),
        latex_text(" ".join(person.last_names)),
    )
    given = latex_text(" ".join((*person.first_names, *person.middle_names)))
    suffix = latex_text(" ".join(person.lineage_names))
    if not family:
        return without_empty(literal=latex_text(text))
    if particle[:1].isupper():  # BibTeX's "De la" Cruz: capitalised words belong to the name
        particle, family = "", f"{particle} {family}"
    if not particle and not _is_braced(" ".join(person.last_names)):
        particle, family = _split_tied_particle(family, given)
    return without_empty(
        family=family,
        given=given,
        suffix=suffix,
        **{"dropping-particle" if drops else _NON_DROPPING: particle},
    )


def _split_tied_particle(family: str, given: str) -> tuple[str, str]:
    """Particle and rest of ``d'Ormesson`` and ``al-Rashid``."""
    name = personal_name(family, given)
    return name.get(_NON_DROPPING, ""), name.get("family", family)


def _extended_name(pieces: list[str], drops: bool) -> dict[str, str]:
    parts: dict[str, str] = {}
    for piece in pieces:
        if match := _EXTENDED.fullmatch(piece):
            value = match[2].strip()
            if len(value) > 1 and value[0] == value[-1] == '"':
                value = value[1:-1]
            parts.setdefault(match[1], latex_text(value))
    drops = parts.pop("useprefix", str(not drops).lower()) == "false"
    particle = parts.pop("prefix", "")
    return without_empty(**parts, **{"dropping-particle" if drops else _NON_DROPPING: particle})


def _is_braced(text: str) -> bool:
    """Whether one pair of braces encloses all of ``text``, other than an accented letter."""
    if not (text.startswith("{") and text.endswith("}")) or text.startswith("{\\"):
        return False
    depth = 0
    for at, char in enumerate(text):
        depth += {"{": 1, "}": -1}.get(char, 0)
        if depth == 0:
            return at == len(text) - 1
    return False


def latex_text(latex: str) -> str:
    return plain(from_latex(latex))
