"""The second look at the best hits."""

from collections.abc import Sequence

import pytest
from support.even_reader import EvenReader
from support.world import GRIDS, HERE, PONDS, World

from citeloom.application.ports.models import GoingOn
from citeloom.application.search.hits import SearchQuestion
from citeloom.domain.search import answerable, answers, ranking
from citeloom.domain.search.filters import Filter, parse_clause
from citeloom.domain.search.fusion import Mode

QUESTION = "cooling falls with distance"


class Preferring:
    """Gives 1 to evidence with a word, else 0. ``read`` are the passages it read, ``last`` what
    it read last: close sentences, or the passages. ``ended`` are the places of those that it read
    to the end, where it was let choose."""

    name = fingerprint = "preferring"

    def __init__(self, word: str) -> None:
        self.word = word
        self.read: list[str] = []
        self.last: list[str] = []
        self.ended: Sequence[int] | None = None

    def rerank(
        self, query: str, passages: list[str], going_on: GoingOn | None = None
    ) -> list[float]:
        assert query.strip("¿.") == QUESTION
        self.read, self.last = self.read or passages, passages
        scores = [float(self.word in passage) for passage in passages]
        self.ended = going_on(scores) if going_on else self.ended
        return scores


@pytest.fixture
def library(world: World) -> World:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest()
    return world


@pytest.fixture
def answer_reader(library: World) -> EvenReader:
    library.answer_reader = reader = EvenReader(-6.0)
    return reader


def reread(library: World, reranker: Preferring, *, candidates: int) -> None:
    library.reranker = reranker
    library.settings["query"] = {"rerank_candidates": candidates}


@pytest.mark.parametrize("mode", Mode)
def test_what_the_reranker_prefers_comes_first(library: World, mode: Mode) -> None:
    usual = library.query(QUESTION, mode=mode, top_k=10)
    last = usual.items[-1]
    others = " ".join(f"{item.title} {item.text}" for item in usual.items[:-1])
    word = next(w for w in (last.best_sentence or last.text).split() if w not in others)
    reread(library, Preferring(word), candidates=30)
    library.settings["query"]["rerank_weight"] = 0.9
    again = library.query(QUESTION, mode=mode, top_k=10, rerank=True)
    first, second, *_ = again.items  # passages beside each other are read as one
    assert last.chunk_id in {first.chunk_id, second.chunk_id}
    assert first.document_id == last.document_id
    assert {i.chunk_id for i in again.items} == {i.chunk_id for i in usual.items}
    scores = [item.score for item in again.items]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_without_weight_it_changes_no_order(library: World) -> None:
    usual = library.query(QUESTION, top_k=10)
    reread(library, Preferring("grid"), candidates=30)
    library.settings["query"]["rerank_weight"] = 0.0
    again = library.query(QUESTION, top_k=10, rerank=True)
    assert [i.chunk_id for i in again.items] == [i.chunk_id for i in usual.items]


def test_only_the_first_candidates_are_read_and_the_rest_stays_behind(library: World) -> None:
    usual = library.query(QUESTION, top_k=10)
    reranker = Preferring("never there")
    reread(library, reranker, candidates=2)
    again = library.query(QUESTION, top_k=10, rerank=True)
    assert len(reranker.read) == 2
    assert [i.chunk_id for i in again.items] == [i.chunk_id for i in usual.items]


def test_it_reads_the_title_and_the_sentences_of_a_passage(library: World) -> None:
    reranker = Preferring("x")
    reread(library, reranker, candidates=1)
    first = library.query(QUESTION, rerank=True).items[0]
    assert reranker.read[0].startswith(f"Ponds cool the street. {first.best_sentence}")
    assert "falls with distance" in reranker.read[0]


@pytest.mark.parametrize("once", [f"{QUESTION}.", f"¿{QUESTION}"])
def test_a_statement_counts_the_reranker_by_its_weight_and_an_english_question_twice(
    library: World, once: str
) -> None:
    usual = library.query(QUESTION, top_k=10).items
    others = " ".join(f"{item.title} {item.text}" for item in usual[:-1])
    last = usual[-1].best_sentence or usual[-1].text
    reread(library, Preferring(next(w for w in last.split() if w not in others)), candidates=30)
    # Between 0 and 1 of the first scores: 27.6 times the weight.
    library.settings["query"]["rerank_weight"] = 0.025
    other = library.query(once, top_k=10, rerank=True).items
    question = library.query(QUESTION, top_k=10, rerank=True).items
    assert other[0].chunk_id == usual[0].chunk_id
    assert question[0].chunk_id == usual[-1].chunk_id


