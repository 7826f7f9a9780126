"""What a library has to say on a question besides its words: the terms of what it finds at first
sight (pseudo-relevance feedback, by words and headings; nothing is learned).
"""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from citeloom.domain.review.evidence.quotable_sentences import is_statement
from citeloom.domain.review.planning.noun_phrases import is_term, uses_of
from citeloom.domain.text.language import STOP_WORDS
from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.text.terms import stem, terms
from citeloom.domain.text.words import words
from citeloom.domain.value import Value

_COMMON: Final = frozenset().union(*STOP_WORDS.values())
# Words that say what a text does, not what it is about, and headings that every paper has.
_FORMAL: Final = frozenset(
    """
    abstract acknowledgement acknowledgements acknowledgment acknowledgments additional al allow
    allows also appendix approach article aspects available background based case chapter common
    conclusion conclusions conflict content contents contribution contributions different
    discussion doi et etc example examples experience figure figures finally first following
    found future general however implications important including interest introduction large
    like limitations literature made main make makes many material materials method methodology
    methods need new number objectives one outline outlook overview paper part particular parts
    people percent percentage point points present previous provide provided provides purpose
    questions recent references related research result results review second section sections
    set several show shown significant similar since specific statement story studies study
    summary table tables third three time two use used useful user using various way ways well
    within without work works
    """.split()
)
_LONGEST: Final = 3
# Works as they are cited in a text, (Lea et al., 2019) and Lea et al. (2019), and whom it names.
_NAME: Final = r"\b[A-Z][\w'’-]+"
_CITED: Final = re.compile(
    r"\([^()]*\b(?:1[89]|20)\d\d[a-z]?\b[^()]*\)|\[[\d,;\s–-]+\]"
    rf"|{_NAME}(?: et al\b\.?| (?:and|&) {_NAME})(?= ?\()|{_NAME} et al\b\.?"
    r"|https?://\S*[^\s.,;]|\S+@\S+|\b10\.\d{4,}/\S+"
)
_LICENCE: Final = re.compile(r"\b(?:licen[sc]\w*|copyright\w*|creative commons)\b", re.I)
# Single words are terms where so many documents have them, and at most so great a share.
_FEW: Final = 3
_SHARE: Final = 0.5
_LONGER: Final = 3.0
_BETWEEN: Final = re.compile(r"[ \u00a0]")


class Seen(Value):
    """A passage that a question found at first sight. ``heading`` is the nearest one (not for
    facets: what it says of the question is in the text too)."""

    document_id: str
    heading: str | None = None
    text: str


class _FacetQuotes(NamedTuple):
    documents: set[str]
    passages: set[int]
    shown: str


def facets(question: str, seen: Sequence[Seen], most: int) -> tuple[str, ...]:
    """At most ``most`` terms (of one to three words) that passages of several documents, or else
    several passages, speak of where they speak of the question, and that the question does not
    name; the most widespread first, no two with a word in common. Single words are terms only
    where they are names, neither rare nor in most documents."""
    asked = {term.stem for term in terms(question)}
    found: dict[tuple[str, ...], _FacetQuotes] = {}
    for number, passage in enumerate(seen):
        for shown in (term for one in _sentences(passage, asked) for term in _runs(one)):
            stems = tuple(stem(word.casefold()) for word in shown.split())
            one = found.setdefault(stems, _FacetQuotes(set(), set(), shown))
            one.documents.add(passage.document_id)
            one.passages.add(number)
    known = len({passage.document_id for passage in seen})
    uses = uses_of([passage.text for passage in seen])

    def fits(stems: tuple[str, ...]) -> bool:
        documents, passages = len(found[stems].documents), len(found[stems].passages)
        if all(part in asked for part in stems) or passages < 2 or documents < min(known, 2):
            return False
        if len(stems) == 1:
            return _FEW <= documents <= _SHARE * known
        return is_term(found[stems].shown.split(), uses)

    def weight(stems: tuple[str, ...]) -> float:
        one = found[stems]
        new = sum(part not in asked for part in stems)
        return (2 * len(one.documents) + len(one.passages)) * (_LONGER if new > 1 else 1)

    chosen: list[str] = []
    taken: set[str] = set()
    for stems in sorted(filter(fits, found), key=lambda stems: -weight(stems)):
        if len(chosen) == most:
            break
        if taken.isdisjoint(set(stems) - asked):
            chosen.append(_shown(found[stems].shown))
            taken.update(stems)
    return tuple(chosen)


def _shown(term: str) -> str:
    """In small letters, but for names and abbreviations."""
    first, *rest = term.split()
    is_name = any(char.isupper() for char in first[1:]) or any(w[0].isupper() for w in rest)
    return term if is_name else term[:1].lower() + term[1:]


def _sentences(passage: Seen, asked: AbstractSet[str]) -> Iterator[str]:
    """Those of a passage that state something and have something of the question, without the
    works that they cite."""
    for start, end in sentence_spans(passage.text):
        sentence = _CITED.sub("", passage.text[start:end])
        if not is_statement(sentence) or _LICENCE.search(sentence):
            continue
        if not asked.isdisjoint(term.stem for term in terms(sentence)):
            yield sentence


def _runs(text: str) -> Iterator[str]:
    run: list[str] = []
    before = 0
    for word in words(text):
        joined = bool(_BETWEEN.fullmatch(text[before : word.start]))
        is_name = before > 0 and word.text[0].isupper()
        before = word.end
        if not joined:
            run = []
        if not _tells(word.text):
            run = []
            continue
        run.append(word.text)
        if is_name:
            yield word.text
        for length in range(2, min(len(run), _LONGEST) + 1):
            yield " ".join(run[-length:])


def _tells(word: str) -> bool:
    folded = word.casefold()
    return (
        len(word) > 2
        and word[0].isalpha()
        and folded not in _COMMON
        and folded not in _FORMAL
        and not folded.endswith("ly")
    )
