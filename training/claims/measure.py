"""The figures of the judge that is shipped, on sets that its weights were not tuned on.

    python measure.py DATA

``DATA`` has ``scifact/``, ``citint/`` and ``claims/``. PARTIAL counts as SUPPORT: what is
missing there is a number or a certainty, which the labels of these sets do not tell apart.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from citeloom.application.verification.evidence_search import relevance, shared, sought_words
from citeloom.application.verification.rule_judge import RuleJudge
from core import held_out, measured, summary, told
from labelled import LABELS, Labelled, citint, closeness, evidence, healthver, scifact

_LABEL = {"SUPPORTED": 1, "PARTIAL": 1, "CONTRADICTED": 2, "UNSUPPORTED": 0}


def verdicts(rows: Sequence[Labelled], scores: Sequence[np.ndarray]) -> str:
    """By the judge as it is shipped, rules and all."""
    judge = RuleJudge()
    found = [judge.judge(row.claim, evidence(row, s)) for row, s in zip(rows, scores, strict=True)]
    said = np.array([_LABEL[one.verdict] for one in found])
    confidence = np.array([one.confidence for one in found])
    return summary(np.array([row.label for row in rows]), said, confidence)


def selected(
    rows: Sequence[Labelled], scores: Sequence[np.ndarray], said: np.ndarray, count: int
) -> str:
    """Sentences as the product shows them, against rationales.

    The deciding one, then the most relevant others, ``count`` in all; none where the verdict
    is NEI. As in SciFact (Wadden et al. 2020, section 4), a sentence of a rationale is right if
    all of that rationale was selected."""
    judge, right, shown, wanted = RuleJudge(), 0, 0, 0
    for row, near, label in zip(rows, scores, said, strict=True):
        gold = {place for one in row.rationales for place in one}
        wanted += len(gold)
        if LABELS[label] == "NEI":
            continue
        best = judge.judge(row.claim, evidence(row, near)).best
        words = sought_words(row.claim)
        by_relevance = sorted(
            range(len(near)),
            key=lambda n: -relevance(float(near[n]), shared(words, row.sentences[n])),
        )
        picked = set([best, *(n for n in by_relevance if n != best)][:count])
        shown += len(picked)
        whole = {place for one in row.rationales if picked.issuperset(one) for place in one}
        right += len(picked & whole)
    precision, recall = right / shown, right / wanted
    f1 = 2 * precision * recall / (precision + recall)
    return f"F1 {f1:.3f} (precision {precision:.3f}, recall {recall:.3f})"


def main(data: Path, kept: Path | None) -> None:
    def near(name: str, rows: Sequence[Labelled]) -> list[np.ndarray]:
        return closeness(rows, kept / f"{name}.npz" if kept else None)

    rows = scifact(data / "scifact")
    scores = near("sf", rows)
    labels = np.array([row.label for row in rows])
    shares = held_out(rows, measured(rows, scores))
    said = told(shares)
    confidence = shares[np.arange(len(said)), said]
    print(
        f"SciFact, {len(rows)} pairs, five folds: {summary(labels, said, confidence)}", flush=True
    )
    for count in (1, 2, 3):
        print(f"sentences, {count}: {selected(rows, scores, said, count)}", flush=True)
        right = selected(rows, scores, labels, count)
        print(f"sentences, {count}, abstracts with a rationale alone: {right}", flush=True)
    rows = citint(data / "citint")
    print(f"Citation-Integrity, {len(rows)}: {verdicts(rows, near('ci', rows))}", flush=True)
    rows = healthver(data / "claims" / "healthver_dev.jsonl")
    print(f"HealthVer, {len(rows)}: {verdicts(rows, near('hv', rows))}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
