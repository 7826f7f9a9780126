"""A sentence with its terms, quantities and polarity, and its alignment with another."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from citeloom.domain.text.terms import Term, stem, terms
from citeloom.domain.text.words import STOP_WORDS, forms, words
from citeloom.domain.verification.quantities.numerals import MAGNITUDES, NUMERALS, in_base
from citeloom.domain.verification.quantities.quantity import Quantity, quantities, unstated

from .polarity import NUMBER, Direction, Negation, directions, negations

# Synonym groups of the English of papers, one a line; directions have axes of their own.
_SYNONYMS: Final = """
use utilize utilise employ apply application usage
method approach technique procedure
show demonstrate reveal find report observe indicate describe present
study paper article work research investigation
author researcher scholar investigator
participant subject respondent
child children
student pupil learner
teacher instructor educator
provide offer supply give
contain comprise include consist
create build construct develop
examine investigate explore analyze analyse assess evaluate
perform conduct
put place
address meet
occur happen arise
allow enable permit let
stay remain
wish want
choose select pick
whole entire
several multiple various
important crucial essential
main primary principal
goal aim objective purpose
result outcome
way manner
part portion
software program programme tool package
aid help assist support
require need
obtain get gain acquire
rapid fast quick
big large
purchase buy
start begin commence
end finish conclude
also additionally moreover furthermore
license licence
center centre
datacenter datacentre
add
behavior behaviour
color colour
modeled modelled
labeled labelled
defense defence
"""


def _synonym_stems() -> Mapping[str, str]:
    stems = {}
    for line in _SYNONYMS.strip().splitlines():
        first, *others = line.split()
        for word in (first, *others):
            base = word.removesuffix("e")
            for form in (word, f"{word}s", f"{word}d", f"{base}ed", f"{base}ing"):
                stems[stem(form)] = stem(first)
    return stems


_CANONICAL_STEMS: Final = _synonym_stems()


def synonym_stem(stemmed: str) -> str:
    """The canonical stem of a synonym group."""
    return _CANONICAL_STEMS.get(stemmed, stemmed)


# A plain wording, and phrases that say the same.
_PHRASES: Final = """
to: in order to, so as to
for example: for instance, e.g.
use: make use of
uses: makes use of
used: made use of
using: making use of, by means of
because of: due to, owing to, on account of
and: as well as
through: via
argue that: hold that, contend that, maintain that
argues that: holds that, contends that, maintains that
argued that: held that, contended that, maintained that
before: prior to
perform: carry out
performs: carries out
performed: carried out
performing: carrying out
each other: one another
without: with no
anyone: anybody
remains: is still
remain: are still
however: by contrast, in contrast, on the other hand, nevertheless, nonetheless
can: is able to, are able to
about: approximately, roughly
now: currently, at present
except: other than, apart from
above: more than, over, greater than, in excess of
below: less than, fewer than, under
need not: do not need to, does not need to, did not need to, do not have to, does not have to, \
did not have to, don't need to, doesn't need to, don't have to, doesn't have to, needn't
neither of the: neither of the two
built on: built around, structured around, organized around, organised around, centered around
"""
# Before a number these are bounds, else comparisons and places.
_BEFORE_NUMBERS: Final = frozenset({"above", "below"})
_PLAIN: Final = {
    phrase.strip(): plain
    for plain, _, phrases in (line.partition(": ") for line in _PHRASES.strip().splitlines())
    for phrase in phrases.split(",")
}
_PHRASE: Final = re.compile(
    "|".join(
        rf"\b{re.escape(one)}(?=\s(?:{NUMBER}))"
        if _PLAIN[one] in _BEFORE_NUMBERS
        else rf"\b{re.escape(one)}(?!\w)"
        for one in sorted(_PLAIN, key=len, reverse=True)
    ),
    re.IGNORECASE,
)
# "More specifically, …": leads on to the sentence, and says nothing of how much.
_DISCOURSE: Final = re.compile(
    r"\A\W*(?:(?:more|most)\s)?(?:specifically|precisely|generally|importantly|notably|interestingly"
    r"|remarkably|concretely|accordingly|overall|here|indeed|in fact|in particular|in practice"
    r"|in general|to date),?\s(?=\S)",
    re.IGNORECASE,
)


# "by a factor of 5 to 10": 5 to 10 times.
_FACTOR: Final = re.compile(
    r"\bby (?:a factor|factors) of "
    r"((?:about |approximately )?\d[\d.,]*(?:\s?(?:to|–|-)\s?\d[\d.,]*)?)(?<![.,])",
    re.IGNORECASE,
)


# "PDP-7 and -9": PDP-7 and PDP-9.
_SUSPENDED: Final = re.compile(r"\b([^\W\d_]+)(-\w+,? (?:and|or)) (?=-\w)")


def whole_names(text: str) -> str:
    return _SUSPENDED.sub(r"\1\2 \1", text)


def plain_phrases(text: str) -> str:
    """The text with each known phrase in its plain wording, without what leads on to it."""
    text = _FACTOR.sub(r"\1 times", _DISCOURSE.sub("", whole_names(text)))
    return _PHRASE.sub(lambda match: _PLAIN[match[0].casefold()], text)


_NAME_WEIGHT: Final = 2.0  # of names and abbreviations, relative to other content words
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
    r"\s?\((?:[^()\d]{0,80}[^\W\d_]\.?,?\s(?:1[89]|20)\d\d[a-z]?(?:,\spp?\.\s[\d–-]+)?[;,]?\s?)++\)"
    r"|\s?\[\d+(?:\s?[,;–-]\s?\d+)*\]"
)


_NUMERAL: Final = re.compile(rf"\S*\d\S*|{'|'.join((*NUMERALS, *MAGNITUDES))}", re.IGNORECASE)


# "That said, …", "It can be shown that …": asserts what follows.
_ASSERTED: Final = re.compile(
    r"\A\W*(?:that said,|(?:it|this) can be (?:shown|seen|proved|proven|verified|checked) that|"
    r"(?:one|we) can (?:show|see|prove|verify|check) that)\s(?=\S)",
    re.IGNORECASE,
)
_OR_MORE: Final = re.compile(r"(?<![\w.,])(\d[\d.,]*)\+(?=[\s.,;:)]|\Z)(?!\s?\d)")


class ParsedSentence(NamedTuple):
    """A sentence with its terms (by the stem of their synonyms, without those in quantities),
    quantities, directions and negations."""

    text: str
    terms: tuple[Term, ...]
    quantities: tuple[Quantity, ...]
    directions: tuple[Direction, ...]
    negations: tuple[Negation, ...]


def parse_sentence(text: str) -> ParsedSentence:
    """Citation marks are left out, and phrases of one meaning put in one wording."""
    text = _OR_MORE.sub(r"at least \1", _ASSERTED.sub("", _CITATION_MARK.sub("", text)))
    text = plain_phrases(text)
    stated = quantities(text)
    numerals = {at for one in stated for at in range(one.start, one.end)}
    content = tuple(
        one._replace(stem=synonym_stem(one.stem))
        for one in terms(text)
        if one.start not in numerals or not _NUMERAL.fullmatch(text[one.start : one.end])
    )
    return ParsedSentence(text, content, stated, directions(text), negations(text))


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
    """Stems of the content words of ``sentences``, also of units without a space: *92GB*."""
    units = (unit for one in sentences for q in one.quantities for unit in _UNIT.findall(q.text))
    known = frozenset(term.stem for sentence in sentences for term in sentence.terms)
    return known.union(stem(unit.casefold()) for unit in units)


def is_told_of_others(
    claim: ParsedSentence, source: ParsedSentence, sentences: Sequence[ParsedSentence]
) -> bool:
    """Whether one of ``sentences`` on the same subject, which denies if the claim does, states a
    number of the claim that ``source`` lacks. ``source`` then speaks of something else, unless it
    states another number of a claim that denies nothing."""
    lacking = unstated(claim.quantities, source.quantities)
    if not lacking or (len(lacking) < len(claim.quantities) and not claim.negations):
        return False
    return any(
        len(unstated(lacking, other.quantities)) < len(lacking)
        and bool(other.negations) == bool(claim.negations)
        and coverage(claim, stems_of(other)) >= 0.6
        for other in sentences
    )


_UNIT: Final = re.compile(r"(?<=\d)[^\W\d_]{2,}")
# Single letters as names of samples, programs, statistics; an "A" that begins a sentence only with
# another one.
_LETTER: Final = re.compile(r"(?<![\w.'’])(?!I\b)[A-Z](?![\w'’])")
# Function words, and words that have checks of their own.
_IGNORED: Final = STOP_WORDS["en"] | frozenset(
    "although though whereas despite however therefore hence might could may respectively via "
    "among within upon et al".split()
)
# What stands before a word that does not begin a sentence or a quotation.
_WITHIN: Final = re.compile(r"[\w,;)’'-]\s*\Z")
_SPACES: Final = 8  # at most, between it and the word


class Token(NamedTuple):
    """A content word or quantity at ``start``, compared by ``key``."""

    start: int
    key: str


# Not *They trained the model that we describe*.
_FIRST_PERSON: Final = re.compile(
    r"(?s)(?!\W*(?:They|She|He)\b).*?\b(?:I|[Ww]e|[Oo]ur|[Mm]y)\b(?!\.)"
)


def self_reference(source: ParsedSentence) -> frozenset[str]:
    """The stem by which a claim names who says *we* or *I* in its source: the author."""
    return frozenset({stem("author")}) if _FIRST_PERSON.match(source.text) else frozenset()


# Each claim is compared with many sentences, in several ways.
@lru_cache(maxsize=256)
def content_tokens(sentence: ParsedSentence) -> tuple[Token, ...]:
    """Content words and quantities in order."""
    in_quantity = {at for one in sentence.quantities for at in range(one.start, one.end)}
    tokens = []
    for word in words(sentence.text):
        capital = word.text[:1].isupper() and _WITHIN.search(
            sentence.text, max(0, word.start - _SPACES), word.start
        )
        is_number = {word.start, word.start + len(word.text) - 1} <= in_quantity
        for part in forms(word.text).parts:
            if is_number or not any(char.isalpha() for char in part):
                continue
            if len(part) > 1 and (part not in _IGNORED or (capital and word.text.isalpha())):
                tokens.append(Token(word.start, synonym_stem(stem(part))))
    letters = [Token(one.start(), one[0]) for one in _LETTER.finditer(sentence.text)]
    is_article = [_is_article(sentence.text, one) for one in letters]
    tokens += letters if not all(is_article) else []
    for quantity in sentence.quantities:
        value, unit = in_base(quantity.value, quantity.unit)
        tokens.append(Token(quantity.start, f"{value.normalize():f} {unit}"))
    return tuple(sorted(set(tokens)))


def _is_article(text: str, letter: Token) -> bool:
    """Whether a letter is an *A* that begins a sentence or quotation, not one of *group A*."""
    return letter.key == "A" and not _WITHIN.search(
        text, max(0, letter.start - _SPACES), letter.start
    )


def alignment_of(claim_tokens: Sequence[Token], source_tokens: Sequence[Token]) -> list[int]:
    """Indices in the evidence of the shared tokens, in the sentence's order; of repeated tokens
    the first index after the previous one."""
    alignment: list[int] = []
    source_keys = [token.key for token in source_tokens]
    for token in claim_tokens:
        places = [at for at, key in enumerate(source_keys) if key == token.key]
        after = [at for at in places if not alignment or at > alignment[-1]]
        if places:
            alignment.append(after[0] if after else places[-1])
    return alignment


def is_in_order(claim: ParsedSentence, source: ParsedSentence) -> bool:
    """Whether the words that both sentences have stand in the same order."""
    places = alignment_of(content_tokens(claim), content_tokens(source))
    return places == sorted(places)


def word_at(text: str, start: int) -> str:
    """The word that begins at an offset."""
    match = re.compile(r"[\w’'.-]+").match(text, start)
    return (match[0] if match else text[start : start + 20]).rstrip(".")


# "(out of 60 points)"; "; costs fell", ", and costs fell": asides and further clauses. What hedges,
# attributes or denies governs what follows; what restricts is tied to what it follows.
_ASIDE: Final = re.compile(r"\s?\([^()]*\)")
_CLAUSES: Final = re.compile(
    r"[;:]\s|,\s(?:and|while|whereas|which|although|though)\s|,?\s(?:but|yet)\s|\sand\s"
    r"|\s(?:in spite of|despite)\s",
    re.I,
)
_GOVERNS: Final = re.compile(
    r"\A\W*(?:in|for|among|under|with|during)\b|\b(?:may|might|could|possibl\w+|likely|suggest\w*|appear\w*|seem\w*|if|whether|hypothes\w*|not"
    r"|assum\w*|claim\w*|believ\w*|argu\w*|expect\w*|predict\w*|when|unless|only)\b",
    re.I,
)
# The second group: after a conjunction without a comma.
_TIES: Final = re.compile(
    r"[^;]*\b(?:only|unless|except|if|provided|not|may|might)\b|\s[^;]*\b(?:this|no|never|neither|nor"
    r"|none|rarely|seldom|hardly|few|false|wrong|myth|refuted|until|\w+s\s(?:less|fewer)\sthan)\b",
    re.I,
)


_MOST_ASIDES: Final = 20  # more are not in a sentence that a person reads


# Before an *and* without a comma, these may govern what follows it, too.
_OVER_AND: Final = re.compile(
    r"\b(?:that|to|how|why|will|would|shall|should|must|no|never|neither|without|doubt\w*|hop\w+"
    r"|aim\w*|propos\w*|plan\w*|want\w*|wish\w*|postulat\w*|theori[sz]\w+|tr(?:y|ies|ied)"
    r"|attempt\w*|tests?|tested|ask\w*|sa(?:y|ys|id)|den(?:y|ies|ied)|thinks?|thought|let|who\w*"
    r"|which|what|where|rarely|seldom|hardly|scarcely|barely|little|few\w*)\b",
    re.I,
)
# A clause has a verb; *lack of trees and* does not.
_VERB: Final = re.compile(r"\b(?:am|is|are|was|were|be|been|can|has|have|had|do|does|did)\b", re.I)


def _goes_on(text: str, start: int) -> bool:
    """Whether the words before a conjunction without a comma may govern what follows it."""
    words = text[:start]
    return text[start] not in ",;:" and bool(_OVER_AND.search(words) or not _VERB.search(words))


def without_asides(claim: ParsedSentence, source: ParsedSentence) -> str:
    """The source without the brackets and independent clauses that have no word of the claim
    which is not elsewhere in it."""
    known = {token.key for token in content_tokens(claim)}
    tokens = [one for one in content_tokens(source) if one.key in known]
    left = [(0, len(source.text))]

    def shared(spans: Sequence[tuple[int, int]]) -> set[str]:
        return {t.key for t in tokens if any(start <= t.start < end for start, end in spans)}

    cuts = [one.span() for one in _ASIDE.finditer(source.text)]
    ends = [one.span() for one in _CLAUSES.finditer(source.text)]
    cuts += [
        (0, end)
        for start, end in reversed(ends)
        if source.text[start] == ";"
        or not (_GOVERNS.search(source.text[:end]) or _goes_on(source.text, start))
    ]
    cuts += [(start, len(source.text)) for start, _ in ends if not _TIES.match(source.text, start)]
    for start, end in cuts[:_MOST_ASIDES]:
        parts = [(a, min(b, start)) for a, b in left] + [(max(a, end), b) for a, b in left]
        shorter = sorted((a, b) for a, b in parts if a < b)
        if shorter and shared(shorter) == shared(left):
            left = shorter
    return re.sub(r"\s+(?=[\s,.;:])", "", " ".join(source.text[a:b].strip() for a, b in left))


# After the last word that a sentence repeats: what restricts or attributes that is not cut off.
_TAIL: Final = re.compile(
    r"[,;:–—(]\s?(?!(?:if|unless|except|provided|but|although|though|when|according|as|at least"
    r"|it|may|might|perhaps|possibly|probably|likely|presumably|apparently|albeit|only|in some"
    r"|at times|mostly|mainly|usually|often)\b)"
)


def without_tail(claim: ParsedSentence, source: ParsedSentence) -> str:
    """The source up to the end of the clause with the last word that the claim has, too."""
    tokens = content_tokens(source)
    shared = {token.key for token in content_tokens(claim)}
    last = max((token.start for token in tokens if token.key in shared), default=None)
    tail = None if last is None else _TAIL.search(source.text, last)
    return source.text[: tail.start()] if tail else source.text
