"""Relevance of sentences to a question: by words, and by vectors of the embedding model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citeloom.application.ports.index import Passage
from citeloom.application.ports.models import Embedder
from citeloom.application.verification.evidence_search import closeness_at, relevance
from citeloom.domain.review.evidence.quotable_sentences import (
    asks_for_quantity,
    bullet_length,
    has_verb,
    is_statement,
    states_quantity,
)
from citeloom.domain.review.planning.result_questions import (
    asks_for_results,
    result_score,
)
from citeloom.domain.review.planning.term_weights import (
    QuestionTerms,
    question_terms,
    question_words,
)
from citeloom.domain.text.sentences import quotable_spans
from citeloom.domain.text.terms import DocumentFrequencies

#: Cosines of one text to others, 0..1.
Closeness = Callable[[str, Sequence[str]], Sequence[float]]


class VectorCloseness:
    """Cosine similarity of sentences, clipped to 0..1. Vectors are cached."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Sequence[float]] = {}

    def __call__(self, text: str, others: Sequence[str]) -> Sequence[float]:
        new = [one for one in dict.fromkeys((text, *others)) if one not in self._known]
        self._known.update(zip(new, self._embedder.embed(new), strict=True))
        mine = self._known[text]
        return [
            min(1.0, max(0.0, sum(a * b for a, b in zip(mine, self._known[one], strict=True))))
            for one in others
        ]


# A sentence less close to the question than this, or than this share of the closest, is off
# topic, whatever words it shares.
_CLOSE = 0.3
_OF_CLOSEST = 0.62
# A closer sentence repeats the question, as papers do that ask it themselves.
_REPEATED = 0.7
# Weight of shared words of a heading for the sentences below it.
_HEADING = 0.5
# Boost of a sentence with a quantity if one is asked for (that of the deep-research model).
_NUMERIC = 0.2
# Boost of a result if results are asked for; malus of an aim or a method.
_FINDING = 0.2
# Malus if neither the passage nor its document's title has a name that is asked about.
_ELSEWHERE = 0.15


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph at the offset ``start`` of its document, under ``headings``, the outermost
    first."""

    start: int
    text: str
    headings: tuple[str, ...] = ()
    is_item: bool = False


@dataclass(frozen=True, slots=True)
class QuestionFeatures:
    """The features of a question, computed once for all sentences."""

    text: str
    words: QuestionTerms
    for_results: bool
    for_quantity: bool


class SentenceRelevance:
    """Relevance of sentences to the questions of one session, with cached word statistics.
    ``document_frequencies`` returns None without sparse search."""

    def __init__(
        self,
        closeness: Closeness,
        document_frequencies: Callable[[Sequence[str]], DocumentFrequencies | None],
    ) -> None:
        self._closeness = closeness
        self._document_frequencies = document_frequencies
        self._features: dict[tuple[str, str], QuestionFeatures] = {}

    def features_of(self, text: str, subject: str = "") -> QuestionFeatures:
        """The features of a question; ``subject`` are words that ``text`` refers back to."""
        if (text, subject) not in self._features:
            whole = f"{subject}: {text}" if subject else text
            words = question_terms(text, self._document_frequencies(question_words(whole)), subject)
            results, quantity = asks_for_results(text), asks_for_quantity(text)
            self._features[text, subject] = QuestionFeatures(whole, words, results, quantity)
        return self._features[text, subject]

    def relevances(
        self,
        features: QuestionFeatures,
        passage: Passage,
        paragraph: Paragraph,
        scores: Sequence[float],
        closest: float,
    ) -> list[float]:
        """The relevance of each sentence of a paragraph, 0..1; 0 for sentences that are not
        quotable, outside the passage, or off topic. ``scores`` are the cosines of the passage's
        sentences, ``closest`` is the highest of all passages."""
        scored = list(zip(passage.sentences, scores, strict=False))
        passage_span = passage.chunk.char_span
        heading = features.words.share(paragraph.headings[-1]) if paragraph.headings else 0.0
        least = max(_CLOSE, _OF_CLOSEST * min(closest, _REPEATED))
        malus = 0.0
        if not features.words.has_name(_around(passage, paragraph)):
            # A question about the authors' own work needs their name.
            malus = 1.0 if features.words.question_stems else _ELSEWHERE
        values = []
        for start, end in quotable_spans(paragraph.text):
            sentence = paragraph.text[start + bullet_length(paragraph.text[start:end]) : end]
            if not (
                passage_span.start <= paragraph.start + start < passage_span.end
                and is_statement(sentence)
                and (not paragraph.is_item or has_verb(sentence, passage.language))
                and features.words.covers_question("\n".join([sentence, *paragraph.headings[-1:]]))
            ):
                values.append(0.0)
                continue
            share = max(features.words.share(sentence), _HEADING * heading)
            close = closeness_at(scored, paragraph.start + start - passage_span.start, -1.0)
            if not scored and share:
                (close,) = self._closeness(features.text, [sentence])
            value = relevance(close, share) + self._more(features, sentence, paragraph) - malus
            values.append(min(1.0, max(0.0, value)) if close >= least else 0.0)
        return values

    def _more(self, features: QuestionFeatures, sentence: str, paragraph: Paragraph) -> float:
        more = _NUMERIC if features.for_quantity and states_quantity(sentence) else 0.0
        if features.for_results:
            more += _FINDING * result_score(sentence, paragraph.headings)
        return more


def _around(passage: Passage, paragraph: Paragraph) -> str:
    title = passage.citation.title if passage.citation else passage.title
    return "\n".join([title or "", *paragraph.headings, passage.chunk.text])
