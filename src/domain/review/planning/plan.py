"""Rule-based research plan: sub-questions of the question, then facets of the library."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from citeloom.domain.research.session import Depth
from citeloom.domain.review.planning.facets import InitialPassage, facet_terms
from citeloom.domain.review.planning.question_splitting import QuestionPart, split_question
from citeloom.domain.review.planning.result_questions import asks_for_results, results_query
from citeloom.domain.review.planning.term_weights import acronyms_in
from citeloom.domain.review.report.model import Plan, SubQuestion
from citeloom.domain.text.terms import terms


class ResearchExtent(NamedTuple):
    """Limits of a plan: at most ``steps``, filled with facets up to ``min_steps``; at most
    ``quotes`` a step, from the top ``passages`` of each of its queries."""

    min_steps: int
    steps: int
    quotes: int
    passages: int


EXTENTS: Final[Mapping[Depth, ResearchExtent]] = {
    Depth.LIGHT: ResearchExtent(min_steps=1, steps=2, quotes=6, passages=12),
    Depth.MEDIUM: ResearchExtent(min_steps=3, steps=4, quotes=8, passages=16),
    Depth.EXTENDED: ResearchExtent(min_steps=8, steps=8, quotes=10, passages=24),
}


def extent_of(plan: Plan) -> ResearchExtent:
    return EXTENTS[plan.depth]


def plan_of(question: str, depth: Depth, initial_passages: Sequence[InitialPassage]) -> Plan:
    """Sub-questions of the question, then facet terms up to the extent of ``depth``. ``AUTO`` is
    medium, or extended for many sub-questions."""
    parts = split_question(question)
    resolved = _resolved_depth(depth, parts)
    extent = EXTENTS[resolved]
    steps, warnings = _question_steps(parts, extent.steps, [one.text for one in initial_passages])
    if len(steps) < extent.min_steps:
        facets = facet_terms(question, initial_passages, extent.min_steps - len(steps))
        steps += [_facet_step(question, one) for one in facets]
    return Plan(question=question, depth=resolved, steps=tuple(steps), warnings=tuple(warnings))


def content_words(text: str) -> tuple[str, ...]:
    """The distinct content words of a question, casefolded, in order."""
    return tuple(dict.fromkeys(text[term.start : term.end].casefold() for term in terms(text)))


def _resolved_depth(depth: Depth, parts: Sequence[QuestionPart]) -> Depth:
    if depth is not Depth.AUTO:
        return depth
    return Depth.MEDIUM if len(parts) <= EXTENTS[Depth.MEDIUM].steps else Depth.EXTENDED


def _question_steps(
    parts: Sequence[QuestionPart], limit: int, texts: Sequence[str]
) -> tuple[list[SubQuestion], list[str]]:
    """One step a part. If there are too many, parts of a whole become queries of its step."""
    if len(parts) > limit:
        steps: list[SubQuestion] = []
        for part in parts:
            if part.of_whole and steps:
                queries = (*steps[-1].queries, _query(part))
                steps[-1] = steps[-1].model_copy(update={"queries": queries})
            else:
                steps.append(_step(part, texts))
        dropped = steps[limit:]
        warnings = [f"not asked at this depth: {one.title}" for one in dropped]
        return steps[:limit], warnings
    return [_step(part, texts) for part in parts], []


def _step(part: QuestionPart, texts: Sequence[str]) -> SubQuestion:
    """Queries: the part itself, with acronyms of it that ``texts`` use, and, if it asks for
    results, with result vocabulary."""
    query = _query(part)
    queries = [query]
    if short := acronyms_in(query, texts):
        queries.append(f"{query} {' '.join(short)}")
    if asks_for_results(part.text):
        queries.append(results_query(query))
    return SubQuestion(
        title=part.text,
        queries=tuple(queries),
        facets=content_words(part.text),
        subject=part.subject,
    )


def _query(part: QuestionPart) -> str:
    return f"{part.subject}: {part.text}" if part.subject else part.text


def _facet_step(question: str, facet: str) -> SubQuestion:
    return SubQuestion(
        title=f"With regard to {facet}",
        queries=(f"{facet}: {question}",),
        facets=content_words(facet),
        asked=False,
    )
