"""Writer with a language model, section by section."""

from collections.abc import Callable
from uuid import UUID

from citeloom.application.ports.models import Completion, LanguageModel
from citeloom.application.review.llm.prompts import WrittenSection, to_write
from citeloom.application.review.llm.responses import GroundedSection, section_in
from citeloom.application.review.roles import Checker, Writer, nothing
from citeloom.domain.errors import LanguageModelUnavailable
from citeloom.domain.review.evidence.prompt_injection import is_prompt_injection
from citeloom.domain.review.report.deduplication import normalized_text
from citeloom.domain.review.report.model import (
    GatheredEvidence,
    Plan,
    ReportDraft,
    Statement,
    SubQuestion,
)
from citeloom.domain.review.report.source_keys import keys_of

#: Attempts for one section, sections in a row without an answer before the model is given up,
#: and quotes for one section.
ATTEMPTS = 2
MOST_SILENT = 2
MOST_EVIDENCE = 30


class ModelWriter:
    """Sends the quotes of a step to a model and takes sentences with their evidence.

    The sentences enter the draft unchecked. Without a usable answer, or if ``checker`` would
    leave nothing new of a section, its statements are those of ``otherwise``, with the failure.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        checker: Checker,
        otherwise: Writer,
        wishes: str | None = None,
    ) -> None:
        self._model = model
        self._checker = checker
        self._otherwise = otherwise
        self._wishes = wishes

    @property
    def name(self) -> str:
        return self._model.name

    def write(
        self, plan: Plan, gathered: GatheredEvidence, check_stop: Callable[[], None] = nothing
    ) -> ReportDraft:
        """Failures of the model are recorded in the draft, not raised."""
        quoted = self._otherwise.write(plan, gathered, check_stop)
        run = _SectionRun(self._model, self._wishes, plan, gathered)
        statements: list[Statement] = []
        used_words: set[str] = set()
        for index, step in enumerate(plan.steps):
            check_stop()
            step_quotations = [one for one in quoted.statements if one.step_index == index]
            written = run.section(index, step)
            check_stop()
            checked = [self._checker.check(one, gathered).statement for one in written]
            new = {normalized_text(one) for one in checked if one is not None} - used_words
            if step_quotations and not new:
                if written:
                    run.failed(f"{step.title}: quoted, for nothing new that was written holds")
                new = {normalized_text(one) for one in step_quotations}
                written = (*written, *step_quotations)
            statements += written
            used_words |= new
        return ReportDraft(
            writer=self.name,
            statements=tuple(statements),
            warnings=(*quoted.warnings, *run.warnings),
            failures=(*quoted.failures, *run.failures),
        )


class _SectionRun:
    """The requests for one draft, with warnings and failures."""

    def __init__(
        self, model: LanguageModel, wishes: str | None, plan: Plan, gathered: GatheredEvidence
    ) -> None:
        self._model = model
        self._wishes = wishes
        self._plan = plan
        self._gathered = gathered
        self._keys = keys_of(gathered.sources)
        self._silent = 0
        self.warnings: list[str] = []
        self.failures: list[str] = []

    def warn(self, warning: str) -> None:
        if warning not in self.warnings:
            self.warnings.append(warning)

    def failed(self, failure: str) -> None:
        self.failures.append(failure)

    def section(self, index: int, step: SubQuestion) -> tuple[Statement, ...]:
        """The model's statements on a step; empty without evidence or a usable answer."""
        numbers = self._evidence(index)
        if not numbers or self._silent == MOST_SILENT:
            return ()
        for _ in range(ATTEMPTS):
            try:
                answer = self._ask(step, numbers)
            except LanguageModelUnavailable as error:
                self._silent += 1
                self.failed(f"{step.title}: quoted, for there is no answer: {error.message}")
                if self._silent == MOST_SILENT:
                    self.failed(f"{self._model.name} was asked no more; all that follows is quoted")
                return ()
            self._silent = 0
            if parsed := self._read(answer, index, numbers):
                self._tell(parsed, step)
                return parsed.statements
        self.failed(
            f"{step.title}: quoted, for {self._model.name} did not answer in the form asked for"
            + ("" if answer.ended else " and was cut off; raise llm.max_tokens")
        )
        return ()

    def _evidence(self, index: int) -> dict[int, UUID]:
        """Span ids of a step by number, the position in all gathered spans."""
        step_spans = [
            (number, span)
            for number, span in enumerate(self._gathered.spans)
            if span.step_index == index
        ]
        sent = [
            (number, span) for number, span in step_spans if not is_prompt_injection(span.quote)
        ]
        if left := len(step_spans) - len(sent):
            self.warn(f"passages that speak to a language model were not sent: {left}")
        return {number: span.id for number, span in sent[:MOST_EVIDENCE]}

    def _ask(self, step: SubQuestion, numbers: dict[int, UUID]) -> Completion:
        quotes = {number: self._gathered.spans[number].quote for number in numbers}
        answer = self._model.complete(
            to_write(self._plan.question, step, quotes, self._wishes), schema=WrittenSection
        )
        for warning in answer.warnings:
            self.warn(warning)
        return answer

    def _read(
        self, answer: Completion, index: int, numbers: dict[int, UUID]
    ) -> GroundedSection | None:
        known = set(numbers.values())
        spans = [span for span in self._gathered.spans if span.id in known]
        keys = {
            self._keys[id]: tuple(span.id for span in spans if span.source_id == id)
            for id in dict.fromkeys(span.source_id for span in spans)
        }
        return section_in(answer.text, index, numbers, keys)

    def _tell(self, section: GroundedSection, step: SubQuestion) -> None:
        if section.unknown:
            shown = ", ".join(section.unknown[:5])
            self.warn(f"{step.title}: {self._model.name} cites what there is not: {shown}")
        if section.dropped:
            self.warn(f"{step.title}: {section.dropped} pieces of the answer were no statements")
