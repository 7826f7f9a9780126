"""Roles of a review: planner, writer, checker; its checkpoint, and the relevance of sentences."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Protocol

from pydantic import Field, model_validator

from citeloom.application.documents.stores import SecondReading
from citeloom.application.ports.index import Passage
from citeloom.application.ports.models import Completion, Embedder
from citeloom.application.ports.verification import Judge
from citeloom.application.search.hits import title_of
from citeloom.application.verification.cited_documents import (
    CitedDocuments,
    EvidenceSearch,
    closeness_at,
)
from citeloom.domain.projects.project import Project
from citeloom.domain.research.session import Depth
from citeloom.domain.review.evidence.answering import (
    MIN_NEAREST,
    UNREAD,
    AskedQuestion,
    Signals,
    answer_probability,
    asked_question,
    compares,
)
from citeloom.domain.review.evidence.quotable_sentences import (
    MARKED_ENTRY,
    bullet_length,
    describes_itself,
    has_verb,
    is_fragment,
    is_statement,
    with_antecedent,
)
from citeloom.domain.review.planning.plan import (
    InitialPassage,
    question_terms,
    question_words,
)
from citeloom.domain.review.report.report import (
    Checked,
    Gap,
    GatheredEvidence,
    Plan,
    ReportDraft,
    Statement,
    without,
)
from citeloom.domain.search.ranking import FITTING, evidence_text
from citeloom.domain.text.sentences import Span, quotable_spans
from citeloom.domain.text.terms import DocumentFrequencies
from citeloom.domain.value import Value

#: Answers by digest of the request; equal requests have several, in their order.
Answers = Mapping[str, tuple[Completion, ...]]


class AnswerCache:
    """The cached answers of one review. ``is_new`` is set by ``add`` and cleared by
    ``answers`` and ``restore``."""

    def __init__(self) -> None:
        self._answers: dict[str, tuple[Completion, ...]] = {}
        self.is_new = False

    def restore(self, answers: Answers) -> None:
        """Start from the answers of an earlier run of the review."""
        self._answers = dict(answers)
        self.is_new = False

    def answers(self) -> Answers:
        """All answers, for storage."""
        self.is_new = False
        return dict(self._answers)

    def answer(self, request: str, number: int) -> Completion | None:
        """The answer to the ``number``-th equal request, from 0; None if there is none."""
        known = self._answers.get(request, ())
        return known[number] if number < len(known) else None

    def add(self, request: str, answer: Completion) -> None:
        self._answers[request] = (*self._answers.get(request, ()), answer)
        self.is_new = True


class ReviewStage(StrEnum):
    """The next stage to run."""

    PLAN = "plan"
    SEARCH = "search"
    WRITE = "write"
    CHECK = "check"
    REPORT = "report"


class ReviewProgress(Value):
    """The progress of a review. ``step`` is the next step; ``dry`` counts the last steps in a row
    without new evidence. ``done`` are the searched steps, ``gaps`` what some of them did not find.
    ``answers`` are a language model's answers to the writer of an unfinished draft."""

    stage: ReviewStage = ReviewStage.PLAN
    plan: Plan | None = None
    step: int = 0
    dry: int = 0
    done: tuple[int, ...] = ()
    gathered: GatheredEvidence = GatheredEvidence()
    gaps: tuple[Gap, ...] = ()
    answers: Answers = Field(default_factory=dict)
    draft: ReportDraft | None = None
    checked: tuple[Checked, ...] = ()
    warnings: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_versions(cls, data: object) -> object:
        return without(data, "asked")  # they searched a step twice


#: Cosines of one text to others, 0..1.
Closeness = Callable[[str, Sequence[str]], Sequence[float]]


