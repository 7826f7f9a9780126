"""Figures of a judge of claims, against values worked out by hand."""

import pytest
from support.cases import each

from citeloom.domain.verification.verdict import Verdict
from citeloom_evaluation.domain.claim_quality import (
    ClaimLabel,
    JudgedClaim,
    claim_quality,
    label_of,
)

SUPPORT, CONTRADICT, NEI = ClaimLabel.SUPPORT, ClaimLabel.CONTRADICT, ClaimLabel.NEI
EIGHT = [
    JudgedClaim(SUPPORT, Verdict.SUPPORTED, 0.9),
    JudgedClaim(SUPPORT, Verdict.SUPPORTED, 0.7),
    JudgedClaim(SUPPORT, Verdict.CONTRADICTED, 0.7),
    JudgedClaim(SUPPORT, Verdict.PARTIAL),
    JudgedClaim(CONTRADICT, Verdict.CONTRADICTED, 1.0),
    JudgedClaim(CONTRADICT, Verdict.UNSUPPORTED),
    JudgedClaim(NEI, Verdict.UNSUPPORTED),
    JudgedClaim(NEI, Verdict.SUPPORTED, 0.7),
]


def test_precision_recall_and_f1_of_each_label() -> None:
    quality = claim_quality(EIGHT)
    support, contradict, nei = (quality.labels[one] for one in (SUPPORT, CONTRADICT, NEI))
    assert (support.claims, support.precision, support.recall) == (4, 2 / 3, 0.5)
    assert (contradict.claims, contradict.precision, contradict.recall) == (2, 0.5, 0.5)
    assert (nei.claims, nei.precision, nei.recall) == (2, 1 / 3, 0.5)
    assert quality.macro_f1 == pytest.approx((4 / 7 + 0.5 + 0.4) / 3)


def test_verdicts_are_counted_by_label() -> None:
    assert claim_quality(EIGHT).confusion == {
        SUPPORT: {Verdict.SUPPORTED: 2, Verdict.PARTIAL: 1, Verdict.CONTRADICTED: 1},
        CONTRADICT: {Verdict.UNSUPPORTED: 1, Verdict.CONTRADICTED: 1},
        NEI: {Verdict.SUPPORTED: 1, Verdict.UNSUPPORTED: 1},
    }


def test_a_false_alarm_is_a_true_claim_called_contradicted() -> None:
    assert claim_quality(EIGHT).false_alarms == 0.25
    assert claim_quality(EIGHT[4:]).false_alarms is None


def test_calibration_is_over_verdicts_with_a_confidence_alone() -> None:
    # Of the bin of 0.7 one of three is right; the bins of 0.9 and 1.0 are one.
    quality = claim_quality(EIGHT)
    assert quality.with_confidence == 5
    assert quality.calibration_error == pytest.approx((abs(1 - 2.1) + abs(2 - 1.9)) / 5)
    assert claim_quality([JudgedClaim(NEI, Verdict.PARTIAL)]).calibration_error is None


def test_labels_that_do_not_occur_are_no_part_of_the_mean() -> None:
    quality = claim_quality(EIGHT[:6])
    assert set(quality.labels) == {SUPPORT, CONTRADICT}
    assert quality.macro_f1 == pytest.approx((4 / 6 + 0.5) / 2)


def test_chance_stands_beside_the_figures() -> None:
    right = [
        JudgedClaim(label, verdict)
        for label, verdict, count in (
            (SUPPORT, Verdict.SUPPORTED, 60),
            (CONTRADICT, Verdict.CONTRADICTED, 30),
            (NEI, Verdict.UNSUPPORTED, 30),
        )
        for _ in range(count)
    ]
    quality = claim_quality(right)
    assert quality.macro_f1 == 1.0
    assert quality.shuffled_macro_f1 == pytest.approx(1 / 3, abs=0.04)
    assert quality.majority_macro_f1 == pytest.approx(2 / 3 / 3)
    assert claim_quality(right) == quality


@each("verdict", list(Verdict))
def test_only_two_verdicts_say_something_of_the_claim(verdict: Verdict) -> None:
    known = {Verdict.SUPPORTED: SUPPORT, Verdict.CONTRADICTED: CONTRADICT}
    assert label_of(verdict) is known.get(verdict, NEI)
