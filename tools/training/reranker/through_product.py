"""Cross-validation through the product: its index, its ranking, each fold read by its own model.

    python through_product.py DATASET --keep FOLDER --work WORK

DATASET is the one whose claims were trained on, in BEIR layout; FOLDER holds its project, as
`citeloom evaluate DATASET --keep FOLDER` leaves it. Of WORK it reads ``sf.json`` and for each
fold ``fold-N.npz`` (which claims it holds out) and ``fold-N.onnx`` (`export.py --weights
fold-N.pt`). Prints nDCG@10 by what a second look counts, and with what is best for the other
folds.
"""

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from citeloom.domain.projects.project import FusionPolicy
from citeloom.infrastructure.composition.application import open_application
from citeloom.infrastructure.models.reranking import rerankers as bundled
from citeloom_evaluation.application.evaluate import RERANKED, records_of
from citeloom_evaluation.composition import EvaluationVerbs
from citeloom_evaluation.domain.dataset import DEPTH, Dataset, Question
from citeloom_evaluation.domain.ranking_quality import mean_ndcg
from citeloom_evaluation.domain.tuning import Pool, rank_records
from citeloom_evaluation.infrastructure import BeirReader
from evaluate import crossed, gain

PLACES = 10
WEIGHTS = (0.0, 0.04, 0.06, 0.08, 0.12, 0.16, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.5)

#: By weight, one number a claim.
Figures = Mapping[float, np.ndarray]


def read_again(
    dataset: Dataset, keep: Path, model: Path, claims: Sequence[Question]
) -> tuple[FusionPolicy, list[Pool]]:
    """What the product finds for ``claims``, with ``model`` in place of its own reranker."""
    bundled.weights_path = lambda: model
    with tempfile.TemporaryDirectory() as empty:
        opened = open_application(Path(empty))
        try:
            with EvaluationVerbs(opened).trial(dataset, keep) as trial:
                records = records_of(trial)
                ranker = trial.rankers[RERANKED]
                pools = [ranker.pool(claim.text, DEPTH, records) for claim in claims]
                policy = opened.search.searcher.policy(trial.catalogue.project(trial.project_id))
                return policy, pools
        finally:
            opened.close()


def figures(
    dataset: Dataset, policy: FusionPolicy, claims: Sequence[Question], pools: Sequence[Pool]
) -> Figures:
    def ndcg(weight: float, claim: Question, pool: Pool) -> float:
        ranked = rank_records(pool, policy.model_copy(update={"rerank_weight": weight}), PLACES)
        return mean_ndcg({claim.id: dataset.judgments[claim.id]}, {claim.id: ranked}, PLACES)

    asked = list(zip(claims, pools, strict=True))
    return {weight: np.array([ndcg(weight, *one) for one in asked]) for weight in WEIGHTS}


def shares_document(dataset: Dataset, held_out: Sequence[Question]) -> np.ndarray:
    """Which of ``held_out`` has a relevant document in common with a claim of the rest."""
    names = {claim.id for claim in held_out}
    trained = {d for q, judged in dataset.judgments.items() if q not in names for d in judged}
    return np.array([not trained.isdisjoint(dataset.judgments[one.id]) for one in held_out])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--split")
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    options = parser.parse_args()
    dataset = BeirReader().read(options.dataset, options.split)
    claims = {claim.id: claim for claim in dataset.questions}
    ids = [row["id"] for row in json.loads((options.work / "sf.json").read_text())["queries"]]
    folds: list[Figures] = []
    shared: list[np.ndarray] = []
    for path in sorted(options.work.glob("fold-*.npz")):
        held_out = [claims[ids[place]] for place in np.load(path)["queries"]]
        model = path.with_suffix(".onnx").absolute()
        policy, pools = read_again(dataset, options.keep, model, held_out)
        found = figures(dataset, policy, held_out, pools)
        print(f"{path.stem}: {len(held_out)} claims, first stage {found[0.0].mean():.4f}", end="")
        print(*(f", {w:g} {(v - found[0.0]).mean():+.4f}" for w, v in found.items() if w), sep="")
        folds.append(found)
        shared.append(shares_document(dataset, held_out))
    _report(folds, np.concatenate(shared))


def _report(folds: Sequence[Figures], shared: np.ndarray) -> None:
    def rows(weights: Sequence[float]) -> np.ndarray:
        return np.concatenate([fold[one] for fold, one in zip(folds, weights, strict=True)])

    def line(name: str, after: np.ndarray) -> None:
        parts = (("all", np.ones_like(shared)), ("share a document", shared), ("none", ~shared))
        told = (f"{what} {int(m.sum())}: {gain(after[m], before[m])}" for what, m in parts)
        print(f"{name}: {'; '.join(told)}")

    before = rows([0.0] * len(folds))
    for weight in WEIGHTS:
        line(f"{weight:g}", rows([weight] * len(folds)))
    if len(folds) > 1:
        best = crossed(folds)
        line(f"chosen on the other folds ({', '.join(f'{w:g}' for w in best)})", rows(best))


if __name__ == "__main__":
    main()
