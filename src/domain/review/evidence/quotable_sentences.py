"""Quotable sentences: complete statements, and the sentences that they need to be understood.

Sentences in which a document speaks of itself: roadmap, aims, contributions. English only.

Sentences that point back, and the sentences that they need to be understood. For English; in other
languages no sentence points back.
"""

import re
from collections.abc import Sequence
from typing import Final

from citeloom.domain.text.scripts import MARKS
from citeloom.domain.text.sentences import Span

#: Length of a quotation in characters.
SHORTEST: Final = 30
LONGEST: Final = 500
_MIN_WORDS: Final = 5
_PART_NUMBER: Final = re.compile(r"\([^()]*\)|(?<!\w)(?P<number>\d|[a-h]|[ivx]{1,4})\)\s")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_FIRST_WORD: Final = re.compile(r"\w+(?:-\w+)*")
_BEGINS: Final = re.compile(r"[\"'“‘«(\[¿¡]*(?:[^\W\d_]|\d)")
_ENDS: Final = re.compile(
    rf"[.!。！।…][\"'”’»)\]]*(?:\[[\d,\s–-]+\]|\d{{1,3}}|\s?{MARKS}|\^[a-z])?\Z"
)
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
#: One that begins with a mark and initials: "[19] Hinton G. 2012 …", "[HT91] L. Smith. … 1991".
MARKED_ENTRY: Final = re.compile(
    r"\s*\[(?:\d{1,3}|[A-Z][\w+]{0,9}\d\d[a-z]?)\]\s(?:[^\W\d_][\w’'-]+,?\s){0,3}[A-Z]\."
    r"[^\n]{0,200}?\b(?:1[89]|20)\d\d\b"
)
_INITIALS: Final = re.compile(r"\b[A-Z][\w'’-]+,\s(?:[A-Z]\.[\s,&-]*)+\(?\d{4}")
# A finite verb: an auxiliary, a verb of a pronoun, or any verb with an object.
_FINITE_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|cannot|could|will|would|may|might|must|should|do|does|"
    r"did)\b|\b(?:it|we|they|he|she|this|which|that|who) [a-z]+(?:s|ed)\b|"
    r"\w \w+(?:s|ed) (?:the|an?|its|their|our|these|those|how|what|whether|that|no|more|less)\b|"
    r"\w[^\Wsu]s (?:\w+ly )?(?!(?:\w+ing|a(?:bout|cross|fter|gainst|ll|long|mong|nd|round|s|t)|"
    r"between|before|behind|beside|beyond|but|by|during|except|for|from|how|if|in(?:side|to)?|like|"
    r"near|not|off?|on(?:to)?|or|out(?:side)?|over|per|since|than|that|through(?:out)?|"
    r"to(?:wards?)?|under|unlike|until|upon|versus|via|wh\w+|with\w*)\b)[a-z]{3,} "
    r"(?:the|an?|its|their)\b",
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

# Availability notices are not evidence.
_WEB: Final = re.compile(r"https?:|\bwww\.", re.I)
#: Undecoded characters: noncharacters, private use, controls, replacements.
UNREADABLE: Final = re.compile(
    "[\u25af\ufffc-\uffff\ufdd0-\ufdef\ue000-\uf8ff\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
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


def is_back_matter(heading: str) -> bool:
    """Whether ``heading`` is that of back matter: acknowledgements, funding, references, …"""
    return bool(_BACK_MATTER.fullmatch(heading.strip()))


def bullet_length(sentence: str) -> int:
    """Length of the list marker at the start of a sentence, in characters."""
    mark = _BULLET.match(sentence)
    return mark.end() if mark else 0


def is_fragment(sentence: str, title: str = "") -> bool:
    """Whether the start of a sentence is lost: it begins in lower case, with another name than its
    work's ``title`` begins with (*nbgrader*), and is not an item of a list or a row."""
    first, named = (_FIRST_WORD.findall(text)[:1] for text in (sentence, title))
    is_listed = bullet_length(sentence) or "\n" in sentence
    begins_low = any(word[0].islower() and word.islower() for word in first)
    return begins_low and first != named and not is_listed


def is_statement(sentence: str, title: str = "") -> bool:
    """Whether ``sentence`` of the work ``title`` is a complete statement: no fragment, question,
    caption, notice or reference list entry."""
    if not SHORTEST <= len(sentence) <= LONGEST:
        return False
    words = _WORD.findall(sentence)
    letters = sum(char.isalpha() for char in sentence)
    visible = sum(not char.isspace() for char in sentence)
    return (
        len(words) >= _MIN_WORDS
        and letters >= 0.7 * visible
        and not is_fragment(sentence, title)
        and bool(_BEGINS.match(sentence))
        and bool(_ENDS.search(sentence))
        and not sentence.isupper()
        and not _REFERENCE_ENTRY.search(sentence)
        and not _INITIALS.search(sentence)
        and not _NOTICE.match(sentence)
        and not _AUTHOR_NOTE.search(sentence)
        and _has_balanced_brackets(sentence)
        and not _WEB.search(sentence)
        and not UNREADABLE.search(sentence)
    )


def has_verb(sentence: str, language: str | None) -> bool:
    """Whether a sentence has a finite verb; list items are often fragments or instructions.
    English only (``language`` is an ISO 639-1 code); True for other languages."""
    if language not in (None, "en"):
        return True
    return bool(_FINITE_VERB.search(sentence))


def _has_balanced_brackets(sentence: str) -> bool:
    """Whether each bracket is closed; *i)* and *b)* number the parts of a sentence."""
    opened = sentence.count("(")
    numbers = sum(one["number"] is not None for one in _PART_NUMBER.finditer(sentence))
    return opened <= sentence.count(")") <= opened + numbers and (
        sentence.count("[") == sentence.count("]")
    )


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
    r".*(?<!\band )(?<!\bor )(?<!\bwell )\b(?:below|as follows)\.\Z|"
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
    """Whether a question asks for the authors' aims, proposals or beliefs."""
    return bool(_ASKED_FOR.search(question))


#: Maximum length in characters of a quotation of several sentences.
LONGEST_CHAIN: Final = 700

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
    r"(?:they|he|she|its|their|his|her|them|such|neither|either|here|"
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
    r"\W*(?:in contrast|by contrast|instead|conversely|on the (?:contrary|other hand)|hence|thus|"
    r"as a (?:result|consequence)|consequently|therefore|accordingly|nevertheless|nonetheless|"
    r"otherwise|likewise|similarly|rather|indeed|still|then|for (?:example|instance)|"
    r"in (?:this|that|these|both|either|such|the (?:first|second|latter|former)) \w+|"
    r"(?:for|to|from|with|by|at|on|of|under|among|within|despite|between|after|before) (?:this|"
    r"that|these|those|them|it)|(?:second|third|fourth|fifth)(?:ly)?|but|and|or|nor|so|yet)\b",
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
    """The span of sentence ``number`` with those before it that it needs, at most LONGEST_CHAIN
    characters; None if a pronoun's are not in ``text`` or too long."""
    first = number
    while points_back(sentence := text[slice(*sentences[first])]):
        if first == 0 or sentences[number][1] - sentences[first - 1][0] > LONGEST_CHAIN:
            if _PRONOUN.match(sentence):
                return None
            break
        first -= 1
    return sentences[first][0], sentences[number][1]
