"""Sentences that point back, and the sentences that they need to be understood.

For English; in other languages no sentence points back.
"""

import re
from collections.abc import Sequence
from typing import Final

from citeloom.domain.text.sentences import Span

#: Maximum length in characters of a quotation of several sentences.
LONGEST: Final = 700

_OWN: Final = (
    r"(?:\w+ )?(?:paper|study|article|review|survey|report|thesis|book|work|course|tutorial|"
    r"workshop|module|package|software|tool|library|program(?:me)?|project|dataset|note|essay|"
    r"analysis|meta-analysis|trial|section|chapter|research|day|days|week|year|way)s?\b"
)
# At the start: pronouns, demonstratives and determiners whose noun stands in an earlier sentence.
_PRONOUN: Final = re.compile(
    r"\W*(?:[A-Z]+:? )?(?:and |but |so |or |yet |also,? |in (?:fact|short|sum),? |while |although |"
    r"though |if |because |since |as |when |once )?(?:"
    rf"(?:this|these|those|that)\b(?! (?:{_OWN}|who\b|which\b))|"
    r"(?:they|he|she|its|their|his|her|them|such|neither|either|here|hence|thus|so|"
    r"both(?! (?:the|an?|\w+ and)\b))\b|"
    r"it\b(?! (?:is|was|has been|seems|appears|remains|can be|may be|will be) (?:\w+ ){1,3}"
    r"(?:to|that|whether|how|why|if)\b)|"
    r"(?:the (?:former|latter|others?|rest|same|first|second|third|last|reason|result|effect|"
    r"difference|problem|advantage)s?|others?|another|"
    r"(?:none|each|all|some|most|many|few|one|two|three|both|either|any|several) of "
    r"(?:these|those|them|the others)|one|two|three|four|some|most|many|few|all|each) "
    r"(?:(?:is|are|was|were|has|had|have|can|may|will|do|does|did|even|also|would|then)\b|"
    r"(?:were|was|lies|followed|concerns?|recurred)\b)|"
    r"(?:the|all|both|each of the) (?:two|three|four|five|other) \w+)",
    re.IGNORECASE,
)
_CONNECTIVE: Final = re.compile(
    r"\W*(?:in contrast|by contrast|instead|conversely|on the (?:contrary|other hand)|"
    r"as a (?:result|consequence)|consequently|therefore|accordingly|nevertheless|nonetheless|"
    r"otherwise|likewise|similarly|rather|indeed|still|then|for (?:example|instance)|"
    r"in (?:this|that|these|both|either|such|the (?:first|second|latter|former)) \w+|"
    r"(?:for|to|from|with|by|at|on|of|under|among|within|despite|between|after|before) "
    r"(?:this|that|these|those|them|it)\b|second|third|fourth|fifth|(?:but|and|or|nor|so|yet)\b)",
    re.IGNORECASE,
)
# Within: demonstratives and connectives that lean on the sentence before.
_WITHIN: Final = re.compile(
    rf"\bthese (?!{_OWN})[a-z]+|\bthose (?!{_OWN})[a-z]+s\b|"
    rf"\b(?:such an?|the (?:former|latter|aforementioned|above))\b|"
    rf"\bth(?:is|at) (?!{_OWN}|is\b|are\b|was\b|were\b)(?:[a-z]+(?:tion|ment|ness|ity|sis|"
    r"ance|ence|gap|problem|issue|approach|method|result|finding|effect|question|reason|case|goal|need|"
    r"step|point|setup|process|observation|habit|book|text|field|area|topic))\b|"
    r"\b(?:therefore|thus|hence|in turn|moreover|furthermore|as well|in this way|this is|do so)\b",
    re.IGNORECASE,
)
# The object of a verb before any noun that it could stand for in its own sentence.
_OBJECT: Final = re.compile(
    r"\A[^,;:]{0,60}\b\w+(?:ed|s|t|d) it\b(?! (?:is|was|to be)\b)", re.IGNORECASE
)


def points_back(sentence: str) -> bool:
    """Whether a sentence needs the one before to be understood, or is better read with it."""
    return bool(
        _PRONOUN.match(sentence)
        or _CONNECTIVE.match(sentence)
        or _WITHIN.search(sentence)
        or _OBJECT.search(sentence)
    )


def with_antecedent(text: str, sentences: Sequence[Span], number: int) -> Span | None:
    """The span of sentence ``number`` with those before it that it needs, at most LONGEST
    characters; None if a pronoun's are not in ``text`` or too long."""
    first = number
    while points_back(sentence := text[slice(*sentences[first])]):
        if first == 0 or sentences[number][1] - sentences[first - 1][0] > LONGEST:
            if _PRONOUN.match(sentence):
                return None
            break
        first -= 1
    return sentences[first][0], sentences[number][1]
