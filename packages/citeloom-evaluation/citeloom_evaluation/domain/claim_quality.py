"""Quality of a judge of claims on labelled claims: F1, confusion, alarms, calibration."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pydantic import Field

from citeloom.domain.value import Value
from citeloom.domain.verification.verdict import Verdict

_SHUFFLES: Final = 20
_SEED: Final = 7
_BINS: Final = 10


class ClaimLabel(StrEnum):
    """The evidence's position on a claim; ``NEI``: not enough information."""

    SUPPORT = "SUPPORT"
    CONTRADICT = "CONTRADICT"
    NEI = "NEI"


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """A claim, the sentences of one source, and their label."""

    claim: str
    evidence: tuple[str, ...]
    label: ClaimLabel


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """The label of a claim, and the verdict of a judge with its confidence, if it has one."""

    label: ClaimLabel
    verdict: Verdict
    confidence: float | None = None

    @property
    def given(self) -> ClaimLabel:
        """The label that the verdict amounts to."""
        return label_of(self.verdict)


class LabelFigures(Value):
    """Figures of one label, each in 0..1; ``claims`` is the number of claims that have it."""

    claims: int
    precision: float
    recall: float
    f1: float


class ClaimQuality(Value):
    """Figures over all claims, each in 0..1.

    ``macro_f1`` is the mean F1 of the labels that occur; ``shuffled_macro_f1`` is that of the
    same verdicts against shuffled labels (mean of 20 shuffles), ``majority_macro_f1`` that of
    always the most frequent label: what chance gives. ``confusion`` counts verdicts by label.
    ``false_alarms`` is the share of SUPPORT claims with the verdict CONTRADICTED.
    ``calibration_error`` is the expected calibration error (Guo et al. 2017) in 10 bins over the
    ``with_confidence`` verdicts that have a confidence; None without any.
    """

    claims: int
    macro_f1: float
    shuffled_macro_f1: float
    majority_macro_f1: float
    labels: Mapping[ClaimLabel, LabelFigures]
    confusion: Mapping[ClaimLabel, Mapping[Verdict, int]]
    false_alarms: float | None
    with_confidence: int
    calibration_error: float | None


class ClaimEvaluation(ClaimQuality):
    """The figures of one judge on one file of claims. ``judge`` is its name and version."""

    dataset: str
    judge: str
    duration_seconds: float = Field(ge=0)
    warnings: tuple[str, ...] = ()


def label_of(verdict: Verdict) -> ClaimLabel:
    """SUPPORT and CONTRADICT for their verdicts, NEI for any other: PARTIAL, too, says that the
    evidence does not support the claim as it stands."""
    if verdict is Verdict.SUPPORTED:
        return ClaimLabel.SUPPORT
    if verdict is Verdict.CONTRADICTED:
        return ClaimLabel.CONTRADICT
    return ClaimLabel.NEI


def claim_quality(judged: Sequence[JudgedClaim]) -> ClaimQuality:
    """The figures of at least one claim."""
    labels = [one.label for one in judged]
    given = [one.given for one in judged]
    figures = _by_label(labels, given)
    majority = Counter(labels).most_common(1)[0][0]
    confident = [one for one in judged if one.confidence is not None]
    return ClaimQuality(
        claims=len(judged),
        macro_f1=_macro_f1(figures),
        shuffled_macro_f1=_shuffled(labels, given),
        majority_macro_f1=_macro_f1(_by_label(labels, [majority] * len(labels))),
        labels=figures,
        confusion={
            label: {
                verdict: count
                for verdict in Verdict
                if (count := sum(one.label is label and one.verdict is verdict for one in judged))
            }
            for label in figures
        },
        false_alarms=_false_alarms(judged),
        with_confidence=len(confident),
        calibration_error=_calibration_error(confident) if confident else None,
    )


def _by_label(
    labels: Sequence[ClaimLabel], given: Sequence[ClaimLabel]
) -> dict[ClaimLabel, LabelFigures]:
    true, told = Counter(labels), Counter(given)
    right = Counter(one for one, other in zip(labels, given, strict=True) if one is other)
    return {
        label: LabelFigures(
            claims=true[label],
            precision=_ratio(right[label], told[label]),
            recall=_ratio(right[label], true[label]),
            f1=_ratio(2 * right[label], told[label] + true[label]),
        )
        for label in ClaimLabel
        if true[label]
    }


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _macro_f1(figures: Mapping[ClaimLabel, LabelFigures]) -> float:
    return sum(one.f1 for one in figures.values()) / len(figures)


def _shuffled(labels: Sequence[ClaimLabel], given: Sequence[ClaimLabel]) -> float:
    rng = random.Random(_SEED)
    total = 0.0
    for _ in range(_SHUFFLES):
        total += _macro_f1(_by_label(rng.sample(labels, len(labels)), given))
    return total / _SHUFFLES


def _false_alarms(judged: Sequence[JudgedClaim]) -> float | None:
    true = [one for one in judged if one.label is ClaimLabel.SUPPORT]
    if not true:
        return None
    return sum(one.verdict is Verdict.CONTRADICTED for one in true) / len(true)


def _calibration_error(confident: Sequence[JudgedClaim]) -> float:
    """The mean distance of confidence and accuracy over bins of equal width, by their size."""
    bins: dict[int, list[float]] = {}
    for one in confident:
        confidence = one.confidence or 0.0
        gap = (one.given is one.label) - confidence
        bins.setdefault(min(int(confidence * _BINS), _BINS - 1), []).append(gap)
    return sum(abs(sum(gaps)) for gaps in bins.values()) / len(confident)
