"""Models of a review: plan, gathered evidence, statements, checked statements."""

from uuid import UUID

from pydantic import Field, model_validator

from citeloom.domain.research.session import ClaimVerdict, Correction, Depth, Source, SourceSpan
from citeloom.domain.value import Value


def without(data: object, *names: str) -> object:
    """Stored data without fields of earlier versions."""
    if isinstance(data, dict):
        return {key: one for key, one in data.items() if key not in names}
    return data


class SubQuestion(Value):
    """A step of a plan: searched by ``queries``. A sentence is scored by the best answered of
    ``aspects`` (none: the first query). ``facets`` are terms that answers should have.
    ``compared`` are the names on both sides of a comparison: an answer speaks of both. ``asked``
    is False for the additional steps of earlier versions."""

    title: str
    queries: tuple[str, ...] = Field(min_length=1)
    facets: tuple[str, ...] = ()
    asked: bool = True
    aspects: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_versions(cls, data: object) -> object:
        """Plans of earlier versions have the subject of a question that points back, which is
        part of its first query."""
        return without(data, "subject")

    @property
    def scored(self) -> tuple[str, ...]:
        """The texts that answers are scored against, whatever the queries."""
        return self.aspects or self.queries[:1]


class Gap(Value):
    """What a step asks for and the project lacks. ``absent`` are words that no passage has.
    ``elsewhere``: its evidence is quoted in earlier steps. ``compared`` are names that are
    compared, and no sentence speaks of both. If nothing was found, ``nearest`` are
    citations of the nearest passages, and ``shared`` the words of the step that these have."""

    step: int = Field(ge=0)
    elsewhere: bool = False
    absent: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
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
        return without(data, "group", "stance")


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
    removed statement; ``as_written`` on the original one if a quotation replaced it.
    ``second_reading``: a quotation stands in another reading of its page, too; None if there is
    none to compare with."""

    written: Statement
    statement: Statement | None
    verdict: ClaimVerdict
    confidence: float = Field(ge=0, le=1)
    reasoning: str
    correction: Correction = Correction.KEEP
    alternates: tuple[UUID, ...] = ()
    as_written: ClaimVerdict | None = None
    second_reading: bool | None = None
