"""What becomes of a sentence by what its spans are worth."""

from uuid import UUID, uuid5

import pytest

from citeloom.domain.research.session import ClaimVerdict, Correction
from citeloom.domain.review.checking import ALTERNATE, THRESHOLD, Support, decide, match_score

SPACE = UUID(int=1)
A, B, C = (uuid5(SPACE, name) for name in "abc")
SUPPORTED, PARTIAL = ClaimVerdict.SUPPORTED, ClaimVerdict.PARTIAL
UNSUPPORTED, CONTRADICTED = ClaimVerdict.UNSUPPORTED, ClaimVerdict.CONTRADICTED


def bears(span: UUID, *, cited: bool, match: float = 0.9, confidence: float = 0.8) -> Support:
    return Support(span, cited, SUPPORTED, confidence, match, (), ("why",))


def fails(
    span: UUID, verdict: ClaimVerdict = UNSUPPORTED, *, cited: bool = True, match: float = 0.3
) -> Support:
    return Support(span, cited, verdict, 0.7, match, (), ("why not",))


def test_the_numbers_are_those_of_the_cases() -> None:
    assert (THRESHOLD, ALTERNATE) == (0.6, 0.48)
    assert match_score(1.0, 0.0) == 0.8
    assert match_score(0.5, 1.0) == pytest.approx(0.6)


def test_what_is_borne_out_by_what_it_cites_is_kept() -> None:
    found = decide([A], [[bears(A, cited=True), bears(B, cited=False)]])
    assert (found.correction, found.verdict) == (Correction.KEEP, SUPPORTED)
    assert (found.spans, found.alternates) == ((A,), (B,))


def test_a_citation_that_bears_out_nothing_goes() -> None:
    found = decide([A, B], [[bears(A, cited=True), fails(B)]])
    assert (found.correction, found.spans) == (Correction.REPLACE, (A,))


def test_another_span_is_cited_instead() -> None:
    found = decide([A], [[fails(A), bears(B, cited=False, match=0.7), bears(C, cited=False)]])
    assert (found.correction, found.spans, found.alternates) == (Correction.REPLACE, (C,), (B,))


def test_what_is_cited_instead_has_to_fit() -> None:
    found = decide([A], [[fails(A), bears(B, cited=False, match=0.5)]])
    assert found.correction is Correction.REMOVE


def test_another_span_is_cited_besides_for_the_other_claim() -> None:
    found = decide(
        [A], [[bears(A, cited=True)], [fails(A), bears(B, cited=False, match=ALTERNATE)]]
    )
    assert (found.correction, found.spans) == (Correction.ADD_ALTERNATE, (A, B))


@pytest.mark.parametrize("verdict", [PARTIAL, CONTRADICTED, UNSUPPORTED])
def test_the_span_is_quoted_where_it_speaks_of_the_same(verdict: ClaimVerdict) -> None:
    found = decide([A], [[fails(A, verdict, match=0.7)]])
    assert (found.correction, found.quote, found.verdict) == (Correction.SOFTEN, A, verdict)


def test_what_the_judge_supports_but_departs_is_partial() -> None:
    row = bears(A, cited=True)._replace(deviations=("It has another number.",))
    found = decide([A], [[row]])
    assert (found.correction, found.verdict) == (Correction.SOFTEN, PARTIAL)
    assert found.reasons == ("It has another number.",)


def test_a_judge_that_is_not_sure_is_not_enough() -> None:
    found = decide([A], [[bears(A, cited=True, confidence=0.59)]])
    assert (found.correction, found.verdict) == (Correction.SOFTEN, PARTIAL)


def test_one_claim_of_two_is_not_enough() -> None:
    found = decide([A], [[bears(A, cited=True)], [fails(A)]])
    assert (found.correction, found.verdict) == (Correction.SOFTEN, PARTIAL)


def test_what_nothing_speaks_of_is_removed() -> None:
    found = decide([], [[]])
    assert (found.correction, found.verdict, found.spans) == (Correction.REMOVE, UNSUPPORTED, ())


def test_what_stands_against_a_sentence_outweighs_what_bears_it_out() -> None:
    found = decide([A], [[bears(A, cited=True)]], ("No passage has “so”.",))
    assert (found.correction, found.verdict) == (Correction.SOFTEN, PARTIAL)
    assert found.reasons[0] == "No passage has “so”."
