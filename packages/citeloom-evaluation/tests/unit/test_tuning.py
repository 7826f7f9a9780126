"""Tuning: better weights become the project's own, if it lasts and they hold elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from support.world import HERE, PONDS, World

from citeloom.application.search.searcher import Searcher
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.projects.project import FusionPolicy
from citeloom.domain.search.fusion import Scored
from citeloom.domain.search.ranking import RerankerScores
from citeloom_evaluation.application.document_ranking import Records
from citeloom_evaluation.application.tuning import Tuner
from citeloom_evaluation.domain.dataset import Dataset, Question
from citeloom_evaluation.domain.tuning import Pool

WORDS_KNOW = [Scored("right", 0.1, 9.0), Scored("wrong", 0.9, 3.0), Scored("other", 0.5, 0.0)]
MEANING_KNOWS = [Scored("right", 0.9, 1.0), Scored("wrong", 0.2, 9.0), Scored("other", 0.1, 8.0)]
# It sees what neither side does, a little.
LOOK = RerankerScores({"right": 0.6, "wrong": 0.4, "other": 0.4}, depth=3)
NOBODY_KNOWS = [Scored("right", 0.4, 1.0), Scored("wrong", 0.9, 9.0), Scored("other", 0.1, 0.5)]


@dataclass
class Found:
    """Finds for each question what is laid down."""

    by_text: dict[str, Sequence[Scored]]
    look: RerankerScores | None = None

    def rank(self, text: str, depth: int, records: Records) -> list[str]:
        raise AssertionError("tuning asks for candidates only")

    def ask(self, text: str) -> None:
        raise AssertionError("tuning takes no times")

    def pool(self, text: str, depth: int, records: Records) -> Pool:
        found = self.by_text[text]
        return Pool(found, {one.id: [one.id] for one in found}, self.look)


def dataset(*texts: str) -> Dataset:
    return Dataset(
        name="set",
        path="/set/corpus.jsonl",
        records=(),
        questions=tuple(Question(text, text) for text in texts),
        judgments={text: {"right": 1} for text in texts},
    )


@pytest.fixture
def ready(world: World) -> World:
    world.write("ponds.md", PONDS)
    world.ingest()
    return world


def tuner(world: World, found: dict[str, Sequence[Scored]], *, lasting: bool = True) -> Tuner:
    searcher = Searcher(
        documents=world.documents, index=world.index, embedder=world.embedder, sparse=world.sparse
    )
    return Tuner(
        ranker=Found(found),
        rereader=Found(found, LOOK),
        searcher=searcher,
        catalogue=world.catalogue,
        project_id=HERE,
        lasting=lasting,
    )


def own_weight(world: World) -> float | None:
    fusion = world.catalogue.project(HERE).retrieval.fusion
    return fusion.sparse_weight if fusion else None


def test_better_weights_become_the_projects_own(ready: World) -> None:
    found = {"train": WORDS_KNOW, "test": WORDS_KNOW}
    report = tuner(ready, found)(dataset("test"), dataset("train"), {})
    assert report.train_before < report.train_after == 1.0
    assert report.held_out_before < report.held_out_after == 1.0
    assert report.kept
    assert own_weight(ready) == pytest.approx(report.after["sparse_weight"])
    again = tuner(ready, found)(dataset("test"), dataset("train"), {})
    assert again.before == again.after == report.after
    assert not again.kept


def test_weights_that_are_worse_elsewhere_are_not_kept(ready: World) -> None:
    found = {"train": WORDS_KNOW, "test": MEANING_KNOWS}
    report = tuner(ready, found)(dataset("test"), dataset("train"), {})
    assert report.after != report.before
    assert report.held_out_after < report.held_out_before
    assert not report.kept
    assert own_weight(ready) is None


def test_a_project_that_is_removed_keeps_nothing(ready: World) -> None:
    found = {"train": WORDS_KNOW, "test": WORDS_KNOW}
    report = tuner(ready, found, lasting=False)(dataset("test"), dataset("train"), {})
    assert report.after != report.before
    assert not report.kept
    assert own_weight(ready) is None


def test_questions_to_search_on_are_not_those_to_measure_by(ready: World) -> None:
    found = {"one": WORDS_KNOW}
    with pytest.raises(InvalidRequest, match="are also measured"):
        tuner(ready, found)(dataset("one"), dataset("one"), {})
    with pytest.raises(InvalidRequest, match="cannot be halved"):
        tuner(ready, found)(dataset("one"), None, {})


def test_what_a_second_look_counts_is_searched_over_the_weights_as_they_are(ready: World) -> None:
    found = {"train": NOBODY_KNOWS, "test": NOBODY_KNOWS}
    report = tuner(ready, found).second_look(dataset("test"), dataset("train"), {})
    assert report.before == {"rerank_weight": 0.1}
    assert report.train_before < report.train_after == 1.0
    assert report.kept
    fusion = ready.catalogue.project(HERE).retrieval.fusion
    assert fusion is not None
    assert fusion == FusionPolicy(rerank_weight=report.after["rerank_weight"])
