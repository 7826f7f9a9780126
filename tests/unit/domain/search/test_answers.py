"""What a question wants, the sentence that has it, and whether there is an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.documents.spans import CharSpan, Chunk, ChunkKind
from citeloom.domain.search.answerable import (
    Judged,
    chance,
    is_doubtful,
    is_open,
    not_here,
    unseen,
)
from citeloom.domain.search.answers import Readable, ReadPassages, read_passages
from citeloom.domain.search.fusion import Mode, Scored
from citeloom.domain.search.wants import Want, wanted
from citeloom.domain.text.tables import head_rows


@pytest.mark.parametrize(
    ("question", "want", "has", "lacks"),
    [
        ("How many frogs live there?", Want.NUMBER, "We saw 12 green frogs.", "Frogs sing."),
        ("how long does the walk take", Want.NUMBER, "It takes 40 minutes.", "It has 40 steps."),
        ("what share of ponds is dry?", Want.NUMBER, "Of all, 12 % are dry.", "There are 12."),
        ("when was the pond dug", Want.NUMBER, "It was dug in 1911.", "It was dug by hand."),
        ("latency of the pump in minutes", Want.NUMBER, "It is 3 minutes.", "It is high."),
        ("speed of the pump", Want.NUMBER, "It moves 180MB then.", "We use 3D glasses."),
        ("how long is it kept", Want.NUMBER, "It is kept for 300ms.", "It came in the 1990s."),
        ("for what pond size", Want.NUMBER, "For 3 frogs or less.", "For small ponds."),
        ("How many nets of frogs are there?", Want.NUMBER, "It has 12 nets.", "It has 12 frogs."),
        ("How long does a net hold?", Want.NUMBER, "It held for 3 weeks.", "3 nets a day, daily."),
        ("How long did the walk take?", Want.NUMBER, "It took us roughly a year.", "A year ago."),
        ("How much longer is a net?", Want.NUMBER, "It has twice the ropes.", "It is longer."),
        ("How much slower are nets?", Want.NUMBER, "By an order of magnitude.", "They are slow."),
        ("Why is the average net lost?", Want.REASON, "Because of holes.", "We lost 12 nets."),
        ("How often is a net made?", Want.NUMBER, "Nets are made daily.", "We had 12 nets."),
        ("How many well made blue nets?", Want.NUMBER, "We had 12 blue nets.", "We had 12."),
        ("What is a transect?", Want.DEFINITION, "A transect is a line.", "We used transects."),
        ("transect definition", Want.DEFINITION, "Part of a “transect”: a line.", "Transects:"),
        ("transect definition", Want.DEFINITION, "A line, called transect.", "A transect helps."),
        ("Why do ponds cool?", Want.REASON, "They cool because water evaporates.", "They cool."),
        ("what is wrong with grids", Want.DIFFICULTY, "Grids are hard to lay.", "Grids are laid."),
        ("How are frogs counted?", Want.METHOD, "They were counted by ear.", "Frogs sing."),
        ("Does shade help frogs?", Want.FINDING, "Frogs were more frequent.", "We love frogs."),
    ],
)
def test_what_a_question_wants(question: str, want: Want, has: str, lacks: str) -> None:
    found = wanted(question)
    assert found.want is want
    assert found.is_in(has)
    assert not found.is_in(lacks)


def test_what_says_the_opposite_is_told() -> None:
    asked = wanted("What are the harms of shade?")
    assert asked.is_contrary("Shade has many benefits.")
    assert not asked.is_contrary("Its benefits are smaller than its harms.")
    assert not wanted("Does shade matter?").is_contrary("Shade has many benefits.")


def readable(id: str, *sentences: str, section: str = "Results", cosine: float = 0.5) -> Readable:
    spans, at = [], 0
    for sentence in sentences:
        spans.append(CharSpan(start=at, end=at + len(sentence)))
        at += len(sentence) + 1
    text = " ".join(sentences)
    chunk = Chunk(
        id=id,
        doc_id=id,
        chunk_idx=1,
        text=text,
        char_span=CharSpan(start=0, end=len(text)),
        section_path=(section,),
        kind=ChunkKind.TEXT,
    )
    return Readable(chunk, "", spans, [cosine] * len(spans))


QUESTION = "How many frogs live in the pond?"
NUMBER = readable("number", "Nobody had looked before.", "In the pond live 12 frogs.")
TOPIC = readable("topic", "Frogs live in the pond, as all know.", "They sing.")


def test_the_best_sentence_is_the_one_that_answers() -> None:
    span = read_passages(QUESTION, [NUMBER]).best_of("number")
    assert span is not None
    assert NUMBER.chunk.text[span.start : span.end] == "In the pond live 12 frogs."
    read = read_passages(QUESTION, [NUMBER, TOPIC])
    assert [one.best.has(Want.NUMBER) for one in read.passages if one.best] == [True, False]


def test_how_long_is_not_answered_by_the_word_long() -> None:
    texts = ("A long course of four years.", "Workshops last three days.")
    read = read_passages("How long is the workshop?", [readable("a", *texts), TOPIC])
    assert read.best_of("a") == readable("a", *texts).sentences[1]


@pytest.mark.parametrize(
    "question", ["Does a gap help?", "A gap helps for these reasons:", "n n\n\nk₁ k₂ = b"]
)
def test_what_answers_nothing_is_not_the_best_sentence_beside_others(question: str) -> None:
    passages = [readable("a", question, "We asked 120 people."), readable("b", question)]
    read = read_passages(question, passages)
    assert read.best_of("a") == passages[0].sentences[1]
    assert read.best_of("b") == passages[1].sentences[0]


def test_only_close_sentences_are_read_again_and_the_score_still_counts() -> None:
    frogs = ("In the pond live 12 frogs.", "In the pond live 30 frogs.", "Frogs live in the pond.")
    read = read_passages(QUESTION, [readable("a", *frogs), NUMBER])
    (undecided,) = read.undecided(["a", "number"])
    assert len(undecided.close) == 2
    assert read.undecided(["number"]) == []
    for preferred in (0, 1):
        again = read.decided([undecided.read_again([float(n == preferred) for n in range(2)])])
        assert again.best_of("a") == undecided.close[preferred].span
        assert again.best_of("number") == read.best_of("number")


def test_a_passage_without_sentences_has_no_best_one() -> None:
    bare = Readable(TOPIC.chunk, "", (), ())
    assert read_passages(QUESTION, [bare]).best_of("topic") is None
    assert read_passages("?!", [TOPIC]).words.places("a text") == []


def chance_of(question: str, passage: Readable, mode: Mode) -> tuple[float, ReadPassages]:
    cosine = passage.cosines[0]
    candidates = [Scored("near", cosine, 9.0, cosine), Scored("far", 0.1, 0.0, 0.1)]
    read = read_passages(question, [passage])
    return chance(candidates, read, mode), read


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.DENSE])
def test_a_question_whose_words_are_there_is_likelier_answered(mode: Mode) -> None:
    near = readable("near", "In the pond live 12 frogs.", cosine=0.7)
    likely, _ = chance_of(QUESTION, near, mode)
    unlikely, read = chance_of(
        "Who won the football cup?", readable("x", "Frogs.", cosine=0.1), mode
    )
    assert not is_doubtful(likely)
    assert is_doubtful(unlikely)
    assert not is_doubtful(None)
    assert "football" in unseen(read)
    assert '"football" or "cup"' in not_here(unlikely, read)


def test_a_second_reading_decides_beside_the_words_that_the_paper_lacks() -> None:
    asked = "How many frogs in the pond have malaria?"
    read = read_passages(asked, [NUMBER, readable("other", "Malaria is rare.")])
    assert read.lacking("number") == ["many", "malaria"]
    assert read.lacking("other") == ["many", "frogs", "pond"]
    candidates = [Scored("number", 0.6, 9.0, 0.6), Scored("other", 0.5, 1.0, 0.5)]
    chances = [
        chance(candidates, read, Mode.HYBRID, Judged(log_odds, lacks))
        for log_odds, lacks in ((1.0, 0.0), (1.0, 7.0), (-3.0, 7.0))
    ]
    assert chances == sorted(chances, reverse=True)
    assert [is_doubtful(one) for one in chances] == [False, False, True]


def test_sentences_that_were_read_decide_where_the_rest_leaves_it_open() -> None:
    read = read_passages(QUESTION, [NUMBER])
    candidates = [Scored("number", 0.6, 9.0, 0.6)]

    def chance_with(sentence: float | None) -> float:
        return chance(candidates, read, Mode.HYBRID, Judged(-1.0, 0.0, sentence))

    assert is_open(chance_with(None))
    assert is_doubtful(chance_with(-6.0))
    assert chance_with(-6.0) < chance_with(0.0) < chance_with(3.0)
    assert not any(map(is_open, (None, 0.0, 1.0)))


def test_words_of_scripts_without_spaces_count_by_pairs() -> None:
    read = read_passages("仪器在哪里校准", [readable("a", "仪器事先在实验室里校准过。"), TOPIC])
    assert read.passages[0].covered == {"仪器", "里校", "校准"}
    assert not read.passages[1].covered
    (mixed,) = read_passages("COVID疫苗", [readable("a", "接种COVID疫苗后没有发烧。")]).passages
    assert mixed.covered == {"covid", "疫苗"}


TABLE = """Table 2: Recall of the rankings
| Ranking | NQ | TREC |
|  | Recall | Recall |
| BM25 | 0.70 | 0.41 |
| + feedback | 0.72 | 0.43 |
| Dense | 0.78 (20) | mAP(0.5) |"""


@pytest.mark.parametrize(
    ("question", "row", "is_cell"),
    [
        ("recall of BM25 on NQ", "| BM25 | 0.70 | 0.41 |", True),
        ("recall of dense at 20 on NQ", "| Dense | 0.78 (20) | mAP(0.5) |", True),
        ("recall of feedback", "| + feedback | 0.72 | 0.43 |", True),
        ("how many recall BM25 queries", "| BM25 | 0.70 | 0.41 |", True),
        ("what is BM25", "| BM25 | 0.70 | 0.41 |", False),  # no number is wanted
        ("recall of BM25 in questions by pupils of schools", "| BM25 | 0.70 | 0.41 |", False),
        ("number of frogs in the pond", None, False),
    ],
)
def test_a_number_is_found_by_row_and_head(question: str, row: str | None, is_cell: bool) -> None:
    of_text = readable("t", "x").chunk
    chunk = of_text.model_copy(update={"text": TABLE, "kind": ChunkKind.TABLE})
    read = read_passages(question, [Readable(chunk, "", (), ()), TOPIC])
    best = read.best_of("t")
    assert (TABLE[best.start : best.end] if best else None) == row
    assert read.cells() == (["t"] if is_cell else [])


def test_a_head_with_an_ordinal_number_is_not_the_row_that_answers() -> None:
    rows = ("| Pond | Air | |", "| | mean | 99th percentile |", "| Mill | 9 | 14 |")
    chunk = readable("t", *rows).chunk.model_copy(
        update={"text": "\n".join(rows), "kind": ChunkKind.TABLE}
    )
    question = "how many degrees is the 99th percentile of the air at Mill"
    best = read_passages(question, [Readable(chunk, "", (), ())]).best_of("t")
    assert best is not None
    assert chunk.text[best.start : best.end] == rows[2]


def test_a_table_of_words_has_a_best_row_below_its_first() -> None:
    rows = ("| Function | What it does |", "| listen() | counts frogs by ear |", "| dig() | digs |")
    chunk = readable("t", *rows).chunk.model_copy(
        update={"text": "\n".join(rows), "kind": ChunkKind.TABLE}
    )
    for question, row in (("which function counts frogs", rows[1]), ("what function", None)):
        best = read_passages(question, [Readable(chunk, "", (), ())]).best_of("t")
        assert (chunk.text[best.start : best.end] if best else None) == row


@given(st.text("| ab1.\n", max_size=80), st.text("ab1 ", max_size=10))
def test_a_row_is_a_line_of_cells_of_the_passage(text: str, question: str) -> None:
    chunk = readable("t", "x").chunk.model_copy(update={"text": text, "kind": ChunkKind.TABLE})
    best = read_passages(question, [Readable(chunk, "", (), ())]).best_of("t")
    if best is not None:
        assert text[best.start : best.end] in text.split("\n")
        assert "|" in text[best.start : best.end]


@pytest.mark.parametrize(
    ("rows", "heads"),
    [
        (("pond | air (K) |  | water", " | mean | 99th percentile |", "N | 9±.6 | 3 | 4"), 2),
        ((" | Air |  |", "Pond | day | night | n", "N | 1.2 | 0.4 | 9"), 2),
        (
            ("x | Day |  |  |", " | Air |  | Mud |", " | in | out | in | out", "N | 1 | 2 | 3 | 4"),
            3,
        ),
        (("Pond | Area", "Mill | 0.7", " | 0.8"), 1),
        ((" | 2019 |", "Mill | a | b", "Weir | 1 | 2"), 1),
        (("Pond | Area | n", " | Ponds with reeds |", "Mill | 0.7 | 3"), 1),
        (("Pond |  | Note", "Mill | deep | clear", "Weir | flat | green"), 1),
        (("a | b |", " | c | d"), 1),
        (("7 | 8 |", " | c | d", "1 | 2 | 3"), 1),
    ],
)
def test_the_heads_of_a_table_may_be_several_rows(rows: tuple[str, ...], heads: int) -> None:
    assert head_rows([f"| {row} |" for row in rows]) == heads


@given(st.lists(st.text("| ab1", max_size=9), min_size=1, max_size=6))
def test_below_the_heads_of_a_table_there_are_rows(rows: list[str]) -> None:
    assert 1 <= head_rows(rows) <= max(1, min(3, len(rows) - 1))
