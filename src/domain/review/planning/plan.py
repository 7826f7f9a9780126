"""A plan without a model: what the question asks, then what the library adds to it."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from citeloom.domain.research.session import Depth
from citeloom.domain.review.planning.facets import Seen, facets
from citeloom.domain.review.planning.question_splitting import QuestionPart, parted
from citeloom.domain.review.planning.result_questions import asks_what_was_found, results_query
from citeloom.domain.review.planning.term_weights import acronyms_in
from citeloom.domain.review.report.model import Plan, SubQuestion
from citeloom.domain.text.terms import terms


class ResearchExtent(NamedTuple):
    """``steps`` there are at most; up to ``filled`` they are filled with facets. A step gives
    ``quotes`` at most, from the best ``passages`` that each of its queries finds."""

    filled: int
    steps: int
    quotes: int
    passages: int


EXTENTS: Final[Mapping[Depth, ResearchExtent]] = {
    Depth.LIGHT: ResearchExtent(filled=1, steps=2, quotes=6, passages=12),
    Depth.MEDIUM: ResearchExtent(filled=3, steps=4, quotes=8, passages=16),
    Depth.EXTENDED: ResearchExtent(filled=8, steps=8, quotes=10, passages=24),
}


def extent_of(plan: Plan) -> ResearchExtent:
    return EXTENTS[plan.depth]


def plan_of(question: str, depth: Depth, seen: Sequence[Seen]) -> Plan:
    """Sub-questions as the question names them; then, as far as ``depth`` goes, terms that the
    library has most of. ``AUTO`` is medium, or extended where there is more to ask."""
    parts = parted(question)
    chosen = _resolved(depth, parts)
    extent = EXTENTS[chosen]
    steps, warnings = _asked(parts, extent.steps, [one.text for one in seen])
    if len(steps) < extent.filled:
        found = facets(question, seen, extent.filled - len(steps))
        steps += [_facet(question, one) for one in found]
    return Plan(question=question, depth=chosen, steps=tuple(steps), warnings=tuple(warnings))


def content_words(text: str) -> tuple[str, ...]:
    """The words of a question that say what it is about, each once."""
    return tuple(dict.fromkeys(text[term.start : term.end].casefold() for term in terms(text)))


def _resolved(depth: Depth, parts: Sequence[QuestionPart]) -> Depth:
    if depth is not Depth.AUTO:
        return depth
    return Depth.MEDIUM if len(parts) <= EXTENTS[Depth.MEDIUM].steps else Depth.EXTENDED


def _asked(
    parts: Sequence[QuestionPart], most: int, texts: Sequence[str]
) -> tuple[list[SubQuestion], list[str]]:
    """A step a part. Where those are too many, sides and items are queries of their whole."""
    if len(parts) > most:
        steps: list[SubQuestion] = []
        for part in parts:
            if part.of_whole and steps:
                queries = (*steps[-1].queries, _words(part))
                steps[-1] = steps[-1].model_copy(update={"queries": queries})
            else:
                steps.append(_step(part, texts))
        left = steps[most:]
        told = [f"not asked at this depth: {one.title}" for one in left]
        return steps[:most], told
    return [_step(part, texts) for part in parts], []


def _step(part: QuestionPart, texts: Sequence[str]) -> SubQuestion:
    """Asked in its own words, with the short forms that ``texts`` have of them, and, where it asks
    for results, in the words that results are told in."""
    asked = _words(part)
    queries = [asked]
    if short := acronyms_in(asked, texts):
        queries.append(f"{asked} {' '.join(short)}")
    if asks_what_was_found(part.text):
        queries.append(results_query(asked))
    return SubQuestion(
        title=part.text,
        queries=tuple(queries),
        facets=content_words(part.text),
        subject=part.subject,
    )


def _words(part: QuestionPart) -> str:
    return f"{part.subject}: {part.text}" if part.subject else part.text


def _facet(question: str, facet: str) -> SubQuestion:
    return SubQuestion(
        title=f"With regard to {facet}",
        queries=(f"{facet}: {question}",),
        facets=content_words(facet),
        asked=False,
    )
