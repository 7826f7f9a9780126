"""Quotable sentences: complete statements, no fragments, captions, notices or references."""

import re
from typing import Final

from citeloom.domain.verification.quantities.quantity_extraction import quantities

#: Length of a quotation in characters.
SHORTEST: Final = 30
LONGEST: Final = 500
_MIN_WORDS: Final = 5
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_BEGINS: Final = re.compile(r"[\"'“‘«(\[¿¡]*(?:[^\W\d_]|\d)")
_ENDS: Final = re.compile(r"[.!。！।…][\"'”’»)\]]*(?:\[[\d,\s–-]+\]|[⁰¹²³⁴-⁹\d]{0,3})\Z")
# A dash right before a number is its sign.
_BULLET: Final = re.compile(
    r"(?:[•◦▪‣·*]\s*|[–—-](?![.,]?\d)\s*|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s+)"
)
# A reference list entry: a volume with pages, or the address of a work at its end.
_REFERENCE_ENTRY: Final = re.compile(
    r"https?://(?:dx\.)?doi\.org|\bdoi:\s?10\.|\b\d+\s?\(\d+\)\s?[,:]\s?\d|"
    r"\bpp?\.\s?\d+\s?[–-]\s?\d+|^\W*(?:[A-Z][\w'’-]+,\s(?:[A-Z]\.[\s,&]*)+)",
    re.I,
)
_INITIALS: Final = re.compile(r"\b[A-Z][\w'’-]+,\s(?:[A-Z]\.[\s,&-]*)+\(?\d{4}")
# A finite verb: an auxiliary, a verb of a pronoun, or any verb with an object.
_FINITE_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|cannot|could|will|would|may|might|must|should|do|does|"
    r"did)\b|\b(?:it|we|they|he|she|this|which|that|who) [a-z]+(?:s|ed)\b|"
    r"\w \w+(?:s|ed) (?:the|an?|its|their|our|these|those|how|what|whether|that|no|more|less)\b",
    re.I,
)
_NOTICE: Final = re.compile(
    r"^\W*(?:(?:fig(?:ure)?|tab(?:le)?|listing|algorithm)\.?\s?\d|copyright|licen[sc]e\b|©|doi\b|"
    r"received|accepted|published|submitted|keywords?\b|e-?mail|correspond|available (?:at|from)|"
    r"the authors? (?:declare|thank|acknowledge|would like to thank)|"
    r"we (?:[\w-]+ ){0,3}(?:thank|acknowledge|grateful)\b|thanks to|"
    r"this work was (?:supported|funded)|I thank\b|note: )",
    re.I,
)
_AUTHOR_NOTE: Final = re.compile(
    r"\bcontributed equally\b|\bcorresponding author\b|"
    r"\bauthors (?:on|of) (?:this |the )?papers?\b|"
    r"\bretain copyright\b|\ball rights reserved\b|\blicen[sc]ed under\b|"
    r"\bunder (?:a|an|the) .{0,40}licen[sc]e\b|\bpull requests?\b|"
    r"\bcontributions? (?:is|are) welcome\b",
    re.I,
)

# Availability notices are no evidence.
_WEB: Final = re.compile(r"https?:|\bwww\.", re.I)
# Undecoded characters: noncharacters, private use, controls, replacements.
_UNREADABLE: Final = re.compile(
    "[\ufffc-\uffff\ufdd0-\ufdef\ue000-\uf8ff\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
)

# Sections without evidence: acknowledgements, funding, references.
_BACK_MATTER: Final = re.compile(
    r"\W*(?:\d[\d.]*\s+)?(?:acknowledge?ments?|acknowledge?ments? and \w+|references?|bibliography|"
    r"works cited|literature cited|funding(?: statement| information)?|"
    r"(?:conflicts?|declarations?|competing) (?:of )?interests?|(?:author|credit) "
    r"contributions?(?: statement)?|authors?['’]? contributions?|contributors|credits|"
    r"(?:copyright|licen[sc]e)\b.*|supplementary (?:material|information)|"
    r"(?:data|code|software) availability(?: statement)?|abbreviations|table of contents|contents)"
    r"\W*",
    re.I,
)
_QUANTITY_QUESTION: Final = re.compile(
    r"\bhow (?:many|much|often|large|big|small|long|short|high|low|strong|weak|fast|slow|far|deep|"
    r"old|common|frequent\w*|accurate\w*)\b|\b(?:number|amount|percentage|share|proportion|size|rate|"
    r"extent|magnitude|cost|costs) of\b",
    re.I,
)


def is_back_matter(heading: str) -> bool:
    """Whether ``heading`` is that of back matter: acknowledgements, funding, references, …"""
    return bool(_BACK_MATTER.fullmatch(heading.strip()))


def asks_for_quantity(question: str) -> bool:
    return bool(_QUANTITY_QUESTION.search(question))


def states_quantity(sentence: str) -> bool:
    """Whether a sentence has a quantity other than a year (most years are of citations)."""
    return any(one.kind != "year" for one in quantities(sentence))


def bullet_length(sentence: str) -> int:
    """Length of the list marker at the start of a sentence, in characters."""
    mark = _BULLET.match(sentence)
    return mark.end() if mark else 0


def is_statement(sentence: str) -> bool:
    """Whether ``sentence`` is a complete statement: no fragment, question, caption, notice or
    reference list entry."""
    if not SHORTEST <= len(sentence) <= LONGEST:
        return False
    words = _WORD.findall(sentence)
    letters = sum(char.isalpha() for char in sentence)
    visible = sum(not char.isspace() for char in sentence)
    first = next((char for char in sentence if char.isalnum()), "")
    return (
        len(words) >= _MIN_WORDS
        and letters >= 0.7 * visible
        and not first.islower()
        and bool(_BEGINS.match(sentence))
        and bool(_ENDS.search(sentence))
        and not sentence.isupper()
        and not _REFERENCE_ENTRY.search(sentence)
        and not _INITIALS.search(sentence)
        and not _NOTICE.match(sentence)
        and not _AUTHOR_NOTE.search(sentence)
        and _has_balanced_brackets(sentence)
        and not _WEB.search(sentence)
        and not _UNREADABLE.search(sentence)
    )


def has_verb(sentence: str, language: str | None) -> bool:
    """Whether a sentence has a finite verb; list items are often fragments or instructions.
    English only (``language`` is an ISO 639-1 code); True for other languages."""
    if language not in (None, "en"):
        return True
    return bool(_FINITE_VERB.search(sentence))


def _has_balanced_brackets(sentence: str) -> bool:
    return sentence.count("(") == sentence.count(")") and sentence.count("[") == sentence.count("]")
