"""SciFact's open setting: retrieve from all abstracts, then verify; abstract-level label F1.

    python open_setting.py DATA RUN [KEPT]

``RUN`` is a ranking in TREC's format (claim Q0 document rank score tag), the best three of each
claim at least; scores lie in 0..1. A predicted (claim, abstract, label) is right if the
claim's evidence has it (Wadden et al. 2020, section 4); abstracts judged NEI are not
predicted. Weights and the least confidence come from the other four folds.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core import folds, measured, model
from labelled import LABELS, Labelled, closeness, scifact, with_documents

DEPTH = 3
LEANS = (0.6, 0.8, 1.0, 1.4, 1.8, 2.4)
FLOORS = (0.0, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7)

Triple = tuple[str, str, int]


def ranking(path: Path, depth: int = DEPTH) -> dict[str, list[tuple[str, float]]]:
    """The first documents of each claim, best first, with their scores."""
    found: dict[str, list[tuple[int, str, float]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        claim, _, document, rank, score, _ = line.split()
        found.setdefault(claim, []).append((int(rank), document, float(score)))
    return {
        claim: [(document, score) for _, document, score in sorted(rows)[:depth]]
        for claim, rows in found.items()
    }


def f1(predicted: set[Triple], wanted: set[Triple]) -> tuple[float, float, float]:
    right = len(predicted & wanted)
    precision, recall = right / max(1, len(predicted)), right / max(1, len(wanted))
    return 2 * precision * recall / max(1e-9, precision + recall), precision, recall


def predicted(
    rows: Sequence[Labelled], shares: np.ndarray, lean: float, floor: float
) -> set[Triple]:
    """What is told: where one of the two is likelier than NEI and likely enough."""
    weighted = shares * np.array([1.0, 1.0, lean])
    return {
        (row.claim_id, row.document_id, int(best))
        for row, best, share in zip(rows, weighted.argmax(1), shares, strict=True)
        if LABELS[best] != "NEI" and share[best] >= floor
    }


def best_of(rows: Sequence[Labelled], shares: np.ndarray, wanted: set[Triple]) -> tuple:
    """Lean and floor with the highest F1."""
    return max(
        ((lean, floor) for lean in LEANS for floor in FLOORS),
        key=lambda one: f1(predicted(rows, shares, *one), wanted)[0],
    )


def main(data: Path, run: Path, kept: Path | None) -> None:
    def near(name: str, rows: Sequence[Labelled]) -> list[np.ndarray]:
        return closeness(rows, kept / f"{name}.npz" if kept else None)

    cited = scifact(data / "scifact")
    ranks = ranking(run)
    found = with_documents(data / "scifact", {c: [d for d, _ in r] for c, r in ranks.items()})
    scores = np.array([s for row in found for d, s in ranks[row.claim_id] if d == row.document_id])
    wanted = {(r.claim_id, r.document_id, r.label) for r in cited if r.label}
    reached = {(r.claim_id, r.document_id) for r in found}
    share = np.mean([triple[:2] in reached for triple in wanted])
    print(f"{len(wanted)} abstracts with evidence, of which {share:.3f} are among {DEPTH}")
    values, gold = measured(found, near("open", found)), measured(cited, near("sf", cited))
    labels, truth = np.array([r.label for r in cited]), np.array([r.label for r in found])
    ranked = np.hstack([values, scores[:, None]])
    claims = np.array([row.claim_id for row in found])
    answers: dict[str, set[Triple]] = {"as shipped": set(), "floor": set(), "retrieval": set()}
    for train, test in folds(cited):
        held = {cited[place].claim_id for place in test}
        out = np.array([claim in held for claim in claims])
        rows_in, rows_out = _where(found, ~out), _where(found, out)
        known = {triple for triple in wanted if triple[0] not in held}
        fitted = model().fit(gold[train], labels[train])
        told = fitted.predict_proba(values[out])
        answers["as shipped"] |= predicted(rows_out, told, 1.8, 0.0)
        chosen = best_of(rows_in, fitted.predict_proba(values[~out]), known)
        answers["floor"] |= predicted(rows_out, told, *chosen)
        fitted = model().fit(ranked[~out], truth[~out])
        chosen = best_of(rows_in, fitted.predict_proba(ranked[~out]), known)
        answers["retrieval"] |= predicted(rows_out, fitted.predict_proba(ranked[out]), *chosen)
    for name, one in answers.items():
        score, precision, recall = f1(one, wanted)
        print(f"{name}: F1 {score:.3f} (precision {precision:.3f}, recall {recall:.3f})")


def _where(rows: Sequence[Labelled], mask: np.ndarray) -> list[Labelled]:
    return [row for row, here in zip(rows, mask, strict=True) if here]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)
