"""Planner with a language model: proposed sub-questions, validated."""

from collections.abc import Iterator, Sequence

from citeloom.application.ports.models import LanguageModel
from citeloom.application.review.llm.prompts import ProposedPlan, to_plan
from citeloom.application.review.llm.responses import LONGEST_ANSWER, line_of
from citeloom.application.review.roles import Planner
from citeloom.domain.errors import LanguageModelUnavailable
from citeloom.domain.research.session import Depth
from citeloom.domain.review.planning.plan import InitialPassage, extent_of
from citeloom.domain.review.report.model import Plan, SubQuestion
from citeloom.domain.text.json_answers import extract_json
from citeloom.domain.text.terms import terms
from citeloom.domain.verification.claims.function_words import markup
from citeloom.domain.verification.quantities.quantity import missing_quantities
from citeloom.domain.verification.quantities.quantity_extraction import quantities

#: Characters of a sub-question and of a term, queries and terms of each.
LONGEST_TITLE = 200
LONGEST_TERM = 60
MOST_QUERIES = 3
MOST_TERMS = 6
_ASKING = ("?", "？", "؟")


class ModelPlanner:
    """Accepts valid sub-questions of a model: distinct, as many as the depth allows, completed
    by those of ``otherwise`` that they leave out. Without a usable proposal the plan is that of
    ``otherwise``, with the failure.
    """

    def __init__(self, model: LanguageModel, otherwise: Planner, wishes: str | None = None) -> None:
        self._model = model
        self._otherwise = otherwise
        self._wishes = wishes

    def plan(self, question: str, depth: Depth, seen: Sequence[InitialPassage]) -> Plan:
        """Failures of the model are recorded in the plan, not raised."""
        ready = self._otherwise.plan(question, depth, seen)
        most = extent_of(ready).steps
        try:
            answer = self._model.complete(
                to_plan(question, most, self._wishes), schema=ProposedPlan
            )
        except LanguageModelUnavailable as error:
            return _failed(ready, f"planned without a model: {error.message}")
        steps = _steps(answer.text, question, most)
        if not steps:
            hint = "" if answer.ended else ", for it was cut off; raise llm.max_tokens"
            return _failed(
                ready,
                f"planned without a model: {self._model.name} gave no usable plan{hint}",
            )
        warnings = [f"the sub-questions are those of {self._model.name}"]
        if left := _left_out(steps, ready.steps):
            added = left[: most - len(steps)]
            warnings += [f"added, since the model left it out: {one.title}" for one in added]
            warnings += [f"not asked at this depth: {one.title}" for one in left[len(added) :]]
            steps += added
        return ready.model_copy(
            update={"steps": tuple(steps), "warnings": (*answer.warnings, *warnings)}
        )


def _failed(plan: Plan, failure: str) -> Plan:
    return plan.model_copy(update={"failures": (*plan.failures, failure)})


def _steps(text: str, question: str, most: int) -> list[SubQuestion]:
    parsed = extract_json(text) if len(text) <= LONGEST_ANSWER else None
    rows = parsed.get("sub_questions") if isinstance(parsed, dict) else None
    question_stems = _about(question)
    steps: list[SubQuestion] = []
    taken: list[frozenset[str]] = []
    for row in rows if isinstance(rows, list) else ():
        step = _step(row)
        if step is None or len(steps) == most or _brings(step.title, question):
            continue
        about = _about(step.title)
        # A sub-question without a common term is off topic.
        if about & question_stems and about not in taken:
            taken.append(about)
            steps.append(step)
    return steps


def _left_out(
    proposed: Sequence[SubQuestion], sub_questions: Sequence[SubQuestion]
) -> list[SubQuestion]:
    """Sub-questions most of whose terms occur in none of the proposed steps."""
    covered = frozenset[str]().union(
        *(_about(" ".join((one.title, *one.queries, *one.facets))) for one in proposed)
    )
    return [
        one
        for one in sub_questions
        if one.asked and 2 * len(_about(one.title) - covered) > len(_about(one.title))
    ]


def _brings(title: str, question: str) -> bool:
    """Whether a sub-question asserts something new: it is no question, or has numbers or names
    that the question lacks. It becomes a heading of the report, and is not checked."""
    if not title.endswith(_ASKING):
        return True
    known = {term.stem for term in terms(question)}
    names = {term.stem for term in terms(title) if term.is_name}
    return bool(missing_quantities(quantities(title), quantities(question)) or names - known)


def _step(row: object) -> SubQuestion | None:
    if not isinstance(row, dict):
        return None
    title = line_of(row.get("title"), LONGEST_TITLE)
    if not title or markup(title):
        return None
    queries = dict.fromkeys((title, *_lines(row.get("queries"), LONGEST_TITLE)))
    return SubQuestion(
        title=title,
        queries=tuple(queries)[: 1 + MOST_QUERIES],
        facets=tuple(dict.fromkeys(_lines(row.get("terms"), LONGEST_TERM)))[:MOST_TERMS],
    )


def _lines(values: object, longest: int) -> Iterator[str]:
    for one in values if isinstance(values, list) else ():
        line = line_of(one, longest)
        if line and not markup(line):
            yield line


def _about(text: str) -> frozenset[str]:
    return frozenset(term.stem for term in terms(text))
