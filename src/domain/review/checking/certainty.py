"""How sure a sentence sounds, by its words."""

import re
from enum import StrEnum
from typing import Final

from citeloom.domain.verification.claims.features import coverage, read, stems_of

#: A sentence that says neither where from nor how sure, what a phrase that names the source
#: adds, a hedge takes away, and half of the words in the evidence add; from where on it is high
#: or low. Numbers of the deep-research model.
NEUTRAL: Final = 0.5
STATED: Final = 0.15
HEDGED: Final = -0.2
REPEATED: Final = 0.3
HIGH: Final = 0.85
LOW: Final = 0.5
_HALF: Final = 0.5

# The longest that fits is counted, and nothing of it twice.
_STATED: Final = re.compile(
    r"\b(?:according to|as (?:stated|reported|shown|described) (?:in|by)|as (?:stated|reported)|"
    r"(?:data|results?|figures?|evidence) (?:show|confirm|demonstrate)s?(?: that)?|"
    r"(?:confirm|demonstrat|establish|prov)(?:e[sd]?|s|ed|en|es)\b(?: that)?|"
    r"officially|explicitly|clearly states?)\b",
    re.IGNORECASE,
)
_HEDGE: Final = re.compile(
    r"\b(?:may|might|could|possibl[ey]|perhaps|probabl[ey]|likely|approximately|"
    r"(?:about|around)(?=\s[\d~]|\s(?:half|one|two|three|four|five|six|ten|a (?:third|quarter))\b)|"
    r"roughly|estimated|appears? to|seems? to|appears?|seems?|suggest(?:s|ed|ing)?|"
    r"indicat(?:es?|ed|ing)|"
    r"potential(?:ly)?|presumably|reportedly|allegedly|unclear|uncertain|tends? to|"
    r"hypothesi[sz]e[sd]?|in (?:some|certain) cases)\b",
    re.IGNORECASE,
)


class Level(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


def wording(sentence: str, evidence: str = "") -> float:
    """0..1; whole words only, so that "may" is not in "Mayor"."""
    value = NEUTRAL
    value += STATED * len(_STATED.findall(sentence))
    value += HEDGED * len(_HEDGE.findall(sentence))
    if evidence and coverage(read(evidence), stems_of(read(sentence))) > _HALF:
        value += REPEATED
    return min(1.0, max(0.0, value))


def level(confidence: float) -> Level:
    """A neutral sentence, at 0.5, is neither high nor low."""
    if confidence >= HIGH:
        return Level.HIGH
    return Level.LOW if confidence < LOW else Level.MEDIUM


def hedges_dropped(sentence: str, evidence: str) -> bool:
    """Whether the evidence hedges and the sentence does so less."""
    return len(_HEDGE.findall(sentence)) < len(_HEDGE.findall(evidence))
