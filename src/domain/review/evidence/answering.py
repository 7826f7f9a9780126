"""How well a sentence answers a question, and the selection of quotes."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from citeloom.domain.review.planning.plan import QuestionTerms, question_words
from citeloom.domain.search.ranking import Shingles, are_near_duplicates, shingles
from citeloom.domain.search.wants import asks_for_results
from citeloom.domain.verification.claims.contradictions import reversed_words
from citeloom.domain.verification.claims.parsed_sentence import ParsedSentence, parse_sentence
from citeloom.domain.verification.quantities.quantity import missing_quantities

from .statement_kinds import StatementKind, statement_kind

#: Learned from the sentences of 58 questions, 43 of them with marks made by reading (the halves of
#: benchmarks/review_questions*.json and questions_asked.jsonl that may be tuned on); ``denies`` and
#: ``others`` are set by hand on the sample library, since few sentences have them.
WEIGHTS: Final[Mapping[str, float]] = {
    "always": 0.03, "closeness": 1.67, "context": 1.27, "odds": 0.56, "rank": -0.99,
    "denies": 4.5, "others": -0.4,
}  # fmt: skip
#: A sentence with a smaller probability that it answers is not quoted.
MIN_RELEVANCE: Final = 0.45
#: The first quotation may have this one where the reader of answers gives one of the best sentences
#: at least these log-odds.
MIN_FIRST: Final = 0.05
MIN_ANSWERED: Final = -1.5
#: One with a smaller probability is not shown as nearest either.
MIN_NEAREST: Final = 0.1
#: The log-odds of what was not read again.
UNREAD: Final = -2.4
_LEAST_ODDS, _MOST_ODDS = -6.0, 3.0
_COMPARES: Final = re.compile(
    r"\b(?:than|versus|vs|compar\w+|whereas|unlike|both|neither|prefer\w*|instead|outperform\w*|"
    r"differ\w*|superior|inferior|contrast|similar\w*|equal\w*|same)\b",
    re.I,
)
_DENIED: Final = re.compile(
    r"\b(?:no(?! doubt)|not(?! (?:only|just|surprising))|nor|never|neither|without) "
    r"(?:\w+ ){0,3}?(?:advantages?|differences?|effects?|benefits?|evidence|gains?|improve\w*|"
    r"associat\w+|relat(?:ed|ions?\w*)|correlat\w+|help\w*|affect\w*|increase\w*|decrease\w*|"
    r"reduc\w+|depend\w*|differ\w*|changed?|fall|rise|better|worse)\b",
    re.I,
)


# What is related: "does A help B", "the effect of A on B".
_RELATES: Final = re.compile(
    r"\b(?:help|improv|increas|decreas|reduc|rais|lower|affect|influenc|caus|prevent|impair|"
    r"associat|relat|correlat|predict|lead|depend|protect|benefit|support|outperform)"
    r"(?!\w*ly\b)\w*\b",
    re.I,
)
_EFFECT_OF: Final = re.compile(
    r"\b(?:effects?|impacts?|influences?|role) of (?P<one>.+?) (?:on|in|for) (?P<other>.+)", re.I
)


class AskedQuestion(NamedTuple):
    """A question with what its answers depend on. ``related`` are the stems of A if it asks for a
    relation, as in "does A help B" and "is B helped by A"."""

    text: str
    terms: QuestionTerms
    related: frozenset[str]
    for_results: bool


class Signals(NamedTuple):
    """What speaks for a sentence: its cosine to the question, the log-odds that it answers, by the
    cross-encoder, and the rank of its passage, from 0."""

    closeness: float
    odds: float
    rank: int


def asked_question(text: str, terms: QuestionTerms) -> AskedQuestion:
    stems = (stem for word in _related(text) for stem in terms.stems_of(word))
    return AskedQuestion(text, terms, frozenset(stems), asks_for_results(text))


def _related(text: str) -> Sequence[str]:
    """The words of A if a question relates two things, with content words for both."""
    if match := _EFFECT_OF.search(text):
        sides = [match["one"], match["other"]]
    elif match := _RELATES.search(text, 1):
        sides = [text[: match.start()], text[match.end() :]]
    else:
        return ()
    named = [question_words(side) for side in sides]
    return named[sides[1].startswith(" by ")] if all(named) else ()


def answer_probability(
    asked: AskedQuestion, sentence: str, context: str, headings: Sequence[str], signals: Signals
) -> float:
    """The probability, 0..1, that a sentence answers or is on the matter. ``context`` has what it
    needs to be understood, its headings and title. An expectation never answers a question for
    results."""
    kind = statement_kind(sentence, headings) if asked.for_results else StatementKind.OWN
    if kind is StatementKind.EXPECTED:
        return 0.0
    found = {
        "always": 1.0,
        "closeness": signals.closeness,
        "context": asked.terms.share(f"{context}\n{sentence}"),
        "odds": min(_MOST_ODDS, max(_LEAST_ODDS, signals.odds)),
        "rank": math.log(1 + signals.rank),
        "denies": float(denies_relation(asked, sentence)),
        "others": float(kind is StatementKind.OTHERS),
    }
    return 1 / (1 + math.exp(-sum(WEIGHTS[name] * value for name, value in found.items())))


def denies_relation(asked: AskedQuestion, sentence: str) -> bool:
    """Whether a sentence denies an effect, difference or relation of what the question asks for."""
    return bool(_DENIED.search(sentence)) and not asked.related.isdisjoint(
        asked.terms.stems_in(sentence)
    )


def says_the_opposite(question: str, sentence: str) -> bool:
    """Whether a sentence has the opposite word: *easier than* for *harder than*."""
    return bool(reversed_words(parse_sentence(question), parse_sentence(sentence)))


def compares(sentence: str) -> bool:
    """Whether a sentence compares, as answers to a comparison do."""
    return bool(_COMPARES.search(sentence))


#: Why a document is not quoted of which sentences were found.
UNCONFIRMED: Final = "another reading of its pages does not confirm its quotations"
#: Maximum number of spans of a source.
MAX_SPANS: Final = 10
# Penalty on relevance for each quote already selected from the same document.
_REPEAT_PENALTY: Final = 0.06
# Minimum relevance as a share of the step's best; lower for a document not quoted yet, which may
# say it in other words, or disagree.
_MIN_SHARE_OF_BEST: Final = 0.75
_MIN_SHARE_OF_BEST_NEW: Final = 0.6
_QUOTED: Final = "what it says is already quoted"
_SAME: Final = "another document says the same in the same words"
_KNOWN: Final = frozenset({_QUOTED, _SAME})


class QuoteCandidate(NamedTuple):
    """Whole sentences, verbatim, at ``start:end`` of the text of a document; ``relevance`` is
    0..1, ``best`` that of the best for the same query."""

    document_id: str
    start: int
    end: int
    text: str
    relevance: float
    best: float = 1.0

    @property
    def place(self) -> tuple[str, int, int]:
        return self.document_id, self.start, self.end


class QuoteSelection(NamedTuple):
    """``quotes`` by descending relevance; ``reasons`` by id of documents without a selected
    quote."""

    quotes: tuple[QuoteCandidate, ...]
    reasons: Mapping[str, str]

    @property
    def is_known(self) -> bool:
        """Whether there are candidates, and all that could be quoted is quoted already."""
        is_found = not _KNOWN.isdisjoint(self.reasons.values())
        return not self.quotes and is_found and not self.is_unconfirmed

    @property
    def is_unconfirmed(self) -> bool:
        """Whether there is no quotation, since what was found is not exact."""
        return not self.quotes and UNCONFIRMED in self.reasons.values()


def select_quotes(
    candidates: Sequence[QuoteCandidate],
    previous: Sequence[QuoteCandidate],
    limit: int,
    is_exact: Callable[[QuoteCandidate], bool] = lambda _: True,
) -> QuoteSelection:
    """At most ``limit`` of ``candidates`` (most relevant first) that add to the ``previous``
    quotes, spread over documents; at most MAX_SPANS of a document, previous ones included.
    One that is not ``is_exact`` gives way to the next. The first may be MIN_FIRST probable, unless
    what answers is quoted already."""
    remaining = [(quote, shingles(quote.text)) for quote in candidates]
    kept = [(quote, shingles(quote.text)) for quote in previous]
    of_document = Counter(quote.document_id for quote in previous)
    selected_of_document: Counter[str] = Counter()
    top = max((quote.relevance for quote in candidates), default=0.0)
    reasons: dict[str, str] = {}
    selected: list[QuoteCandidate] = []
    while remaining and len(selected) < limit:
        best = max(
            remaining,
            key=lambda pair: (
                pair[0].relevance - _REPEAT_PENALTY * selected_of_document[pair[0].document_id]
            ),
        )
        remaining.remove(best)
        quote, quote_shingles = best
        share = _MIN_SHARE_OF_BEST if of_document[quote.document_id] else _MIN_SHARE_OF_BEST_NEW
        least = MIN_RELEVANCE if selected or _KNOWN & {*reasons.values()} else MIN_FIRST
        least = max(least, share * min(top, quote.best))
        reason = _rejection(quote, quote_shingles, kept, of_document[quote.document_id], least)
        if reason is None and not is_exact(quote):
            reason = UNCONFIRMED
            candidates = [one for one in candidates if one is not quote]
            top = max((one.relevance for one in candidates), default=0.0)
        if reason is not None:
            reasons.setdefault(quote.document_id, reason)
            continue
        selected.append(quote)
        kept.append(best)
        of_document[quote.document_id] += 1
        selected_of_document[quote.document_id] += 1
    for quote, _ in remaining:
        reasons.setdefault(quote.document_id, "other documents say more on it")
    quoted = {quote.document_id for quote in selected}
    selected.sort(key=lambda quote: (-quote.relevance, quote.document_id, quote.start))
    return QuoteSelection(tuple(selected), {k: v for k, v in reasons.items() if k not in quoted})


def _rejection(
    quote: QuoteCandidate,
    quote_shingles: Shingles,
    kept: Sequence[tuple[QuoteCandidate, Shingles]],
    count: int,
    min_relevance: float,
) -> str | None:
    """The reason to reject a quote; None to select it."""
    if quote.relevance < min_relevance:
        return "what it says is not specific enough"
    if count >= MAX_SPANS:
        return f"{MAX_SPANS} quotations of it are kept already"
    for other, other_shingles in kept:
        overlap = other.start < quote.end and quote.start < other.end
        if other.document_id == quote.document_id and overlap:
            return _QUOTED
        if are_near_duplicates(quote_shingles, other_shingles) and _same_statement(
            quote.text, other.text
        ):
            return _SAME
    return None


def _same_statement(one: str, other: str) -> bool:
    """Whether near-duplicates make the same statement: equal negations, quantities and
    directions."""
    mine, theirs = parse_sentence(one), parse_sentence(other)
    return (
        len(mine.negations) == len(theirs.negations)
        and not missing_quantities(mine.quantities, theirs.quantities)
        and not missing_quantities(theirs.quantities, mine.quantities)
        and _directions(mine) == _directions(theirs)
    )


def _directions(sentence: ParsedSentence) -> list[tuple[str, int]]:
    return sorted((one.axis, one.sign) for one in sentence.directions)
