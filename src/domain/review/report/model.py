"""A report in the making: what is planned, gathered, stated, and what checking made of it."""

from enum import StrEnum
from uuid import UUID

from pydantic import Field

from citeloom.domain.research.session import ClaimVerdict, Correction, Depth, Source, SourceSpan
from citeloom.domain.value import Value


class SubQuestion(Value):
    """A step of a plan. ``queries`` are what the project is asked for it, the first always the
    sub-question itself in words (with its ``subject``: words that it points back to); ``facets``
    are terms that its answers should speak of (those of one that was not ``asked`` for have to;
    it is looked at as long as there is something new)."""

    title: str
    queries: tuple[str, ...] = Field(min_length=1)
    facets: tuple[str, ...] = ()
    asked: bool = True
    subject: str = ""

    @property
    def question_text(self) -> str:
        """What its answers are held against, with its subject, however they are searched for."""
        return self.title if self.subject else self.queries[0]


class Gap(Value):
    """What a step asks for and the project does not have. ``absent`` are words of it that no
    passage has. ``elsewhere``: what it found is quoted in steps before. Where nothing was found,
    ``nearest`` are citations of the passages that come
    nearest, and ``shared`` the words of the step that these have."""

    step: int = Field(ge=0)
    elsewhere: bool = False
    absent: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()


class Plan(Value):
    """``failures`` say what went wrong and what was done instead."""

    question: str
    depth: Depth
    steps: tuple[SubQuestion, ...] = Field(min_length=1)
    warnings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


class GatheredEvidence(Value):
    """What the steps found: documents, and verbatim spans of them. ``span.step_index`` is the
    step that the span speaks to."""

    sources: tuple[Source, ...] = ()
    spans: tuple[SourceSpan, ...] = ()

    def source_of(self, span: SourceSpan) -> Source:
        return next(source for source in self.sources if source.id == span.source_id)


class Stance(StrEnum):
    """How a statement stands to the first one that it is grouped with."""

    AGREES = "agrees"
    DISAGREES = "disagrees"


class Statement(Value):
    """A sentence of a report, without its citation. ``spans`` bear it out, what it cites first.
    ``quoted``: it is the first span's quote, verbatim. Statements with one ``group`` speak of the
    same matter; ``stance`` is to the first of them (None for itself, and where none is told)."""

    text: str = Field(min_length=1)
    spans: tuple[UUID, ...] = ()
    step_index: int = Field(ge=0)
    quoted: bool = False
    group: int | None = None
    stance: Stance | None = None


class ReportDraft(Value):
    """Statements in the order of the report. ``writer`` is ``extractive`` or a model's name.
    ``failures`` say what went wrong and what was done instead."""

    writer: str
    statements: tuple[Statement, ...] = ()
    warnings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


class Checked(Value):
    """A statement after its check. ``statement`` is as it goes into the report (None where it was
    removed), ``written`` as it was; ``alternates`` bear it out too and are not cited.
    ``verdict`` is on what goes into the report, or on what was removed; ``as_written`` on what
    was written, where a quotation stands in its place."""

    written: Statement
    statement: Statement | None
    verdict: ClaimVerdict
    confidence: float = Field(ge=0, le=1)
    reasoning: str
    correction: Correction = Correction.KEEP
    alternates: tuple[UUID, ...] = ()
    as_written: ClaimVerdict | None = None
