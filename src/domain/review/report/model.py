"""Models of a review: plan, gathered evidence, statements, checked statements."""

from uuid import UUID

from pydantic import Field, model_validator

from citeloom.domain.research.session import ClaimVerdict, Correction, Depth, Source, SourceSpan
from citeloom.domain.value import Value

_NO_LONGER = ("group", "stance")


class SubQuestion(Value):
    """A step of a plan. The first of ``queries`` is the sub-question itself (with ``subject``,
    the words that it refers back to). ``facets`` are terms that answers should have; answers of
    a facet step (not ``asked``) must have them, and such steps run only while there is new
    evidence."""

    title: str
    queries: tuple[str, ...] = Field(min_length=1)
    facets: tuple[str, ...] = ()
    asked: bool = True
    subject: str = ""

    @property
    def question_text(self) -> str:
        """The text that answers are scored against, whatever the queries."""
        return self.title if self.subject else self.queries[0]


class Gap(Value):
    """What a step asks for and the project lacks. ``absent`` are words that no passage has.
    ``elsewhere``: its evidence is quoted in earlier steps. If nothing was found, ``nearest`` are
    citations of the nearest passages, and ``shared`` the words of the step that these have."""

    step: int = Field(ge=0)
    elsewhere: bool = False
    absent: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()


class Plan(Value):
    """``failures`` are errors and their fallbacks."""

    question: str
    depth: Depth
    steps: tuple[SubQuestion, ...] = Field(min_length=1)
    warnings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


class GatheredEvidence(Value):
    """Evidence of the steps: documents and verbatim spans. ``span.step_index`` is the step of a
    span."""

    sources: tuple[Source, ...] = ()
    spans: tuple[SourceSpan, ...] = ()

    def source_of(self, span: SourceSpan) -> Source:
        return next(source for source in self.sources if source.id == span.source_id)


class Statement(Value):
    """A sentence of a report without citation. ``spans`` support it, cited ones first.
    ``quoted``: it is the first span's quote, verbatim."""

    text: str = Field(min_length=1)
    spans: tuple[UUID, ...] = ()
    step_index: int = Field(ge=0)
    quoted: bool = False

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_versions(cls, data: object) -> object:
        """Drafts of versions that judged agreement have a group and a stance."""
        if isinstance(data, dict):
            return {key: one for key, one in data.items() if key not in _NO_LONGER}
        return data


class ReportDraft(Value):
    """Statements in the order of the report. ``writer`` is ``extractive`` or a model's name;
    ``failures`` are errors and their fallbacks."""

    writer: str
    statements: tuple[Statement, ...] = ()
    warnings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


class Checked(Value):
    """A statement after its check: ``written`` before, ``statement`` after correction (None if
    removed). ``alternates`` support it too and are not cited. ``verdict`` is on the corrected or
    removed statement; ``as_written`` on the original one if a quotation replaced it."""

    written: Statement
    statement: Statement | None
    verdict: ClaimVerdict
    confidence: float = Field(ge=0, le=1)
    reasoning: str
    correction: Correction = Correction.KEEP
    alternates: tuple[UUID, ...] = ()
    as_written: ClaimVerdict | None = None
