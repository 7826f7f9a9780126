"""Words that tell what a line is: names of unnumbered sections, theorem heads, numbering."""

import re
from typing import NamedTuple

from citeloom.infrastructure.conversion.pdf.glyphs import squash

_KNOWN = """
    abstract summary zusammenfassung résumé resumen references bibliography literature
    literaturecited workscited referencesandnotes literatur acknowledgment acknowledgments
    acknowledgement acknowledgements acknowledgmentsandfunding danksagung appendix appendices
    supplementarymaterial supplementarymaterials supplementaryinformation supportinginformation
    introduction conclusion conclusions conclusionsandfuturework conclusionandfuturework
    discussion relatedwork background methods results materialsandmethods methodsandmaterials
    resultsanddiscussion dataavailability dataavailabilitystatement codeavailability
    dataandcodeavailability availabilityofdataandmaterials datadeposition funding
    fundinginformation fundingstatement authorcontributions authorscontributions
    authorcontributionstatement contributions competinginterests conflictofinterest
    conflictsofinterest declarationofcompetinginterest declarationofinterests ethicsstatement
    ethicsapproval broaderimpact limitations disclaimer notes contents tableofcontents foreword
    preface keywords
""".split()
KNOWN = frozenset(squash(name) for name in _KNOWN)
_BIBLIOGRAPHY = """
references bibliography literature literaturecited workscited referencesandnotes literatur
referencescited selectedreferences
""".split()
REFERENCES = frozenset(squash(name) for name in _BIBLIOGRAPHY)
ALWAYS = KNOWN - frozenset(
    squash(n)
    for n in """
        introduction conclusion conclusions discussion relatedwork background methods results
        notes contents literature summary contributions limitations keywords
    """.split()
)

THEOREM = re.compile(
    r"^(?:\d+(?:\.\d+)*\.?\s+)?(?:main\s+)?(?:theorem|lemma|proposition|corollary|definition|"
    r"remark|proof|example|claim|conjecture|notation|assumption|axiom|observation|fact|problem|"
    r"question|exercise|hypothesis|algorithm|protocol|construction|convention)s?\b"
    r"\s*(?:\d|[.:(\[]|[A-Z]\b|of\s+(?:theorem|lemma|proposition|corollary|claim)\b)"
    r"|^(?:proof|remarks?)\W*$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"^(?P<word>(?:appendix|annex|chapter|part|section|§)\s*)?"
    r"(?P<number>\d{1,2}(?:\.\d{1,3}){0,4}|[IVX]{2,5}(?![^\W\d_])|[A-Z](?:\.\d{1,2}){0,3})"
    r"(?P<stop>[.:)]?)(?:\s+|(?=[^\W\d_]))(?P<title>.*\S)?$",
    re.IGNORECASE,
)
BULLET = re.compile(
    "^["
    "\u2022\u25cf\u25cb\u25e6\u25aa\u25ab\u25a0\u25a1\u2023\u2043\u2219\u00b7\u27a2\u2713\u2714"
    "\u25b6\u25ba\u2217\u221e\u2218\u2794\u2192\u21d2\u2605\u2610\u2756\u27a4\u203a"
    "\ue000-\uf8ff*\u2013\u2014-]\\s+\\S"
)
ENUMERATED = re.compile(r"^(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,5})[.)]|\((?:[A-Z]|[IVX]{1,5})\))\s+\S")
EQUATION_NUMBER = re.compile(r"^\(?\d{1,3}(?:\.\d{1,3})*[a-z]?\)$")
REFERENCE_LABEL = re.compile(r"^(?:\[[^\]]{1,12}\]|\(?\d{1,3}[.)])\s*\S")


class Numbering(NamedTuple):
    """``path`` are the numbers (letters of appendices count from 1, ``lettered``)."""

    path: tuple[int, ...]
    lettered: bool
    roman: bool
    title: str
    stopped: bool


def numbering_of(text: str) -> Numbering | None:
    """The section number at the beginning of ``text``, if it begins like a heading."""
    match = _NUMBERED.match(text)
    if match is None:
        return None
    number, title = match["number"], (match["title"] or "").strip()
    worded = bool(match["word"])
    head, *rest = number.split(".")
    glued = not re.match(r"\s", text[match.end("stop") : match.end("stop") + 1] or " ")
    if glued and not (head.isdigit() and match["stop"]):
        return None
    if not title and not worded:
        return None
    if head.isdigit():
        return Numbering((int(head), *map(int, rest)), False, False, title, bool(match["stop"]))
    if not head.isupper():
        return None
    roman = _roman(head)
    if len(head) > 1 or (roman and not rest and (match["stop"] or worded) and head in "IVX"):
        if roman is None or rest:
            return None
        return Numbering((roman,), False, True, title, bool(match["stop"]))
    if not rest and not match["stop"] and not worded and not (title[:1].isupper()):
        return None
    letter = ord(head) - ord("A") + 1
    return Numbering((letter, *map(int, rest)), True, False, title, bool(match["stop"]) or worded)


def _roman(text: str) -> int | None:
    values = {"I": 1, "V": 5, "X": 10}
    total = 0
    for here, after in zip(text, [*text[1:], ""], strict=True):
        if here not in values:
            return None
        value = values[here]
        total += -value if values.get(after, 0) > value else value
    return total


def follows(path: tuple[int, ...], last: tuple[int, ...]) -> bool:
    """Whether section ``path`` may come right after section ``last``."""
    if not last:
        return path[-1] <= 1 if len(path) > 1 else path[0] <= 2
    if len(path) > len(last):
        return path[: len(last)] == last and all(n <= 1 for n in path[len(last) :])
    return path[:-1] == last[: len(path) - 1] and path[-1] == last[len(path) - 1] + 1
