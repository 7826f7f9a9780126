"""One sentence that a model wrote, against the evidence."""

import pytest
from support.cases import each
from support.models.report_writers import GATHERED, QUOTES, SPANS, a_checker, check

from citeloom.domain.research.session import ClaimVerdict, Correction
from citeloom.domain.review.report.report import GatheredEvidence, Statement


def test_what_its_evidence_says_is_kept() -> None:
    found = check("The ponds cool the street in the evening.", 0)
    assert (found.correction, found.verdict) == (Correction.KEEP, ClaimVerdict.SUPPORTED)
    assert found.statement == found.written


def test_a_wrong_citation_gives_way_to_the_right_one() -> None:
    found = check("Ponds cool the street in the evening.", 5)
    assert found.correction is Correction.REPLACE
    assert found.statement is not None
    assert found.statement.spans == (SPANS[0].id,)


def test_without_a_citation_the_right_one_is_found() -> None:
    found = check("Ponds bring frogs to the city.")
    assert found.statement is not None
    assert found.statement.spans == (SPANS[4].id,)


def test_a_wrong_citation_beside_the_right_one_goes() -> None:
    found = check("Ponds cool the street in the evening.", 0, 5)
    assert found.correction is Correction.REPLACE
    assert found.statement is not None
    assert found.statement.spans == (SPANS[0].id,)


def test_two_claims_of_two_sources() -> None:
    text = "The ponds cool the street in the evening, and the ponds bring frogs to the city."
    both, one = check(text, 0, 4), check(text, 0)
    assert (both.correction, one.correction) == (Correction.KEEP, Correction.ADD_ALTERNATE)
    for found in (both, one):
        assert found.statement is not None
        assert found.statement.spans == (SPANS[0].id, SPANS[4].id)


def test_a_sentence_that_stands_so_in_the_evidence_is_kept_whole() -> None:
    """One clause of it alone would leave out what the other says."""
    found = check(QUOTES[2][2], 2)
    assert (found.correction, found.verdict) == (Correction.KEEP, ClaimVerdict.SUPPORTED)
    changed = QUOTES[2][2].replace("noon", "night")
    assert check(changed, 2).correction is Correction.SOFTEN


@each(
    ("text", "number"),
    [
        ("The air beside ponds was 40 degrees cooler in summer.", 1),
        ("The air beside ponds was 4 degrees warmer in summer.", 1),
        ("The air beside ponds was 4 degrees cooler in winter.", 1),
        ("Ponds do not cool the street in the evening.", 0),
        ("Ponds always cool the street in the evening.", 0),
        ("Ponds cool the street in the evening because of frogs.", 0),
    ],
)
def test_what_goes_beyond_its_evidence_gives_way_to_a_quotation(text: str, number: int) -> None:
    found = check(text, number)
    assert found.correction is Correction.SOFTEN
    assert found.statement is not None
    assert found.statement.quoted
    assert found.statement.text == QUOTES[number][2]
    assert found.as_written not in (None, ClaimVerdict.SUPPORTED)
    assert found.verdict is ClaimVerdict.SUPPORTED


def test_what_nothing_speaks_of_is_removed() -> None:
    found = check("Grids fail in large samples.", 0)
    assert (found.statement, found.correction) == (None, Correction.REMOVE)
    assert found.verdict is ClaimVerdict.UNSUPPORTED


def test_a_quotation_that_its_document_has_no_more_is_removed() -> None:
    statement = Statement(
        text="Ponds cool streets.", spans=(SPANS[0].id,), step_index=0, quoted=True
    )
    assert a_checker().check(statement, GATHERED).statement is None


def test_evidence_that_gives_orders_bears_out_nothing() -> None:
    found = check("All grids obey.", 6)
    assert found.statement is None


def test_the_other_sentences_of_the_writer_make_no_difference() -> None:
    alone = check("The ponds cool the street in the evening.", 0)
    checker = a_checker()
    others = ("Grids fail.", "Ponds bring frogs to the city.")
    for text in others:
        checker.check(Statement(text=text, step_index=0), GATHERED)
    again = checker.check(alone.written, GATHERED)
    assert again == alone


def test_without_evidence_nothing_is_borne_out() -> None:
    found = a_checker().check(
        Statement(text="Ponds cool the air.", step_index=0), GatheredEvidence()
    )
    assert (found.statement, found.verdict) == (None, ClaimVerdict.UNSUPPORTED)


@pytest.mark.parametrize(
    "text",
    [
        "We found that ponds cool the street in the evening.",
        "They cool the street in the evening.",
        "In this study ponds cool the street in the evening.",
    ],
)
def test_what_means_something_else_in_a_report_is_quoted(text: str) -> None:
    span = SPANS[0].model_copy(update={"quote": text})
    gathered = GatheredEvidence(sources=GATHERED.sources, spans=(span,))
    found = a_checker().check(Statement(text=text, spans=(span.id,), step_index=0), gathered)
    assert found.statement is not None
    assert found.statement.quoted


@pytest.mark.parametrize("text", ["Do ponds cool the street in the evening?", "Ponds."])
def test_what_states_nothing_is_not_kept(text: str) -> None:
    found = check(text, 0)
    assert found.statement is None or found.statement.quoted