class VectorCloseness:
    """Cosine similarity of a question, as in a search, or a statement to sentences, clipped to
    0..1. Vectors are cached."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._asked = cache(embedder.embed_query)
        self._known: dict[str, Sequence[float]] = {}

    def __call__(self, text: str, others: Sequence[str]) -> Sequence[float]:
        new = [one for one in dict.fromkeys(others) if one not in self._known]
        self._known.update(zip(new, self._embedder.embed(new), strict=True))
        mine = self._asked(text)
        return [
            min(1.0, max(0.0, sum(a * b for a, b in zip(mine, self._known[one], strict=True))))
            for one in others
        ]


#: Maximum number of sentences that are shown where no sentence was recognised as an answer.
MOST_NEAREST = 3
# As many sentences, the closest, are read together with the question.
_READ = 60
# Labels within structured abstracts.
_LABEL = re.compile(
    r"\b(BACKGROUND|CONTEXT|INTRODUCTION|OBJECTIVES?|AIMS?|PURPOSE|DESIGN|SETTINGS?|METHODS?|"
    r"PARTICIPANTS|PATIENTS|INTERVENTIONS?|DATA SOURCES|DATA EXTRACTION|"
    r"(?:MAIN )?OUTCOME MEASURES?|MEASUREMENTS|RESULTS|FINDINGS|CONCLUSIONS?|INTERPRETATION|"
    r"DISCUSSION|FUNDING)\b"
)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph at the offset ``start`` of its document, under ``headings``, the outermost
    first."""

    start: int
    text: str
    headings: tuple[str, ...] = ()
    is_item: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that can be quoted, ``text[start:end]`` of its paragraph with the sentences
    that it needs, and its ``closeness`` to the query. ``sentence`` is without these."""

    passage: Passage
    paragraph: Paragraph
    sentence: str
    span: Span
    closeness: float

    def overlaps(self, other: "Candidate") -> bool:
        """Whether both quote a part of the same text."""
        (start, end), (first, last) = (
            (one.paragraph.start + one.span[0], one.paragraph.start + one.span[1])
            for one in (self, other)
        )
        return self.passage.chunk.doc_id == other.passage.chunk.doc_id and (
            start < last and first < end
        )

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings above the sentence, labels of a structured abstract included."""
        end = self.span[1]
        labels = [m[1] for m in _LABEL.finditer(self.paragraph.text, 0, end)]
        return (*self.paragraph.headings, *labels[-1:])

    @property
    def quoted(self) -> str:
        """The sentence with those that it needs."""
        return self.paragraph.text[slice(*self.span)]

    @property
    def context(self) -> str:
        """The context of the sentence: its title, headings and preceding text."""
        return "\n".join([title_of(self.passage), *self.paragraph.headings, self.quoted])


def candidates_in(
    passage: Passage, paragraph: Paragraph, scores: Sequence[float], *, for_aims: bool
) -> Iterator[Candidate]:
    """The quotable sentences of a passage. ``scores`` are their cosines to the query; ``for_aims``:
    documents' statements about themselves are wanted."""
    scored = list(zip(passage.sentences, scores, strict=False))
    passage_span, title = passage.chunk.char_span, title_of(passage)
    spans = quotable_spans(paragraph.text)
    for number, (start, end) in enumerate(spans):
        place = paragraph.start + start
        sentence = paragraph.text[start + bullet_length(paragraph.text[start:end]) : end]
        if (
            not passage_span.start <= place < passage_span.end
            or MARKED_ENTRY.match(paragraph.text)
            or not is_statement(sentence, title)
            or (paragraph.is_item and not has_verb(sentence, passage.language))
            or (not for_aims and describes_itself(sentence))
        ):
            continue
        whole = with_antecedent(paragraph.text, spans, number)
        if whole is not None and not is_fragment(paragraph.text[slice(*whole)], title):
            close = closeness_at(scored, place - passage_span.start, 0.0)
            yield Candidate(passage, paragraph, sentence, whole, close)


#: The log-odds, by a cross-encoder, that texts answer a question; None where there is none.
ReadAgain = Callable[[str, Sequence[str]], Sequence[float] | None]


class SentenceRelevance:
    """Relevance of sentences to the questions of one session, with cached word statistics.
    ``document_frequencies`` returns None without sparse search."""

    def __init__(
        self,
        closeness: Closeness,
        document_frequencies: Callable[[Sequence[str]], DocumentFrequencies | None],
        read_again: ReadAgain,
    ) -> None:
        self._closeness = closeness
        self._document_frequencies = document_frequencies
        self._read_again = read_again
        self._asked: dict[str, AskedQuestion] = {}

    def question(self, text: str) -> AskedQuestion:
        """The question with the statistics of its words."""
        if text not in self._asked:
            frequencies = self._document_frequencies(question_words(text))
            self._asked[text] = asked_question(text, question_terms(text, frequencies))
        return self._asked[text]

    def relevances(
        self,
        text: str,
        query: str,
        candidates: Sequence[Candidate],
        ranks: Mapping[str, int],
    ) -> Sequence[tuple[Candidate, float]]:
        """The candidates nearest to the question ``text`` with the probability, 0..1, that they
        answer it. ``ranks`` of passages, by chunk id, and the closeness of the candidates are
        to ``query``."""
        asked = self.question(text)
        nearest = sorted(
            candidates, key=lambda one: -(one.closeness + asked.terms.share(one.sentence))
        )[:_READ]
        if not nearest:
            return ()
        close = [one.closeness for one in nearest]
        if text != query:
            close = list(self._closeness(text, [one.sentence for one in nearest]))
        odds = self._read_again(
            text, [evidence_text(title_of(one.passage), [one.quoted], [1.0]) for one in nearest]
        ) or [UNREAD] * len(nearest)
        found = []
        for number, one in enumerate(nearest):
            signals = Signals(close[number], odds[number], ranks[one.passage.chunk.id])
            found.append(
                (one, answer_probability(asked, one.sentence, one.context, one.headings, signals))
            )
        return found


