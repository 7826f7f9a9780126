import pytest
from support.cases import each
from support.pdf.page_lines import line

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.infrastructure.ingest.conversion.pdf.blocks.block_text import (
    JoinedText,
    LaidText,
    compare_pages,
    join_lines,
)
from citeloom.infrastructure.ingest.conversion.pdf.blocks.line_ends import Vocabulary
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord


def _join(*texts: str, known: str = "", label: BlockLabel = BlockLabel.TEXT) -> JoinedText:
    lines: list[TextLine] = [line(text, page=1 + i) for i, text in enumerate(texts)]
    return join_lines(lines, label, Vocabulary.of([known, *texts]))


def _by_line(joined: JoinedText) -> list[str]:
    return [joined.text[ln.start : ln.end] for ln in joined.lines]


def test_lines_are_joined_by_a_space() -> None:
    assert _join("one line", "and more").text == "one line and more"


def test_a_word_broken_at_the_line_end_is_mended_and_split_at_the_right_character() -> None:
    joined = _join("we present a trans-", "formation of it")
    assert joined.text == "we present a transformation of it"
    assert _by_line(joined) == ["we present a trans", "formation of it"]
    assert [ln.page for ln in joined.lines] == [1, 2]


def test_a_hyphen_stays_where_the_document_writes_the_word_with_it() -> None:
    joined = _join("a state-of-the-", "art method", known="this state-of-the-art method")
    assert joined.text == "a state-of-the-art method"


def test_a_hyphen_stays_between_two_words_of_the_document() -> None:
    assert _join("the table-", "structure is", known="a table has structure").text == (
        "the table-structure is"
    )


def test_the_joined_form_elsewhere_in_the_document_decides() -> None:
    assert _join("the data-", "base is", known="data and base: the database").text == (
        "the database is"
    )


def test_a_hyphen_before_a_capital_stays() -> None:
    assert _join("by Gauss-", "Levenberg").text == "by Gauss-Levenberg"


def test_a_name_that_the_document_writes_in_one_is_mended_before_a_capital() -> None:
    assert _join("on PubTab-", "Net we", known="PubTabNet").text == "on PubTabNet we"


def test_the_rest_of_a_broken_word_is_no_word_of_the_document() -> None:
    joined = _join("we improve and an improve-", "ment and agree-", "ment")
    assert joined.text == "we improve and an improvement and agreement"


def test_a_soft_hyphen_always_vanishes_before_small_letters() -> None:
    joined = _join("self\u00ad", "evident", known="self evident")
    assert joined.text == "selfevident"
    assert _by_line(joined) == ["self", "evident"]


def test_every_character_but_white_space_belongs_to_exactly_one_line() -> None:
    joined = _join("first half-", "open inter-", "val", "end", known="half open interval")
    covered = [0] * len(joined.text)
    for ln in joined.lines:
        for i in range(ln.start, ln.end):
            covered[i] += 1
    assert all(
        count == 1 for char, count in zip(joined.text, covered, strict=True) if not char.isspace()
    )


def test_lines_of_a_script_without_spaces_are_joined_without_one() -> None:
    assert _join("\u65e5\u672c", "\u8a9e").text == "\u65e5\u672c\u8a9e"


def test_rows_of_a_table_stay_lines_with_their_cells_apart() -> None:
    rows = [
        line("a b", pieces=[("a", 50, 60), ("b", 100, 110)]),
        line("c d", pieces=[("c", 50, 60), ("d", 100, 110)]),
    ]
    joined = join_lines(rows, BlockLabel.TABLE, Vocabulary.of([]))
    assert joined.text == "a | b\nc | d"


def test_a_compound_broken_before_its_small_word_keeps_its_hyphens() -> None:
    assert _join("the English-", "to-German task").text == "the English-to-German task"


def test_chinese_and_japanese_take_no_space_at_a_line_end_nor_beside_letters() -> None:
    lines = [line("\u6bd4\u8f83\u4e86\uff0c"), line("\u6570\u636eBERT"), line("\u548c\u6a21\u578b")]
    joined = join_lines(lines, BlockLabel.TEXT, Vocabulary.of([]))
    assert joined.text == "\u6bd4\u8f83\u4e86\uff0c\u6570\u636eBERT\u548c\u6a21\u578b"


