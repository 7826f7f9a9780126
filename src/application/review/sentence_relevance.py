"""Relevance of sentences to a question: by words, and by vectors of the embedding model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citeloom.application.ports.index import Passage
from citeloom.application.ports.models import Embedder
from citeloom.application.verification.evidence_search import closeness_at, relevance
from citeloom.domain.review.evidence.agreement import Closeness
from citeloom.domain.review.evidence.quotable_sentences import (
    asks_how_much,
    bullet,
    has_verb,
    is_statement,
    states_how_much,
)
from citeloom.domain.review.planning.result_questions import (
    asks_what_was_found,
    tells_what_was_found,
)
from citeloom.domain.review.planning.term_weights import Sought, sought, telling_words
from citeloom.domain.text.sentences import quotable_spans
from citeloom.domain.text.terms import Spread


class VectorCloseness:
    """Cosines, cut to 0..1. Vectors of sentences that were seen before are kept."""

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


# A sentence less close to what is sought than this, or than this share of the closest, is on
# something else, whatever words it has.
_CLOSE = 0.3
_OF_CLOSEST = 0.62
# What is closer than this repeats the question, as papers do that ask it themselves.
_REPEATED = 0.7
# What a heading says counts so much for the sentences below it.
_HEADING = 0.5
# Of a sentence that states a quantity where one is asked for (the deep-research model's boost).
_NUMERIC = 0.2
# Of a result where results are asked for; of what was only meant or done it is taken away.
_FINDING = 0.2
# Taken away where neither the passage nor its document's title has a name that is asked about.
_ELSEWHERE = 0.15


@dataclass(frozen=True, slots=True)
class Paragraph:
    """``text`` begins at ``start`` of its document, under ``headings``, the outermost first."""

    start: int
    text: str
    headings: tuple[str, ...] = ()
    is_item: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What a step asks, read once for all sentences."""

    text: str
    words: Sought
    for_results: bool
    for_quantity: bool


class Weighing:
    """Of one session: words that were counted are not counted again. ``spread`` counts the
    passages that have each word; None where nobody can."""

    def __init__(
        self, closeness: Closeness, spread: Callable[[Sequence[str]], Spread | None]
    ) -> None:
        self._closeness = closeness
        self._spread = spread
        self._asked: dict[tuple[str, str], Asked] = {}

    def asked(self, text: str, subject: str = "") -> Asked:
        """``subject`` are words that ``text`` points back to."""
        if (text, subject) not in self._asked:
            whole = f"{subject}: {text}" if subject else text
            words = sought(text, self._spread(telling_words(whole)), subject)
            results, quantity = asks_what_was_found(text), asks_how_much(text)
            self._asked[text, subject] = Asked(whole, words, results, quantity)
        return self._asked[text, subject]

    def relevances(
        self,
        asked: Asked,
        passage: Passage,
        paragraph: Paragraph,
        scores: Sequence[float],
        closest: float,
    ) -> list[float]:
        """For each sentence of a paragraph, 0..1; 0 for those that cannot be quoted, that are
        not of the passage, or that are not on what is asked. ``scores`` are the cosines of the
        passage's sentences, ``closest`` is the highest of all passages."""
        scored = list(zip(passage.sentences, scores, strict=False))
        here = passage.chunk.char_span
        heading = asked.words.share(paragraph.headings[-1]) if paragraph.headings else 0.0
        least = max(_CLOSE, _OF_CLOSEST * min(closest, _REPEATED))
        away = 0.0
        if not asked.words.names_one(_around(passage, paragraph)):
            # Who *they* are is not left open.
            away = 1.0 if asked.words.own else _ELSEWHERE
        values = []
        for start, end in quotable_spans(paragraph.text):
            told = paragraph.text[start + bullet(paragraph.text[start:end]) : end]
            if not (
                here.start <= paragraph.start + start < here.end
                and is_statement(told)
                and (not paragraph.is_item or has_verb(told, passage.language))
                and asked.words.is_on_it("\n".join([told, *paragraph.headings[-1:]]))
            ):
                values.append(0.0)
                continue
            share = max(asked.words.share(told), _HEADING * heading)
            close = closeness_at(scored, paragraph.start + start - here.start, -1.0)
            if not scored and share:
                (close,) = self._closeness(asked.text, [told])
            value = relevance(close, share) + self._more(asked, told, paragraph) - away
            values.append(min(1.0, max(0.0, value)) if close >= least else 0.0)
        return values

    def _more(self, asked: Asked, told: str, paragraph: Paragraph) -> float:
        more = _NUMERIC if asked.for_quantity and states_how_much(told) else 0.0
        if asked.for_results:
            more += _FINDING * tells_what_was_found(told, paragraph.headings)
        return more


def _around(passage: Passage, paragraph: Paragraph) -> str:
    title = passage.citation.title if passage.citation else passage.title
    return "\n".join([title or "", *paragraph.headings, passage.chunk.text])
