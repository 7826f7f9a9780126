"""Rule-based research plan: the questions that the question consists of."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from citeloom.domain.research.session import Depth
from citeloom.domain.review.planning.question_splitting import QuestionPart, split_question
from citeloom.domain.review.planning.term_weights import acronyms_in
from citeloom.domain.review.report.model import Plan, SubQuestion
from citeloom.domain.text.terms import terms
from citeloom.domain.value import Value


class InitialPassage(Value):
    """A passage of the question's first search. ``heading`` is the nearest one."""

    document_id: str
    heading: str | None = None
    text: str


class ResearchExtent(NamedTuple):
    """Limits of a plan: at most ``steps``; at most ``quotes`` a step, from ``passages`` of each
    of its queries."""

    steps: int
    quotes: int
    passages: int


EXTENTS: Final[Mapping[Depth, ResearchExtent]] = {
    Depth.LIGHT: ResearchExtent(steps=2, quotes=6, passages=24),
    Depth.MEDIUM: ResearchExtent(steps=4, quotes=8, passages=48),
    Depth.EXTENDED: ResearchExtent(steps=8, quotes=10, passages=96),
}


def extent_of(plan: Plan) -> ResearchExtent:
    return EXTENTS[plan.depth]


def plan_of(question: str, depth: Depth, initial_passages: Sequence[InitialPassage]) -> Plan:
    """One step a sub-question. ``AUTO`` is medium, or extended for many sub-questions."""
    parts = split_question(question)
    resolved = _resolved_depth(depth, parts)
    texts = [one.text for one in initial_passages]
    steps = [_step(part, texts) for part in parts]
    kept, dropped = steps[: EXTENTS[resolved].steps], steps[EXTENTS[resolved].steps :]
    warnings = tuple(f"not asked at this depth: {one.title}" for one in dropped)
    return Plan(question=question, depth=resolved, steps=tuple(kept), warnings=warnings)


def content_words(text: str) -> tuple[str, ...]:
    """The distinct content words of a question, casefolded, in order."""
    return tuple(dict.fromkeys(text[term.start : term.end].casefold() for term in terms(text)))


def _resolved_depth(depth: Depth, parts: Sequence[QuestionPart]) -> Depth:
    if depth is not Depth.AUTO:
        return depth
    return Depth.MEDIUM if len(parts) <= EXTENTS[Depth.MEDIUM].steps else Depth.EXTENDED


def _step(part: QuestionPart, texts: Sequence[str]) -> SubQuestion:
    """A query for each aspect, with acronyms of its words that ``texts`` use."""
    aspects = tuple(" ".join([one, *acronyms_in(one, texts)]) for one in part.aspects)
    return SubQuestion(
        title=part.text,
        queries=aspects,
        facets=content_words(part.text),
        aspects=aspects,
        compared=part.compared,
    )
