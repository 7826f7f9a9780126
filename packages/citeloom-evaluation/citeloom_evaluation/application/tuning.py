"""Tuning of a project's fusion and reranking weights on judged questions."""

from collections.abc import Callable
from dataclasses import dataclass

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.search.searcher import Searcher
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.projects.project import FusionPolicy, ProjectId
from citeloom_evaluation.domain.dataset import DEPTH, Dataset, Judgments, TuningReport
from citeloom_evaluation.domain.ranking_quality import mean_ndcg
from citeloom_evaluation.domain.tuning import (
    Weights,
    rank_records,
    rerank_weight_of,
    search_rerank_weight,
    search_weights,
    split_judgments,
    weights_of,
    with_weights,
)

from .document_ranking import Ranker, Records

_PLACES = 10
_DIGITS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuner:
    """Searches fusion weights over the candidates of ``ranker``, and the reranking weight over
    those of ``rereader``; each question is asked once.

    Better weights are stored in the project if it is ``lasting``, not temporary.
    """

    ranker: Ranker
    rereader: Ranker
    searcher: Searcher
    catalogue: Catalogue
    project_id: ProjectId
    lasting: bool

    def __call__(self, dataset: Dataset, train: Dataset | None, records: Records) -> TuningReport:
        """Search fusion weights on ``train``, else on half of the questions of ``dataset``; the
        other questions are held out to measure them."""
        return self._tuned(self.ranker, weights_of, search_weights, dataset, train, records)

    def second_look(
        self, dataset: Dataset, train: Dataset | None, records: Records
    ) -> TuningReport:
        """The same for the reranking weight, with the project's fusion weights."""
        return self._tuned(
            self.rereader, rerank_weight_of, search_rerank_weight, dataset, train, records
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
        questions = [*(train.questions if train else ()), *dataset.questions]
        pools = {one.id: ranker.pool(one.text, DEPTH, records) for one in questions}
        policy = self.searcher.policy(self.catalogue.project(self.project_id))
        before = weights_of(policy)

        def score(weights: Weights, judgments: Judgments) -> float:
            candidate_policy = with_weights(policy, weights)
            rankings = {id: rank_records(pools[id], candidate_policy, _PLACES) for id in judgments}
            return mean_ndcg(judgments, rankings, _PLACES)

        after = search(before, lambda weights: score(weights, searched))
        score_before, score_after = score(before, held_out), score(after, held_out)
        adopted = self.lasting and after != before and score_after >= score_before
        if adopted:
            self._adopt(with_weights(policy, after))
        return TuningReport(
            before={name: round(weight, _DIGITS) for name, weight in before.items()},
            after={name: round(weight, _DIGITS) for name, weight in after.items()},
            train_queries=len(searched),
            held_out_queries=len(held_out),
            train_before=round(score(before, searched), _DIGITS),
            train_after=round(score(after, searched), _DIGITS),
            held_out_before=round(score_before, _DIGITS),
            held_out_after=round(score_after, _DIGITS),
            kept=adopted,
        )

    def _adopt(self, policy: FusionPolicy) -> None:
        project = self.catalogue.project(self.project_id)
        retrieval = project.retrieval.model_copy(update={"fusion": policy})
        self.catalogue.update_project(project.model_copy(update={"retrieval": retrieval}))


def _halves(dataset: Dataset, train: Dataset | None) -> tuple[Judgments, Judgments]:
    if train is None:
        if len(dataset.questions) < 2:
            raise InvalidRequest("tuning: one question cannot be halved; use more questions")
        return split_judgments(dataset.judgments)
    if twice := train.judgments.keys() & dataset.judgments.keys():
        raise InvalidRequest(
            f"tuning: {len(twice)} of the questions to tune on are also measured; "
            "tune on other questions",
            parameter="tune_split",
        )
    return train.judgments, dataset.judgments
