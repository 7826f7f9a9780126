"""A quotation against its source."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from support.research.reviews import Desk
from support.world import HERE, World

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.review.extractive import QuotationChecker
from citeloom.application.review.roles import ReviewResources, VectorCloseness
from citeloom.application.verification.cited_documents import CitedDocuments, EvidenceSearch
from citeloom.application.verification.judges import RuleJudge
from citeloom.domain.research.session import ClaimVerdict, Correction, SourceSpan
from citeloom.domain.review.report.report import Checked, GatheredEvidence, Statement


class Readings:
    """Pages as another reader has them: ``has`` is whether they have what is quoted."""

    def __init__(self) -> None:
        self.answer: bool | None = None

    def has(self, stored: StoredDocument, quote: str, pages: Sequence[int]) -> bool | None:
        return self.answer


class Bench:
    """What a review of the library gathered, and a checker of statements on it."""

    def __init__(self, desk: Desk) -> None:
        done = desk.review()(desk.request())
        self.gathered = GatheredEvidence(sources=done.sources, spans=done.spans)
        project = desk.world.catalogue.project(HERE)
        sources = CitedDocuments(
            project,
            catalogue=desk.world.catalogue,
            bundles=desk.world.bundles,
            references=desk.world.references,
        )
        evidence = EvidenceSearch(project, desk.world.searcher, sources)
        closeness = VectorCloseness(desk.world.embedder("hashing"))
        self.readings = Readings()
        self.checker = QuotationChecker(
            ReviewResources(project, sources, evidence, RuleJudge(), closeness, self.readings)
        )

    def span(self, beginning: str) -> SourceSpan:
        return next(span for span in self.gathered.spans if beginning in span.quote)

    def check(self, text: str, *spans: SourceSpan, quoted: bool = False) -> Checked:
        ids = tuple(span.id for span in spans)
        statement = Statement(text=text, spans=ids, step_index=0, quoted=quoted)
        return self.checker.check(statement, self.gathered)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(Desk(World(tmp_path / "library")))


@pytest.mark.parametrize("answer", [True, False, None])
def test_a_quotation_that_another_reading_does_not_have_is_left_out(
    bench: Bench, answer: bool | None
):
    span = bench.span("falls with distance")
    bench.readings.answer = answer
    checked = bench.check(span.quote, span, quoted=True)
    assert checked.second_reading is answer
    assert (checked.statement is None) == (answer is False)
    assert ("Another reading of page" in checked.reasoning) == (answer is False)


def test_a_quotation_stands_letter_by_letter(bench: Bench):
    span = bench.span("falls with distance")
    kept = bench.check(span.quote, span, quoted=True)
    assert kept.verdict is ClaimVerdict.SUPPORTED
    assert "character" not in kept.reasoning
    altered = bench.check(span.quote.replace("one", "two"), span, quoted=True)
    assert altered.statement is None
    assert altered.correction is Correction.REMOVE
    assert "word for word" in altered.reasoning


def test_a_quotation_stands_where_it_is_said_to_stand(bench: Bench):
    span = bench.span("falls with distance")
    moved = span.model_copy(update={"start_offset": 0, "end_offset": len(span.quote)})
    bench.gathered = GatheredEvidence(sources=bench.gathered.sources, spans=(moved,))
    assert bench.check(span.quote, moved, quoted=True).statement is None


def test_a_quotation_without_evidence_is_left_out(bench: Bench):
    assert bench.check("Ponds cool the air at all times.", quoted=True).statement is None


def test_a_statement_in_other_words_is_not_taken_for_a_quotation(bench: Bench):
    span = bench.span("falls with distance")
    found = bench.check("The cooling beside small ponds is gone at one hundred metres.", span)
    assert found.statement is None


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ({"page": 3, "page_label": "441"}, "word for word, on p. 441."),
        ({"page": 3}, "word for word, on page 3 of the file."),
        ({"section_heading": "Results"}, "word for word, in “Results”."),
    ],
)
def test_a_reader_is_told_where_a_quotation_stands(
    bench: Bench, where: dict[str, object], told: str
):
    nowhere = {"page": None, "page_label": None, "section_heading": None}
    span = bench.span("falls with distance").model_copy(update=nowhere | where)
    bench.gathered = GatheredEvidence(sources=bench.gathered.sources, spans=(span,))
    assert bench.check(span.quote, span, quoted=True).reasoning.endswith(told)
