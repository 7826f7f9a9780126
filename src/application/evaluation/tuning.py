"""Searching a project's fusion weights on judged questions."""

from collections.abc import Callable

from citeloom.application.evaluation.document_ranking import Ranker, Records
from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.search.searcher import Searcher
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.evaluation.dataset import DEPTH, Dataset, Judgments, TuningReport
from citeloom.domain.evaluation.tuning import (
    Weights,
    mean_ndcg,
    rank_records,
    rerank_weight_of,
    search_rerank_weight,
    search_weights,
    split_judgments,
    weights_of,
    with_weights,
)
from citeloom.domain.projects.fusion_policy import FusionPolicy
from citeloom.domain.projects.project_id import ProjectId

_PLACES = 10
_DIGITS = 4


class Tuner:
    """Searches weights over what ``ranker`` finds, and the weight of the reranker over
    what ``rereader`` finds, each question being asked once.

    Better ones become the project's own if it is ``lasting``: one that is removed after the
    evaluation has no use for them.
    """

    def __init__(
        self,
        *,
        ranker: Ranker,
        rereader: Ranker,
        searcher: Searcher,
        catalogue: Catalogue,
        project_id: ProjectId,
        lasting: bool,
    ) -> None:
        self._ranker = ranker
        self._rereader = rereader
        self._searcher = searcher
        self._catalogue = catalogue
        self._project_id = project_id
        self._lasting = lasting

    def __call__(self, dataset: Dataset, train: Dataset | None, records: Records) -> TuningReport:
        """Searches on ``train``, else on half of the questions of ``dataset``; its other
        questions say what the weights are worth."""
        return self._tuned(self._ranker, weights_of, search_weights, dataset, train, records)

    def second_look(
        self, dataset: Dataset, train: Dataset | None, records: Records
    ) -> TuningReport:
        """The same for the weight of the reranker, over the project's weights as they are."""
        return self._tuned(
            self._rereader, rerank_weight_of, search_rerank_weight, dataset, train, records
        )

    def _tuned(
        self,
        ranker: Ranker,
        weights_of: Callable[[FusionPolicy], Weights],
        search: Callable[[Weights, Callable[[Weights], float]], Weights],
        dataset: Dataset,
        train: Dataset | None,
        records: Records,
    ) -> TuningReport:
        searched, held_out = _halves(dataset, train)
        asked = [*(train.questions if train else ()), *dataset.questions]
        pools = {one.id: ranker.pool(one.text, DEPTH, records) for one in asked}
        policy = self._searcher.policy(self._catalogue.project(self._project_id))
        before = weights_of(policy)

        def score(weights: Weights, judgments: Judgments) -> float:
            tried = with_weights(policy, weights)
            rankings = {id: rank_records(pools[id], tried, _PLACES) for id in judgments}
            return mean_ndcg(judgments, rankings, _PLACES)

        after = search(before, lambda weights: score(weights, searched))
        was, now = score(before, held_out), score(after, held_out)
        kept = self._lasting and after != before and now >= was
        if kept:
            self._adopt(with_weights(policy, after))
        return TuningReport(
            before={name: round(weight, _DIGITS) for name, weight in before.items()},
            after={name: round(weight, _DIGITS) for name, weight in after.items()},
            train_queries=len(searched),
            held_out_queries=len(held_out),
            train_before=round(score(before, searched), _DIGITS),
            train_after=round(score(after, searched), _DIGITS),
            held_out_before=round(was, _DIGITS),
            held_out_after=round(now, _DIGITS),
            kept=kept,
        )

    def _adopt(self, policy: FusionPolicy) -> None:
        project = self._catalogue.project(self._project_id)
        retrieval = project.retrieval.model_copy(update={"fusion": policy})
        self._catalogue.update_project(project.model_copy(update={"retrieval": retrieval}))


def _halves(dataset: Dataset, train: Dataset | None) -> tuple[Judgments, Judgments]:
    if train is None:
        if len(dataset.questions) < 2:
            raise InvalidRequest("--tune: one question cannot be halved; use more questions")
        return split_judgments(dataset.judgments)
    if twice := train.judgments.keys() & dataset.judgments.keys():
        raise InvalidRequest(
            f"--tune-split: {len(twice)} of its questions are among those measured; "
            "weights are searched on questions that are not",
            parameter="tune_split",
        )
    return train.judgments, dataset.judgments
