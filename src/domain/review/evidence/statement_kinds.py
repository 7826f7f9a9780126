"""Kinds of statements that are not a document's own results: expectations, and what others found.

English only; in other languages every statement is an own one.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from .column_questions import Asks


class StatementKind(StrEnum):
    """EXPECTED: a hypothesis, prediction or research question. OTHERS: a finding, act or statement
    of another work."""

    OWN = "own"
    EXPECTED = "expected"
    OTHERS = "others"


_EXPECTED: Final = re.compile(
    r"\A\W*(?:hypothes[ie]s|H|RQ)\s?\d+[a-z]?\b\s*[:.)–-]|"
    r"\bresearch questions? (?:is|are|was|were|guid\w+|ask\w*|concern\w*)\b|"
    r"\A\W*(?:we|I|the authors?) (?:\w+ly |also )?(?:believed?|hoped?)\b|"
    r"\b(?:we|I|the authors?) (?:\w+ly |also |had |then |therefore |would |further ){0,2}"
    r"(?:hypothesi[sz]ed?|predict(?:ed)? that|expect(?:ed)?|anticipated?|conjectured?|"
    r"posit(?:ed)?)\b|"
    r"\b(?:is|are|was|were|been|be) (?:\w+ly )?(?:hypothesi[sz]ed|expected that|predicted that|"
    r"anticipated|conjectured)\b|"
    r"\b(?:our|null|alternative|working|(?:first|second|third) (?:\w+ )?) ?hypothes[ie]s "
    r"(?:is|was|are|were|states?|stated|that)\b|\bthe hypothes[ie]s (?:that|is|was)\b|"
    r"\b(?:(?:investigat|test|examin|explor)ed|(?:to|we) (?:investigate|test|examine|explore)) "
    r"(?:several|these|two|three|four|\d+) hypotheses\b",
    re.I,
)
# What became of an expectation is a result.
_TESTED: Final = re.compile(
    r"\b(?:confirm|support|reject|refut|contradict|falsif|disprov|verif)\w*\b|\bborne out\b|"
    r"\b(?:consistent|agree\w*|in line) with\b|\bcontrary to\b|\b(?:than|as) (?:we |was )?"
    r"(?:expected|predicted|anticipated)\b|\bhow(?:ever)?\b|\bbut\b",
    re.I,
)
_YEAR: Final = r"(?:1[89]|20)\d\d[a-z]?"
_CITED: Final = re.compile(
    rf"\([^()]*\b{_YEAR}\b[^()]*\)|\b{_YEAR}\)|\[[\d,;\s–-]+\]|\[[A-Z][A-Za-z+]*\d\d[a-z]?\]"
)
_NAMED: Final = re.compile(
    rf"\A\W*(?:[A-Z][\w'’-]+(?: et al\.?| and [A-Z][\w'’-]+)? (?:\({_YEAR}\)|\[[\d,\s]+\])|"
    r"(?i:previous|prior|earlier|other|several|many|recent|past) (?:\w+ )?"
    r"(?:studies|work|works|authors|researchers|papers|experiments|research|results)\b)"
)
_OWN: Final = re.compile(r"\b(?:we|our|ours|us|I|my|this (?:study|paper|work|article))\b", re.I)
_BEFORE: Final = re.compile(
    r"\b(?:introduction|background|related work|previous work|prior work|literature|"
    r"state of the art|motivation|statement of need)\b",
    re.I,
)


def statement_kind(sentence: str, headings: Sequence[str] = ()) -> StatementKind:
    """The kind of a sentence below ``headings``, the outermost first. A sentence with a citation is
    about others if it names them first, or precedes the document's own work."""
    if _EXPECTED.search(sentence) and not _TESTED.search(sentence):
        return StatementKind.EXPECTED
    if _OWN.search(sentence) or not (_CITED.search(sentence) or _NAMED.match(sentence)):
        return StatementKind.OWN
    before = any(_BEFORE.search(heading) for heading in headings[-2:])
    return StatementKind.OTHERS if before or _NAMED.match(sentence) else StatementKind.OWN


_FRONT: Final = re.compile(
    r"\A\W*(?:Submitted|Received|Accepted|Published|Editor|Reviewers?|DOI)\b.{0,12}:|"
    r"\b[Aa]uthors of papers? retain\b|\b[Tt]his (?:article|work|paper) is \w+ under\b|"
    r"\b[Pp]ermission to (?:make|copy)\b|\bCopyright (?:\d{4}|is held)|"
    r"[¹²³⁴⁵⁶⁷⁸⁹⁰*†‡§,] ?[A-Z].*?[¹²³⁴⁵⁶⁷⁸⁹⁰].*?[¹²³⁴⁵⁶⁷⁸⁹⁰].*?[¹²³⁴⁵⁶⁷⁸⁹⁰]"
)


_THANKS: Final = re.compile(r"\A\W*(?:\w+ ){0,3}(?:thank|acknowledge|are grateful)\b", re.I)


def is_aside(sentence: str, asks: Asks) -> bool:
    """Whether a sentence is a list of authors, the dates or the licence of a publication, or, where
    it is not asked who paid, an acknowledgement."""
    return bool(_FRONT.search(sentence) or (asks is not Asks.FUNDER and _THANKS.match(sentence)))
