"""Which sentences can be quoted for what they say: whole ones that state something."""

import re
from typing import Final

from citeloom.domain.verification.claims.quantity_extraction import quantities

#: Characters that a quotation has at least and at most.
SHORTEST: Final = 30
LONGEST: Final = 500
_LEAST_WORDS: Final = 5
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_BEGINS: Final = re.compile(r"[\"'“‘«(\[¿¡]*(?:[^\W\d_]|\d)")
_ENDS: Final = re.compile(r"[.!。！।…][\"'”’»)\]]*(?:\[[\d,\s–-]+\]|[⁰¹²³⁴-⁹\d]{0,3})\Z")
# A dash right before a number is its sign.
_BULLET: Final = re.compile(
    r"(?:[•◦▪‣·*]\s*|[–—-](?![.,]?\d)\s*|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s+)"
)
# An entry of a list of references: a volume with pages, or an address of a work at its end.
_ENTRY: Final = re.compile(
    r"https?://(?:dx\.)?doi\.org|\bdoi:\s?10\.|\b\d+\s?\(\d+\)\s?[,:]\s?\d|"
    r"\bpp?\.\s?\d+\s?[–-]\s?\d+|^\W*(?:[A-Z][\w'’-]+,\s(?:[A-Z]\.[\s,&]*)+)",
    re.I,
)
_INITIALS: Final = re.compile(r"\b[A-Z][\w'’-]+,\s(?:[A-Z]\.[\s,&-]*)+\(?\d{4}")
_FINITE: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|cannot|could|will|would|may|might|must|should|do|does|"
    r"did)\b|\b(?:it|we|they|he|she|this|which|that|who|students|authors|results?) [a-z]+"
    r"(?:s|ed)\b",
    re.I,
)
_NOTICE: Final = re.compile(
    r"^\W*(?:(?:fig(?:ure)?|tab(?:le)?|listing|algorithm)\.?\s?\d|copyright|licen[sc]e\b|©|doi\b|"
    r"received|accepted|published|submitted|keywords?\b|e-?mail|correspond|available (?:at|from)|"
    r"the authors? (?:declare|thank|acknowledge|would like to thank)|"
    r"we (?:[\w-]+ ){0,3}(?:thank|acknowledge|grateful)\b|thanks to|"
    r"this work was (?:supported|funded))",
    re.I,
)

# Where something is to be had is no evidence.
_WEB: Final = re.compile(r"https?:|\bwww\.", re.I)
# Characters that a font did not tell: noncharacters, private use, controls, replacements.
_UNREADABLE: Final = re.compile(
    "[\ufffc-\uffff\ufdd0-\ufdef\ue000-\uf8ff\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
)

# Sections that say nothing on the matter: who helped, who paid, what was read.
_APART: Final = re.compile(
    r"\W*(?:\d[\d.]*\s+)?(?:acknowledge?ments?|acknowledge?ments? and \w+|references?|bibliography|"
    r"works cited|literature cited|funding(?: statement| information)?|"
    r"(?:conflicts?|declarations?|competing) (?:of )?interests?|(?:author|credit) "
    r"contributions?(?: statement)?|authors?['’]? contributions?|contributors|credits|"
    r"(?:copyright|licen[sc]e)\b.*|supplementary (?:material|information)|"
    r"(?:data|code|software) availability(?: statement)?|abbreviations|table of contents|contents)"
    r"\W*",
    re.I,
)
_HOW_MUCH: Final = re.compile(
    r"\bhow (?:many|much|often|large|big|small|long|short|high|low|strong|weak|fast|slow|far|deep|"
    r"old|common|frequent\w*|accurate\w*)\b|\b(?:number|amount|percentage|share|proportion|size|rate|"
    r"extent|magnitude|cost|costs) of\b",
    re.I,
)


def is_apart(heading: str) -> bool:
    """Whether a section of this heading says nothing on the matter of its document."""
    return bool(_APART.fullmatch(heading.strip()))


def asks_how_much(question: str) -> bool:
    """Whether it asks for a quantity."""
    return bool(_HOW_MUCH.search(question))


def states_how_much(sentence: str) -> bool:
    """Whether it has a quantity; years, most of which are those of citations, are none."""
    return any(one.kind != "year" for one in quantities(sentence))


def bullet(sentence: str) -> int:
    """How many characters at its beginning are the mark of a list."""
    found = _BULLET.match(sentence)
    return found.end() if found else 0


def is_statement(sentence: str) -> bool:
    """Whether ``sentence`` is a whole one that says something: no fragment, question, caption,
    notice, or entry of a list of references."""
    if not SHORTEST <= len(sentence) <= LONGEST:
        return False
    found = _WORD.findall(sentence)
    letters = sum(char.isalpha() for char in sentence)
    spoken = sum(not char.isspace() for char in sentence)
    first = next((char for char in sentence if char.isalnum()), "")
    return (
        len(found) >= _LEAST_WORDS
        and letters >= 0.7 * spoken
        and not first.islower()
        and bool(_BEGINS.match(sentence))
        and bool(_ENDS.search(sentence))
        and not sentence.isupper()
        and not _ENTRY.search(sentence)
        and not _INITIALS.search(sentence)
        and not _NOTICE.match(sentence)
        and _closes(sentence)
        and not _WEB.search(sentence)
        and not _UNREADABLE.search(sentence)
    )


def has_verb(sentence: str, language: str | None) -> bool:
    """Whether it has a word that only whole sentences have: what stands in lists is as often a
    fragment or an instruction. Told for English (``language`` is the ISO 639-1 code); of another
    language all may be sentences."""
    if language not in (None, "en"):
        return True
    return bool(_FINITE.search(sentence))


def _closes(sentence: str) -> bool:
    """Whether each bracket that is opened is closed."""
    return sentence.count("(") == sentence.count(")") and sentence.count("[") == sentence.count("]")
