"""How well a sentence answers a question, and the selection of quotes."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from citeloom.domain.review.planning.plan import QuestionTerms, question_words
from citeloom.domain.review.planning.questions import result_score
from citeloom.domain.search.ranking import Shingles, are_near_duplicates, shingles
from citeloom.domain.search.wants import (
    ATTITUDE,
    CAUSE,
    CONDITION,
    DIFFICULTY,
    WARNING,
    asks_for_quantity,
    asks_for_results,
)
from citeloom.domain.verification.claims.parsed_sentence import ParsedSentence, parse_sentence
from citeloom.domain.verification.quantities.quantity import missing_quantities

from .quotable_sentences import states_quantity
from .statement_kinds import StatementKind, statement_kind

#: A sentence must be as close to the question as this, and as this share of the closest.
MIN_CLOSENESS: Final = 0.3
MIN_OF_CLOSEST: Final = 0.5
#: A sentence must cover this share of the weight of the question's words.
MIN_COVERAGE: Final = 0.6
#: The same of a sentence that found no relation, where one is asked for: who disagrees is heard,
#: in words that are often farther from the question.
MIN_OF_CLOSEST_DENIED: Final = 0.45
MIN_COVERAGE_DENIED: Final = 0.5
#: Each side of a comparison or a relation must be covered so far.
MIN_SIDE: Final = 0.4
#: A sentence less of a finding than this is not an answer to a question for results.
MIN_FINDING: Final = 0.2
# Both sides of a relation are covered so far by a sentence that relates them by any verb; with
# less it has a word of effects, comparison or quantity.
_BOTH_SIDES: Final = 0.6
# By so much the closeness to a question falls if it loses a word that the sentence paraphrases.
_PARAPHRASED: Final = 0.08
_IN_CONTEXT: Final = 0.6
# The subject of a relation may be named anywhere in the paragraph.
_IN_PARAGRAPH: Final = 0.5
# A word without which the question is closer is not spoken of.
_NOT_SPOKEN_OF: Final = -0.3
_FINDING: Final = 0.2
_QUANTITY: Final = 0.15
_CAUSE: Final = 0.1
_HEDGE: Final = 0.05
_OF_OTHERS: Final = 0.1
_COMPARES: Final = re.compile(
    r"\b(?:than|versus|vs|compar\w+|whereas|unlike|both|neither|prefer\w*|instead|outperform\w*|"
    r"differ\w*|superior|inferior|contrast|similar\w*|equal\w*|same)\b",
    re.I,
)
_RELATION: Final = re.compile(
    r"\b(?:help\w*|improv\w+|increas\w+|decreas\w+|reduc\w+|rais\w+|lower\w*|gain\w*|lost|"
    r"benefi\w+|advantage\w*|effects?|effective\w*|affect\w*|impact\w*|influenc\w+|differ\w*|"
    r"associat\w+|correlat\w+|related|predict\w*|significant\w*|positive\w*|negative\w*|enabl\w+|"
    r"facilitat\w+|ideal|success\w*|satisf\w+|prevent\w*|worth\w*|useful|worse|better|best|"
    r"more|less|fewer|than|faster|slower|costs?|no|not|none|half|halves?|twice|per cent|"
    r"percent\w*|smalle\w+|large[rs]\w*|highe\w+)\b|%|\d\.\d",
    re.I,
)
_NOUNS: Final = frozenset("impact impacts effect effects cost costs gain advantage".split())
_DENIED: Final = re.compile(
    r"\b(?:no|not|nor|never|neither|without) (?:\w+ ){0,3}?(?:advantages?|differences?|effects?|"
    r"benefits?|evidence|gains?|improve\w*|associat\w+|relat(?:ed|ions?\w*)|correlat\w+|help\w*|"
    r"affect\w*|increase\w*|decrease\w*|reduc\w+|depend\w*|differ\w*|changed?|fall|rise|better|"
    r"worse)\b",
    re.I,
)
_HEDGED: Final = re.compile(
    r"\b(?:may|might|could|would|presumably|perhaps|possibly|seems?|suspect\w*|likely|hopefully|"
    r"should)\b",
    re.I,
)


# What is related: "does A help B", "the effect of A on B".
_RELATES: Final = re.compile(
    r"\b(?:help|improv|increas|decreas|reduc|rais|lower|affect|influenc|caus|prevent|impair|"
    r"associat|relat|correlat|predict|lead|depend|protect|benefit|support|outperform)\w*\b",
    re.I,
)
_EFFECT_OF: Final = re.compile(
    r"\b(?:effects?|impacts?|influences?|role) of (?P<one>.+?) (?:on|in|for) (?P<other>.+)", re.I
)


# What a question asks for, and what its answer must have.
_KINDS: Final = (DIFFICULTY, CONDITION, ATTITUDE, WARNING)


class AskedQuestion(NamedTuple):
    """A question with what its answers depend on. ``shorter`` is the question without each of
    its content words; ``related`` are the words of what it relates to each other."""

    text: str
    terms: QuestionTerms
    shorter: Mapping[str, str]
    related: tuple[tuple[str, ...], ...]
    for_results: bool
    for_quantity: bool
    for_cause: bool
    for_difficulty: bool


class Closenesses(NamedTuple):
    """Cosines of a sentence: to the question, and to the question without each word."""

    whole: float
    shorter: Mapping[str, float]


def asked_question(text: str, terms: QuestionTerms) -> AskedQuestion:
    words = question_words(text)
    shorter = {
        word: re.sub(rf"(?<!\w){re.escape(word)}(?!\w)\s*", "", text).strip() for word in words
    }
    return AskedQuestion(
        text,
        terms,
        {word: rest for word, rest in shorter.items() if any(map(str.isalnum, rest))},
        _related(text),
        asks_for_results(text),
        asks_for_quantity(text),
        bool(CAUSE.asks.search(text)),
        bool(DIFFICULTY.asks.search(text)),
    )


def _related(text: str) -> tuple[tuple[str, ...], ...]:
    """The content words on both sides of a relation; empty if the question asks for none."""
    if match := _EFFECT_OF.search(text):
        sides = [match["one"], match["other"]]
    elif match := _RELATES.search(text, 1):
        sides = [text[: match.start()], text[match.end() :]]
    else:
        return ()
    words = tuple(question_words(side) for side in sides)
    return words if all(words) else ()


def covered_words(
    asked: AskedQuestion, sentence: str, context: str, close: Closenesses
) -> Mapping[str, float]:
    """How far a sentence covers each word of the question, 0..1: the word itself, in ``context``
    (its heading, the sentence before), or a paraphrase, without which the question is less
    close."""
    present, around = asked.terms.stems_in(sentence), asked.terms.stems_in(context)
    covered: dict[str, float] = {}
    for word in question_words(asked.text):
        stems = asked.terms.stems_of(word)
        if stems & present:
            covered[word] = 1.0
            continue
        if DIFFICULTY.asks.fullmatch(word) and DIFFICULTY.has.search(sentence):
            covered[word] = 1.0
            continue
        gain = close.whole - close.shorter.get(word, close.whole)
        paraphrased = min(1.0, max(_NOT_SPOKEN_OF, gain / _PARAPHRASED))
        covered[word] = max(paraphrased, _IN_CONTEXT) if stems & around else paraphrased
    return covered


def coverage(asked: AskedQuestion, covered: Mapping[str, float]) -> float:
    """The covered share of the weight of words of the question, 0..1."""
    weights = {word: asked.terms.weight_of(word) for word in covered}
    total = sum(weights.values())
    share = sum(weights[word] * covered[word] for word in covered) / total if total else 0.0
    return max(0.0, share)


def is_answer(
    asked: AskedQuestion,
    sentence: str,
    headings: Sequence[str],
    covered: Mapping[str, float],
    paragraph: str = "",
) -> bool:
    """Whether a sentence that covers a question is of the kind asked for: a finding on both sides
    of a relation if the question is about results, a difficulty if it is about difficulties."""
    side = _least_side(asked, covered, paragraph)
    least = MIN_COVERAGE_DENIED if denies_relation(asked, sentence) else MIN_COVERAGE
    if coverage(asked, covered) < least or side < MIN_SIDE:
        return False
    if any(kind.asks.search(asked.text) and not kind.has.search(sentence) for kind in _KINDS):
        return False
    if not asked.for_results:
        return True
    if statement_kind(sentence, headings) is StatementKind.EXPECTED:
        return False
    relates = bool(asked.related) and side >= _BOTH_SIDES
    return result_score(sentence, headings) >= MIN_FINDING and (
        relates or _relates(asked, sentence)
    )


def _relates(asked: AskedQuestion, sentence: str) -> bool:
    """Whether a sentence has a word of effects, comparison, attitude or quantity; a noun of the
    question (*impact assessment*) does not count."""
    own = {word.casefold() for word in question_words(asked.text)} & _NOUNS
    found = (match[0].casefold() for match in _RELATION.finditer(sentence))
    return (
        any(word not in own for word in found)
        or bool(ATTITUDE.asks.search(asked.text))
        or (asked.for_quantity and states_quantity(sentence))
    )


def denies_relation(asked: AskedQuestion, sentence: str) -> bool:
    """Whether a sentence denies an effect, difference or relation that the question asks for."""
    return bool(asked.related) and bool(_DENIED.search(sentence))


def compares(sentence: str) -> bool:
    """Whether a sentence compares, as answers to a comparison do."""
    return bool(_COMPARES.search(sentence))


def _least_side(asked: AskedQuestion, covered: Mapping[str, float], paragraph: str) -> float:
    """How far the less covered side of the relation that is asked for is covered; 1 without a
    relation. The first may be named elsewhere in the paragraph."""
    around = asked.terms.stems_in(paragraph)
    sides = []
    for number, side in enumerate(asked.related):
        part = {word: covered.get(word, 0.0) for word in side}
        if not number:
            for word in side:
                if asked.terms.stems_of(word) & around:
                    part[word] = max(part[word], _IN_PARAGRAPH)
        sides.append(coverage(asked, part))
    return min(sides, default=1.0)


def answer_score(
    asked: AskedQuestion, sentence: str, headings: Sequence[str], close: float, cover: float
) -> float:
    """From 0 to 1: half closeness, half coverage, then the kind of question and statement."""
    score = (close + cover) / 2
    if asked.for_results:
        score += _FINDING * result_score(sentence, headings)
        if statement_kind(sentence, headings) is StatementKind.OTHERS:
            score -= _OF_OTHERS
    if asked.for_quantity:
        score += _QUANTITY if states_quantity(sentence) else -_QUANTITY
    if asked.for_cause and not asked.for_difficulty:
        score += _CAUSE if CAUSE.has.search(sentence) else -_CAUSE
    if _HEDGED.search(sentence):
        score -= _HEDGE
    return min(1.0, max(0.0, score))


#: Maximum number of spans of a source.
MAX_SPANS: Final = 10
# Minimum relevance of any quote.
_MIN_RELEVANCE: Final = 0.45
# Penalty on relevance for each quote already selected from the same document.
_REPEAT_PENALTY: Final = 0.06
# Minimum relevance as a share of the step's best; lower for a document not quoted yet, which may
# say it in other words, or disagree.
_MIN_SHARE_OF_BEST: Final = 0.72
_MIN_SHARE_OF_BEST_NEW: Final = 0.6


class QuoteCandidate(NamedTuple):
    """Whole sentences, verbatim, at ``start:end`` of the text of a document; ``relevance`` is
    0..1."""

    document_id: str
    start: int
    end: int
    text: str
    relevance: float

    @property
    def place(self) -> tuple[str, int, int]:
        return self.document_id, self.start, self.end


class QuoteSelection(NamedTuple):
    """``quotes`` by descending relevance; ``reasons`` by id of documents without a selected
    quote."""

    quotes: tuple[QuoteCandidate, ...]
    reasons: Mapping[str, str]


def select_quotes(
    candidates: Sequence[QuoteCandidate], previous: Sequence[QuoteCandidate], limit: int
) -> QuoteSelection:
    """At most ``limit`` of ``candidates`` (most relevant first) that add to the ``previous``
    quotes, spread over documents; at most MAX_SPANS of a document, previous ones included."""
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
        reason = _rejection(
            quote,
            quote_shingles,
            kept,
            of_document[quote.document_id],
            max(_MIN_RELEVANCE, share * top),
        )
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
            return "what it says is already quoted"
        if are_near_duplicates(quote_shingles, other_shingles) and _same_statement(
            quote.text, other.text
        ):
            return "another document says the same in the same words"
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
