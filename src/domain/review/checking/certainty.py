"""Certainty of a sentence by hedges, source phrases and overlap with its evidence."""

import re
from enum import StrEnum
from typing import Final

from citeloom.domain.verification.claims.function_words import HEDGE
from citeloom.domain.verification.claims.parsed_sentence import coverage, parse_sentence, stems_of

#: Base score, and the terms for a source phrase, a hedge, and more than half of the words in
#: the evidence; thresholds of high and low. Constants of the deep-research model.
NEUTRAL: Final = 0.5
STATED: Final = 0.15
HEDGED: Final = -0.2
REPEATED: Final = 0.3
HIGH: Final = 0.85
LOW: Final = 0.5
_MIN_COVERAGE: Final = 0.5

# The longest match counts, without overlap.
_SOURCE_PHRASE: Final = re.compile(
    r"\b(?:according to|as (?:stated|reported|shown|described) (?:in|by)|as (?:stated|reported)|"
    r"(?:data|results?|figures?|evidence) (?:show|confirm|demonstrate)s?(?: that)?|"
    r"(?:confirm|demonstrat|establish|prov)(?:e[sd]?|s|ed|en|es)\b(?: that)?|"
    r"officially|explicitly|clearly states?)\b",
    re.IGNORECASE,
)


class CertaintyLevel(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


def certainty(sentence: str, evidence: str = "") -> float:
    """Certainty in 0..1; whole words only, so that "may" is not in "Mayor"."""
    value = NEUTRAL
    value += STATED * len(_SOURCE_PHRASE.findall(sentence))
    value += HEDGED * len(HEDGE.findall(sentence))
    if (
        evidence
        and coverage(parse_sentence(evidence), stems_of(parse_sentence(sentence))) > _MIN_COVERAGE
    ):
        value += REPEATED
    return min(1.0, max(0.0, value))


def certainty_level(confidence: float) -> CertaintyLevel:
    """A neutral sentence (0.5) is medium."""
    if confidence >= HIGH:
        return CertaintyLevel.HIGH
    return CertaintyLevel.LOW if confidence < LOW else CertaintyLevel.MEDIUM