def nearest_of(
    found: Sequence[tuple[Candidate, float]], ranks: Mapping[str, int]
) -> Sequence[tuple[Candidate, float]]:
    """The sentence of each passage that answers most probably, the best first, more than are shown,
    since some may not be exact; none that is far, unless all are: then those of the passages that
    rank first (``ranks`` by chunk id)."""
    near = [pair for pair in found if pair[1] >= MIN_NEAREST and pair[0].closeness >= FITTING]
    first = [
        (one, probability)
        for one, probability in found
        if probability and ranks.get(one.passage.chunk.id, MOST_NEAREST) < MOST_NEAREST
    ]
    chosen: list[tuple[Candidate, float]] = []
    for one, probability in sorted(near or first, key=lambda pair: -pair[1]):
        if len(chosen) < 2 * MOST_NEAREST and not any(
            one.passage.chunk.id == other.passage.chunk.id or one.overlaps(other)
            for other, _ in chosen
        ):
            chosen.append((one, probability))
    return chosen


def speaks_of_both(asked: AskedQuestion, candidate: Candidate, compared: Sequence[str]) -> bool:
    """Whether a sentence has of each side that is compared a word that not all sides have, or the
    side itself (*R*, *C++*), or compares and its context has a word of each; True without a
    comparison."""
    stems_of, comparing = asked.terms.stems_of, compares(candidate.sentence)
    text = candidate.context if comparing else candidate.sentence
    sides = [{stem for word in question_words(one) for stem in stems_of(word)} for one in compared]
    shared = set.intersection(*sides) if sides and not comparing else set[str]()
    present = asked.terms.stems_in(text) - shared
    return all(
        stems & present or re.search(rf"(?<!\w){re.escape(side)}(?!\w)", text)
        for stems, side in zip(sides, compared, strict=True)
    )


#: The writer that quotes, and the configured language model.
EXTRACTIVE = "extractive"
MODEL = "model"


def nothing() -> None: ...


#: Steps that answer a question; the passages were found for the question itself, the best first.
Planner = Callable[[str, Depth, Sequence[InitialPassage]], Plan]


class Writer(Protocol):
    """Writes the draft of a review."""

    @property
    def name(self) -> str:
        """``extractive``, or a model's name."""

    def write(
        self, plan: Plan, gathered: GatheredEvidence, check_stop: Callable[[], None] = nothing
    ) -> ReportDraft:
        """Statements in the order of the steps; without a model the draft is deterministic.
        ``check_stop`` is called before each long part and after each request to a model; its
        exceptions propagate."""


class Checker(Protocol):
    """Checks the statements of a draft."""

    def check(self, statement: Statement, gathered: GatheredEvidence) -> Checked:
        """Check one statement, independently of all others."""


@dataclass(frozen=True, slots=True)
class ReviewResources:
    """Resources for the review of one project: its documents, evidence search, judge of claims,
    closeness of sentences by the project's embedding model, and a second reading of pages."""

    project: Project
    sources: CitedDocuments
    evidence: EvidenceSearch
    judge: Judge
    closeness: Closeness
    reading: SecondReading


@dataclass(frozen=True, slots=True)
class ReviewRoles:
    """The roles of one review. ``answer_cache`` is the answer cache of the writer's language model,
    if it has one."""

    planner: Planner
    writer: Writer
    checker: Checker
    answer_cache: AnswerCache = field(default_factory=AnswerCache)


#: Makes the roles of a review, by writer: EXTRACTIVE or MODEL.
RolesFactory = Callable[[ReviewResources, str], ReviewRoles]
