"""Facet terms of a question by pseudo-relevance feedback: frequent noun phrases of the passages
that its first search returns."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from citeloom.domain.review.evidence.quotable_sentences import is_statement
from citeloom.domain.review.planning.noun_phrases import is_noun_phrase, word_usage
from citeloom.domain.text.language import STOP_WORDS
from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.text.terms import stem, terms
from citeloom.domain.text.words import words
from citeloom.domain.value import Value

_STOP_WORDS: Final = frozenset().union(*STOP_WORDS.values())
# Words of discourse rather than subject, and headings that every paper has.
_GENERIC_WORDS: Final = frozenset(
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
_MAX_WORDS: Final = 3
# In-text citations, (Lea et al., 2019) and Lea et al. (2019), addresses and DOIs.
_NAME: Final = r"\b[A-Z][\w'’-]+"
_CITATION: Final = re.compile(
    r"\([^()]*\b(?:1[89]|20)\d\d[a-z]?\b[^()]*\)|\[[\d,;\s–-]+\]"
    rf"|{_NAME}(?: et al\b\.?| (?:and|&) {_NAME})(?= ?\()|{_NAME} et al\b\.?"
    r"|https?://\S*[^\s.,;]|\S+@\S+|\b10\.\d{4,}/\S+"
)
_LICENCE: Final = re.compile(r"\b(?:licen[sc]\w*|copyright\w*|creative commons)\b", re.I)
# A single word is a facet if at least so many documents have it, and at most this share.
_MIN_DOCUMENTS: Final = 3
_MAX_DOCUMENT_SHARE: Final = 0.5
_MULTIWORD_FACTOR: Final = 3.0
_SPACE: Final = re.compile(r"[ \u00a0]")


class InitialPassage(Value):
    """A passage of the question's first search. ``heading`` is the nearest one; facets are taken
    from the text only."""

    document_id: str
    heading: str | None = None
    text: str


class _Occurrences(NamedTuple):
    documents: set[str]
    passages: set[int]
    phrase: str


def facet_terms(
    question: str, initial_passages: Sequence[InitialPassage], limit: int
) -> tuple[str, ...]:
    """At most ``limit`` terms of one to three words from sentences that share a term with the
    question, the most widespread first.

    A term is not in the question, occurs in several passages (and documents, if there are
    several), and shares no word with an earlier one. Single words must be names, neither rare
    nor in most documents."""
    question_stems = {term.stem for term in terms(question)}
    candidates: dict[tuple[str, ...], _Occurrences] = {}
    for number, passage in enumerate(initial_passages):
        for phrase in (
            term
            for occurrences in _sentences(passage, question_stems)
            for term in _phrases(occurrences)
        ):
            stems = tuple(stem(word.casefold()) for word in phrase.split())
            occurrences = candidates.setdefault(stems, _Occurrences(set(), set(), phrase))
            occurrences.documents.add(passage.document_id)
            occurrences.passages.add(number)
    document_count = len({passage.document_id for passage in initial_passages})
    usage = word_usage([passage.text for passage in initial_passages])

    def is_facet(stems: tuple[str, ...]) -> bool:
        documents, passages = len(candidates[stems].documents), len(candidates[stems].passages)
        if (
            all(part in question_stems for part in stems)
            or passages < 2
            or documents < min(document_count, 2)
        ):
            return False
        if len(stems) == 1:
            return _MIN_DOCUMENTS <= documents <= _MAX_DOCUMENT_SHARE * document_count
        return is_noun_phrase(candidates[stems].phrase.split(), usage)

    def weight(stems: tuple[str, ...]) -> float:
        occurrences = candidates[stems]
        new_words = sum(part not in question_stems for part in stems)
        return (2 * len(occurrences.documents) + len(occurrences.passages)) * (
            _MULTIWORD_FACTOR if new_words > 1 else 1
        )

    selected: list[str] = []
    used_stems: set[str] = set()
    for stems in sorted(filter(is_facet, candidates), key=lambda stems: -weight(stems)):
        if len(selected) == limit:
            break
        if used_stems.isdisjoint(set(stems) - question_stems):
            selected.append(_displayed(candidates[stems].phrase))
            used_stems.update(stems)
    return tuple(selected)


def _displayed(term: str) -> str:
    """In lower case, except names and abbreviations."""
    first, *rest = term.split()
    is_name = any(char.isupper() for char in first[1:]) or any(w[0].isupper() for w in rest)
    return term if is_name else term[:1].lower() + term[1:]


def _sentences(passage: InitialPassage, question_stems: AbstractSet[str]) -> Iterator[str]:
    """Statements of a passage that share a term with the question, without citations."""
    for start, end in sentence_spans(passage.text):
        sentence = _CITATION.sub("", passage.text[start:end])
        if not is_statement(sentence) or _LICENCE.search(sentence):
            continue
        if not question_stems.isdisjoint(term.stem for term in terms(sentence)):
            yield sentence


def _phrases(text: str) -> Iterator[str]:
    run: list[str] = []
    before = 0
    for word in words(text):
        joined = bool(_SPACE.fullmatch(text[before : word.start]))
        is_name = before > 0 and word.text[0].isupper()
        before = word.end
        if not joined:
            run = []
        if not _is_content_word(word.text):
            run = []
            continue
        run.append(word.text)
        if is_name:
            yield word.text
        for length in range(2, min(len(run), _MAX_WORDS) + 1):
            yield " ".join(run[-length:])


def _is_content_word(word: str) -> bool:
    folded = word.casefold()
    return (
        len(word) > 2
        and word[0].isalpha()
        and folded not in _STOP_WORDS
        and folded not in _GENERIC_WORDS
        and not folded.endswith("ly")
    )