LONG = "# Cooling by ponds\n\n## Results\n\n" + " ".join(
    f"At pond number {n} the cooling falls with distance from bank {n}." for n in range(60)
)


def test_the_sentence_that_answers_best_is_read_first(
    library: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.write("long.md", LONG)
    library.ingest()
    reranker = Preferring("x")
    reread(library, reranker, candidates=1)
    # Not the nearest one.
    monkeypatch.setitem(answers.SENTENCE_WEIGHTS, "cosine", -100.0)
    first = library.query(QUESTION, "doc=long.md", rerank=True).items[0]
    assert reranker.read[0].startswith(f"Cooling by ponds. {first.best_sentence}")


def test_where_documents_are_ranked_passages_side_by_side_are_read_as_one(
    library: World,
) -> None:
    library.write("long.md", LONG)
    library.ingest()
    reranker = Preferring("x")
    reread(library, reranker, candidates=30)
    long = library.query(QUESTION, "doc=long.md", top_k=10, rerank=True)
    assert len(reranker.read) >= len(long.items) > 3
    assert {text.count("At pond") for text in reranker.read} == {ranking.FOR_READER}
    project = library.application.stores.catalogue.project(HERE)
    asked = SearchQuestion(
        text=QUESTION,
        mode=Mode.HYBRID,
        filter=Filter(clauses=(parse_clause("doc=long.md"),)),
        depth=10,
        rerank=True,
    )
    reranker.read = []
    with library.searcher.search([project], asked) as hits:
        assert len(hits.ranked) >= len(long.items)
    assert len(reranker.read) < len(long.items)
    assert {text.count("At pond") for text in reranker.read} == {ranking.SENTENCES}


def test_by_words_alone_each_passage_is_read_for_itself(library: World) -> None:
    library.write("long.md", LONG)
    library.ingest()
    found = library.query(QUESTION, "doc=long.md", top_k=10, mode=Mode.SPARSE)
    reranker = Preferring("x")
    reread(library, reranker, candidates=len(found.items))
    library.query(QUESTION, "doc=long.md", top_k=10, rerank=True, mode=Mode.SPARSE)
    assert len(reranker.read) == len(found.items)


def test_nobody_is_asked_unless_it_is_wanted(library: World) -> None:
    reranker = Preferring("x")
    reread(library, reranker, candidates=5)
    library.query(QUESTION, rerank=False)
    library.settings["query"]["rerank"] = False
    library.query(QUESTION)
    assert reranker.read == []


def test_what_fits_without_a_filter_is_counted_by_its_first_relevances(
    library: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "_SURE", 1.1)
    reranker = Preferring("never there")
    reread(library, reranker, candidates=30)
    usual = library.query(QUESTION, top_k=10, rerank=False).items
    fitting = sum(one.score >= ranking.FITTING for one in usual)
    (warning,) = library.query(QUESTION, "doc=ponds.md", "doc!=ponds.md").warnings
    assert f"leaves nothing: {fitting} passages fit without it" in warning
    assert reranker.read == []


def test_unasked_only_an_order_that_is_not_sure_is_changed(
    library: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    reranker = Preferring("x")
    reread(library, reranker, candidates=30)
    monkeypatch.setattr(ranking, "_SURE", 0.0)
    first = library.query(QUESTION, rerank=False)
    assert reranker.read == []
    sure = library.query(QUESTION)
    assert 1 < len(reranker.read) <= ranking.JUDGED
    assert [one.chunk_id for one in sure.items] == [one.chunk_id for one in first.items]
    reranker.read = []
    monkeypatch.setattr(ranking, "_SURE", 1.1)
    library.query(QUESTION, mode=Mode.DENSE)
    library.query("cooling")
    assert reranker.read == []
    library.query(QUESTION)
    assert 1 < len(reranker.read) <= ranking.UNASKED


@pytest.mark.parametrize("asked", [None, True])
def test_unasked_only_the_best_after_a_first_look_are_read_to_the_end(
    library: World, monkeypatch: pytest.MonkeyPatch, asked: bool | None
) -> None:
    monkeypatch.setattr(ranking, "_SURE", 1.1)
    monkeypatch.setattr(ranking, "TO_THE_END", 2)
    usual = library.query(QUESTION, top_k=10, rerank=False).items
    others = " ".join(f"{one.title} {one.text}" for one in usual[:-1])
    last = usual[-1].best_sentence or usual[-1].text
    reranker = Preferring(next(word for word in last.split() if word not in others))
    reread(library, reranker, candidates=30)
    library.query(QUESTION, top_k=10, rerank=asked)
    assert reranker.ended == (None if asked else [len(reranker.read) - 1, 0])


class Sobering(Preferring):
    """Finds at the end that nothing answers."""

    def rerank(
        self, query: str, passages: list[str], going_on: GoingOn | None = None
    ) -> list[float]:
        scores = [0.9] * len(passages)
        for place in going_on(scores) if going_on else ():
            scores[place] = 0.2
        return scores


def test_a_passage_read_in_part_neither_comes_first_nor_tells_of_an_answer(
    library: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "_SURE", 1.1)
    monkeypatch.setattr(ranking, "TO_THE_END", 2)
    reread(library, Sobering("x"), candidates=30)
    project = library.application.stores.catalogue.project(HERE)
    asked = SearchQuestion(
        text=QUESTION, mode=Mode.HYBRID, filter=Filter(), depth=10, for_reader=True
    )
    with library.searcher.search([project], asked) as hits:
        assert hits.reranker_scores
        assert hits.judged
        scores = [hits.reranker_scores.by_id[hit.id] for hit in hits.ranked]
    assert scores == [0.2, 0.2, *[0.9] * (len(scores) - 2)]
    assert len(scores) > 2
    assert hits.judged.log_odds == pytest.approx(ranking.log_odds(0.2))


CLOSE = """# Paths at ponds

## Results

Cooling falls with distance from reeds. Cooling falls with distance from banks.
Cooling falls with distance from rocks.
"""


@pytest.mark.parametrize("word", ["reeds.", "banks.", "rocks."])
def test_of_close_sentences_the_one_that_the_reranker_prefers_is_marked(
    library: World, word: str
) -> None:
    library.write("close.md", CLOSE)
    library.ingest()
    reranker = Preferring(word)
    reread(library, reranker, candidates=5)
    (item,) = library.query(QUESTION, "doc=close.md", top_k=1, rerank=True).items
    assert (item.best_sentence or "").endswith(word)
    assert len(reranker.last) == 3
    assert all(text.startswith("Paths at ponds. ") for text in reranker.last)


@pytest.mark.parametrize("marks", [False, True])
def test_close_sentences_are_read_only_where_they_are_marked(library: World, marks: bool) -> None:
    library.write("close.md", CLOSE)
    library.ingest()
    reranker = Preferring("rocks.")
    reread(library, reranker, candidates=5)
    asked = SearchQuestion(
        text=QUESTION, mode=Mode.HYBRID, filter=Filter(clauses=(parse_clause("doc=close.md"),)),
        depth=1, rerank=True, for_reader=True, marks=marks,
    )  # fmt: skip
    project = library.application.stores.catalogue.project(HERE)
    with library.searcher.search([project], asked) as hits:
        assert hits.read
    assert (len(reranker.last) == 3) is marks


@pytest.mark.parametrize("is_open", [False, True])
def test_sentences_are_read_only_where_it_is_open_whether_anything_answers(
    library: World, answer_reader: EvenReader, monkeypatch: pytest.MonkeyPatch, is_open: bool
) -> None:
    reread(library, Preferring("x"), candidates=30)
    monkeypatch.setattr(answerable, "_OPEN", (0.0, 1.1) if is_open else (1.1, 1.2))
    project = library.application.stores.catalogue.project(HERE)
    asked = SearchQuestion(
        text=QUESTION, mode=Mode.HYBRID, filter=Filter(), depth=10, for_reader=True
    )
    with library.searcher.search([project], asked) as hits:
        assert hits.judged
        assert hits.judged.sentence == (-6.0 if is_open else None)
    read = [text.startswith("Ponds cool the street. Results. ") for text in answer_reader.read]
    assert any(read) is is_open


def test_no_sentence_is_read_for_a_question_in_another_language(
    library: World, answer_reader: EvenReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answerable, "_OPEN", (0.0, 1.1))
    assert library.searcher.answered("¿Por qué enfrían los estanques la calle?", ["a"]) is None
    assert library.searcher.answered("ponds", ["a"]) is None
    assert answer_reader.read == ()
