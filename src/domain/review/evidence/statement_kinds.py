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


_AIM_OR_METHOD: Final = re.compile(
    r"\b(?:we|I|this (?:paper|study|work|article|course|project|software|package|note)|"
    r"the (?:aim|goal|purpose|objective)s?)\b[^.;]{0,40}?\b(?:aim\w*|present\w*|propos\w+|"
    r"describ\w+|introduc\w+|reports?|asked|suspect\w*|seek\w*|sought|want\w*|wish\w*|hope\w*|"
    r"plan\w*|intend\w*|believe\w*|recommend\w*|is to|was to|were to|are to)\b"
    r"|\b(?:is|are|was|were|been) (?:designed|intended|meant|expected|structured|developed|"
    r"recommended|assumed|encouraged) (?:to|for|that|so)\b"
    r"|\b(?:is|are|was|were|been) (?:\w+ )?(?:said|told|advised|thought|believed|assumed|hoped)\b"
    r"|\b(?:should|would|will|may|might|could)\b|\bin order to\b|\b(?:aims?|goals?|objectives?) "
    r"(?:is|are|was|were|of)\b|\bmotivat\w+|\b(?:need|needs|needed|requires?) (?:for|to|of)\b|"
    # "we" with any verb but those of finding and of opinion
    r"\b(?:we|I) (?:\w+ly |therefore |then |also |thus )?(?!found|find|show|observ|conclud|report|"
    r"saw|see|detect|identif|demonstrat|confirm|recommend|suggest|estimat|believe|suspect|think|"
    r"can|could|cannot|do|did|have|had|are|were|need|know|mean|taught|reached)\w+\b|"
    r"\b(?:is|are|was|remains?|little is) (?:still )?(?:unknown|unclear|known about)\b|"
    r"\bto be elucidated\b|"
    r"\b(?:primary|main|secondary) (?:\w+ )?(?:end-?points?|outcomes?|measures?) (?:was|were)\b|"
    r"\b(?:was|were) (?:measured|collected|recorded|selected|drawn|installed|assigned|asked)\b",
    re.I,
)


def is_aim_or_method(sentence: str) -> bool:
    """Whether a sentence says what is wanted, thought or done, not what was found."""
    return bool(_AIM_OR_METHOD.search(sentence))


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