def test_a_korean_word_broken_at_a_line_end_is_joined_if_it_is_known() -> None:
    lines = [
        line("\ubcf8 \uc5f0\uad6c\uc5d0"),
        line("\uc11c\ub294 \ubaa8\ub378\uc758"),
        line("\uc131\ub2a5\uc744"),
    ]
    texts = [ln.text for ln in lines] + ["\uc774 \uc5f0\uad6c\uc5d0\uc11c\ub294 \ub2e4\ub8ec\ub2e4"]
    joined = join_lines(lines, BlockLabel.TEXT, Vocabulary.of(texts))
    assert (
        joined.text == "\ubcf8 \uc5f0\uad6c\uc5d0\uc11c\ub294 \ubaa8\ub378\uc758 \uc131\ub2a5\uc744"
    )


def test_multiplication_is_one_word_though_multi_takes_a_hyphen() -> None:
    assert _join("the multi-", "plicative group").text == "the multiplicative group"
    assert _join("the multi-", "layer network").text == "the multi-layer network"


@each(
    ("first", "second", "joined"),
    [
        ("producing ex-", "tremely large data", "producing extremely large data"),
        ("the high-", "est bound", "the highest bound"),
        ("a self-", "stabilising system", "a self-stabilising system"),
        ("the cross-", "validation of it", "the cross-validation of it"),
        ("a monotonically-", "increasing counter", "a monotonically-increasing counter"),
        ("to multiply-", "ing both", "to multiplying both"),
        ("the worst-", "case time", "the worst-case time"),
        ("a k-", "fold gain", "a k-fold gain"),
        ("an end-to-", "end argument", "an end-to-end argument"),
        ("a built-", "in type", "a built-in type"),
        ("on the out-", "side of it", "on the outside of it"),
        ("it is over-", "loaded", "it is overloaded"),
        ("over-", "parameterized: parameterized nets", "over-parameterized: parameterized nets"),
        ("each per-", "packet cost of a packet", "each per-packet cost of a packet"),
        ("we re-", "evaluate as others evaluate", "we re-evaluate as others evaluate"),
        ("a fine-", "grained lock", "a fine-grained lock"),
        ("one-", "dimensional", "one-dimensional"),
        ("by infer-", "ring it", "by inferring it"),
        ("its short-", "comings", "its shortcomings"),
        ("few-", "shot learning", "few-shot learning"),
        ("a snap-", "shot", "a snapshot"),
        ("re-", "balancing it", "rebalancing it"),
        ("dis-", "oriented", "disoriented"),
        ("far-", "red light is red from far", "far-red light is red from far"),
        ("a well-", "led team", "a well-led team"),
        ("a major prob-", "lem\u2074 is", "a major problem\u2074 is"),
        ("the work-", "loads of it", "the workloads of it"),
        ("of work-", "related stress", "of work-related stress"),
        ("two frame-", "works of it", "two frameworks of it"),
        ("THE CALIBRA-", "TION OF IT", "THE CALIBRATION OF IT"),
        ("over TCP-", "IP links", "over TCP-IP links"),
        ("THE WORST-", "CASE TIME", "THE WORST-CASE TIME"),
    ],
)
def test_english_words_decide_where_the_document_does_not(
    first: str, second: str, joined: str
) -> None:
    assert _join(first, second).text == joined


@pytest.mark.parametrize("reading", ["PHIL2 FORKi v2", "PHIL 2 FORK i v 2", "PHIL 2 FORKi v\n2"])
def test_scripts_are_compared_at_their_words_or_apart_from_them(reading: str) -> None:
    prose, figure = " ".join(f"word{n}" for n in range(40)), "PHIL₂ FORK_i v²"
    for texts in (LaidText([prose, figure], [], []), LaidText([prose], [], [figure])):
        record = PageRecord(1, 600, 800, plain_text=f"{prose}\n{reading}")
        (page,) = compare_pages([record], {1: texts}, frozenset())
        assert page.words_kept == page.words_true == page.pairs_true == 1.0


def test_another_script_is_another_word() -> None:
    record = PageRecord(1, 600, 800, plain_text="the philosopher PHIL23 sits")
    texts = {1: LaidText(["the philosopher PHIL₂₄ sits"], [], [])}
    (page,) = compare_pages([record], texts, frozenset())
    assert page.words_kept < 1.0
    assert page.words_true < 1.0


def test_lines_of_formulas_stay_apart_and_so_do_their_numbers() -> None:
    pieces = [("a = b", 50.0, 80.0), ("(3.1)", 300.0, 320.0)]
    first = line("a = b (3.1)", pieces=pieces)
    joined = join_lines([first, line("c = d (3)")], BlockLabel.FORMULA, Vocabulary.of(()))
    assert joined.text == "a = b\u2003(3.1)\nc = d (3)"
    assert _by_line(joined) == ["a = b\u2003(3.1)", "c = d (3)"]
    assert join_lines([first], BlockLabel.TEXT, Vocabulary.of(())).text == "a = b (3.1)"
