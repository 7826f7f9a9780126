"""Figures of a judge of claims, as tables."""

from citeloom.domain.verification.verdict import Verdict
from citeloom.infrastructure.cli.shared.output import print_table
from citeloom.infrastructure.cli.shared.terminal import print_line, print_progress
from citeloom_evaluation.domain.claim_quality import ClaimEvaluation


def show_progress(done: int, total: int) -> None:
    print_progress(f"{done} of {total} judged", last=done == total)


def print_evaluation(result: ClaimEvaluation) -> None:
    given = [
        verdict
        for verdict in Verdict
        if any(verdict in counts for counts in result.confusion.values())
    ]
    print_line(
        f"{result.dataset}: {result.claims} claims, judged by {result.judge} in "
        f"{result.duration_seconds:.1f} s"
    )
    rows = [
        (
            label.value,
            str(figures.claims),
            *(f"{value:.3f}" for value in (figures.precision, figures.recall, figures.f1)),
            *(str(result.confusion[label].get(verdict, 0)) for verdict in given),
        )
        for label, figures in result.labels.items()
    ]
    columns = ("Label", "Claims", "Precision", "Recall", "F1", *(one.value for one in given))
    print_table(None, columns, rows)
    print_line(
        f"macro-F1 {result.macro_f1:.3f}; by chance: {result.shuffled_macro_f1:.3f} with shuffled "
        f"labels, {result.majority_macro_f1:.3f} with always the most frequent one"
    )
    if result.false_alarms is not None:
        print_line(f"true claims called CONTRADICTED: {100 * result.false_alarms:.1f} %")
    if result.calibration_error is None:
        print_line("calibration: no verdict has a confidence")
    else:
        print_line(
            f"calibration error {result.calibration_error:.3f}, over the {result.with_confidence} "
            "verdicts with a confidence"
        )
