"""Sentences in which a document speaks of itself: roadmap, aims, contributions.

English only.
"""

import re
from typing import Final

_DOCUMENT: Final = r"(?:paper|article|note|essay|report|chapter|section|manuscript|appendix)"
# A part of the document is the subject: "Table 1 shows", "In Section 3 we describe".
_PART: Final = re.compile(
    r"\W*(?:the (?:\w+ )?\w+ (?:of|in) )?(?:tables?|figures?|figs?\.?|sections?|chapters?|appendix|"
    r"appendices|equations?|eqs?\.?|listings?|panels?|algorithms?)\s*(?:\d|[A-Z]\b)(?!\S*(?:\s\S+){1,3}\sthat\b)|"
    r"\W*in (?:the (?:next|following|remaining) )?(?:sections?|chapters?|appendix)\b|"
    rf"\W*(?:in )?the (?:rest|remainder|next (?:section|part)) of (?:this|the) {_DOCUMENT}\b|"
    r"\W*the (?:pages|sections|following sections) that follow\b|"
    r"\W*(?:next|first|second|then|finally|lastly|below|here),? (?:we|I) (?:will |also )?(?:give|"
    r"turn|look|consider|review|explain|illustrate|show how|define|begin|conclude (?:by|with))\b|"
    r".*\b(?:sections?|chapters?|appendix) (?:\d[\d.]*|[A-Z]) (?:then |also )?(?:describes?|"
    r"presents?|discuss(?:es)?|introduces?|explains?|gives?|defines?|begins?|outlines?|covers?|"
    r"reviews?|concludes?|deals?|shows? how)\b",
    re.I,
)
# The document as the subject of any verb but those of finding.
_SELF: Final = re.compile(
    rf"\b(?:this|the (?:present|current)) {_DOCUMENT}s? (?:\w+ly |also |then |first )?"
    r"(?!show|find|found|demonstrate|conclude|reveal|confirm|establish)\w+(?:s|ed)?\b|"
    r"\b(?:this|the present|our|the current) (?:study|trial|review|analysis|meta-analysis) "
    r"(?:\w+ly |also )?(?:aim|sought|seek|assess|evaluat|investigat|examin|compar|review|explor|"
    r"was (?:designed|undertaken|conducted|carried|to))\w*",
    re.I,
)
_AIM: Final = re.compile(
    r"\A.{0,40}?\b(?:we|I|the authors?) (?:\w+ly |also |therefore |then |thus |first |here )?"
    r"(?:aim|ask\b|asked\b|wish|want|sought|seek|intend|hope|plan\b|planned|propose|present\b|"
    r"introduce|describe|hypothesi[sz]e|set out|investigate|tested the hypothesis|report on|"
    r"mention this|outline|summari[sz]e|discuss)\w*|"
    r"\b(?:the|our|my|its|one|a|main|primary|overall|key) "
    r"(?:aims?|goals?|purposes?|objectives?|hopes?|motivations?)\b|"
    r"\bquestions? (?:guided?|that guide)|^\W*(?:OBJECTIVES?|AIMS?|PURPOSE)\b|"
    r"\b(?:our|main|key|major) contributions?\b|\bwhat (?:we|I) hope\b",
    re.I,
)
_ASKED_FOR: Final = re.compile(
    r"\b(?:aims?|goals?|purposes?|objectives?|intend\w*|intention\w*|motivat\w+|contribut\w+|"
    r"hypothes\w+|propos\w+|believe|hope|want)\b",
    re.I,
)


def describes_itself(sentence: str) -> bool:
    """Whether a document says in a sentence what it contains, aims at or contributes."""
    return bool(_PART.match(sentence) or _SELF.search(sentence) or _AIM.search(sentence))


def asks_for_aims(question: str) -> bool:
    """Whether a question asks for what authors aim at, propose or believe."""
    return bool(_ASKED_FOR.search(question))
