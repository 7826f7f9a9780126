"""A sentence with its terms, quantities, directions and negations."""

import re
from typing import Final, NamedTuple

from citeloom.domain.text.terms import Term, terms
from citeloom.domain.verification.claims.polarity import (
    Direction,
    Negation,
    directions,
    negations,
)
from citeloom.domain.verification.claims.synonyms import plain_phrases
from citeloom.domain.verification.quantities.quantity import Quantity
from citeloom.domain.verification.quantities.quantity_extraction import quantities

# Weight of names and abbreviations relative to other content words.
_NAME_WEIGHT: Final = 2.0
# "The authors report that ...": who says it is the citation.
_REPORT: Final = re.compile(
    r"\W*(?:(?i:as|according to)\s[^,]{3,60},\s)?"
    r"(?:(?i:(?:the|these|its|both)\s(?:\w+\s)?(?:authors?|paper|study|article|work|source|"
    r"researchers)|they|it)|"
    r"(?:[A-Z][\w’'-]+(?:,?\s(?:and|&)\s[A-Z][\w’'-]+|\set\sal\.?)?))?\s?"
    r"(?:(?:have|has|also|further|clearly|explicitly)\s)*"
    r"(?:report|note|state|find|found|show|shown|observe|write|wrote|explain|mention|describe|point"
    r"\sout|say|said|conclude)(?:e?s|e?d)?\sthat\s",
)
# "(Kluyver et al., 2016; see Ragan 2018a)", "[3, 5-7]": its names and numbers are those of works.
_CITATION_MARK: Final = re.compile(
    r"\s?\((?:[^()\d]{0,80}[^\W\d_]\.?,?\s(?:1[89]|20)\d\d[a-z]?(?:,\spp?\.\s[\d–-]+)?[;,]?\s?)+\)"
    r"|\s?\[\d+(?:\s?[,;–-]\s?\d+)*\]"
)


class ParsedSentence(NamedTuple):
    """A sentence with its terms, quantities, directions and negations."""

    text: str
    terms: tuple[Term, ...]
    quantities: tuple[Quantity, ...]
    directions: tuple[Direction, ...]
    negations: tuple[Negation, ...]


def parse_sentence(text: str) -> ParsedSentence:
    """Citation marks are left out, and phrases of one meaning put in one wording."""
    text = plain_phrases(_CITATION_MARK.sub("", text))
    return ParsedSentence(text, terms(text), quantities(text), directions(text), negations(text))


def parse_claim(text: str) -> ParsedSentence:
    """A sentence of a draft, without TeX spacing in numbers and without its reporting clause."""
    text = re.sub(r"(?<=\d)\{,\}(?=\d)", ",", text)
    text = re.sub(r"(?<=\d)(?:\\[,;:! ]|~)(?=\d{3})", ",", text)
    report = _REPORT.match(text)
    return parse_sentence(text[report.end() :] if report else text)


def coverage(claim: ParsedSentence, stems: frozenset[str]) -> float:
    """Share of a claim's content words among ``stems``, names counting double."""
    weights = {
        term.stem: _NAME_WEIGHT if term.is_name else 1.0
        for term in sorted(claim.terms, key=lambda term: term.is_name)
    }
    total = sum(weights.values())
    return sum(w for s, w in weights.items() if s in stems) / total if total else 0.0


def stems_of(*sentences: ParsedSentence) -> frozenset[str]:
    """Stems of the content words of ``sentences``."""
    return frozenset(term.stem for sentence in sentences for term in sentence.terms)
