"""What stands in quotation marks, and whether the source says so word for word."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.verification.claims.quotations import (
    Difference,
    QuotedFrom,
    QuoteMatch,
    quoted_passages,
)

SOURCE = (
    "We found that the inter-\nvention increased scores by 12.5% (p < 0.05) in 30–40 students. "
    "This ﬁnding did not hold for well-\nknown methods [12], which the “authors” regard as "
    "impor-\ntant. The effect was −0.5 overall, in 2010 (5 of 7 groups)."
)
WORDS = (
    "students learned office work while teachers find flexible efficient methods for difficult "
    "classes and report that scores increased after training although effects were small in "
    "rural schools where fluent speakers officially offered help with 12 tests in 2019 and 45% "
    "of pupils passed before 3.5 years had gone since the first well-known trial by Müller's "
    "group was not able to confirm what others claimed about learning outcomes under stress"
).split()
GAPS = [" ", "\n", "  ", "\u00a0", "\u2009", " “", "” ", ", ", " — "]
passages = st.lists(st.sampled_from(WORDS), min_size=6, max_size=25)


def locate(quote: str, source: str) -> QuoteMatch:
    return QuotedFrom(source).locate(quote)


@each(
    ("text", "inside"),
    [
        ("He said “this is it” here.", ["this is it"]),
        ("«cela est» et « ceci »", ["cela est", "ceci"]),
        ("„das ist es“ und „jenes”", ["das ist es", "jenes"]),
        ('He said "straight one", and "another".', ["straight one", "another"]),
        ("‘it’s fine’ and the students’ work", ["it’s fine"]),
        ("A ``LaTeX quote'' here", ["LaTeX quote"]),
        ("“outer ‘inner’ outer”", ["outer ‘inner’ outer"]),
        ("“over a\nline”", ["over a\nline"]),
        ("“unclosed\n\nand another” paragraph", []),
        ('a 5" screen and a 6" one', []),
        ("don't and won't", []),
    ],
)
def test_passages_in_all_kinds_of_marks_are_found_where_they_stand(
    text: str, inside: list[str]
) -> None:
    found = quoted_passages(text)
    assert [one.text for one in found] == inside
    assert [text[one.start : one.end] for one in found] == inside


@each(
    "quote",
    [
        "the intervention increased scores by 12.5%",
        "“increased scores by 12.5% (p < 0.05) in 30-40 students”",
        "This finding did not hold for well-known methods, which the 'authors' regard as important",
        "We found … in 30-40 students. This finding",
        "We found [...] students. [...] which the “authors”",
        "[t]he intervention increased scores",
        "[the treatment] increased scores",
        "This finding [sic] did not hold",
        "The effect was -0.5 overall",
        "in 2010 (5 of 7 groups)",
    ],
)
def test_setting_is_no_difference(quote: str) -> None:
    found = locate(quote, SOURCE)
    assert (found.exact, found.differences) == (True, ())


@each(
    ("quote", "differences"),
    [
        ("This finding did hold for well-known methods", [("", "not")]),
        ("the intervention decreased scores by 12.5%", [("decreased", "increased")]),
        ("increased scores by 13.5% (p < 0.05)", [("13.5", "12.5")]),
        ("increased scores by 12.5% (p > 0.05)", [(">", "<")]),
        ("The effect was 0.5 overall", [("0.5", "−0.5")]),
        ("increased scores in 30–40 students", [("", "by 12.5% (p < 0.05")]),
        ("This finding did [never] not hold for well-known methods", [("never", "")]),
    ],
)
def test_the_difference_is_what_the_source_says_instead(
    quote: str, differences: list[tuple[str, str]]
) -> None:
    found = locate(quote, SOURCE)
    assert not found.exact
    assert list(found.differences) == [Difference(*one) for one in differences]
    assert SOURCE[found.start : found.end].split()[-1].startswith(quote.split()[-1][:4])


def test_the_nearest_words_are_not_stretched_to_later_ones():
    source = (
        "It came from the largest pool of CPU power. As long as a majority of CPU power is honest."
    )
    found = locate("came from the largest group of CPU power", source)
    assert source[found.start : found.end] == "came from the largest pool of CPU power"
    assert found.differences == (Difference("group", "pool"),)


def test_a_quotation_that_the_source_lacks_is_not_located() -> None:
    found = locate("A wholly unrelated remark about whales", SOURCE)
    assert (found.exact, found.start, found.end) == (False, 0, 0)


@each("quote", ["", "…", "!?", "[sic]"])
def test_a_quotation_without_words_is_nowhere(quote: str) -> None:
    assert not locate(quote, SOURCE).exact


@pytest.mark.parametrize("quote", ["cores by 12", "finding did not hold for well", "0 students"])
def test_a_quotation_begins_and_ends_with_whole_words(quote: str) -> None:
    assert not locate(quote, SOURCE).exact


def test_parts_of_a_quotation_stand_in_order() -> None:
    assert locate("We found … students", SOURCE).exact
    assert not locate("students … We found", SOURCE).exact


def test_an_exact_place_is_the_one_with_the_words() -> None:
    source = "Scores fell. In the end scores rose a lot."
    found = locate("scores rose", source)
    assert source[found.start : found.end] == "scores rose"


def _typeset(words: list[str], data: st.DataObject) -> str:
    """The words as a PDF or a word processor would give them."""
    pieces = []
    for word in words:
        if data.draw(st.booleans()):
            word = word.replace("ffi", "ﬃ").replace("fl", "ﬂ").replace("fi", "ﬁ")
        if len(word) > 7 and word.isalpha() and data.draw(st.booleans()):
            at = data.draw(st.integers(2, len(word) - 2))
            word = (
                word[:at] + data.draw(st.sampled_from(["-\n", "\u00ad", "\u2010\n  "])) + word[at:]
            )
        word = word.replace("'", data.draw(st.sampled_from(["'", "’", "‘"])))
        word = word.replace("-k", data.draw(st.sampled_from(["-k", "\u2010k", "\u2011k"])))
        pieces.append(word)
        pieces.append(
            data.draw(
                st.sampled_from([" ", "\n", "  ", "\u00a0", "\u2009", " “", "” ", ", ", " — "])
            )
        )
    return "".join(pieces)


@given(before=passages, words=passages, after=passages, data=st.data())
def test_no_false_alarm_over_how_a_text_is_set(
    before: list[str], words: list[str], after: list[str], data: st.DataObject
) -> None:
    source = " ".join(before) + ". " + _typeset(words, data) + " " + " ".join(after)
    quote = _typeset(words, data)
    if data.draw(st.booleans()):
        cut = sorted(data.draw(st.lists(st.integers(1, len(words) - 1), min_size=2, max_size=2)))
        dots = data.draw(st.sampled_from([" … ", " ... ", " [...] ", " [. . .] ", " […] "]))
        quote = " ".join(words[: cut[0]]) + dots + " ".join(words[cut[1] :])
    assert locate(quote, source).exact


@given(words=st.lists(st.sampled_from(WORDS), min_size=8, max_size=25, unique=True), data=st.data())
def test_every_altered_quotation_is_found(words: list[str], data: st.DataObject) -> None:
    source = "Before it. " + _typeset(words, data) + " And after it."
    at = data.draw(st.integers(1, len(words) - 2))
    how = data.draw(st.sampled_from(["replaced", "dropped", "negated", "number", "swapped"]))
    altered = list(words)
    if how == "replaced":
        altered[at] = "elephants"
    elif how == "dropped":
        del altered[at]
    elif how == "negated":
        altered.insert(at, data.draw(st.sampled_from(["not", "never", "without", "no"])))
    elif how == "swapped":
        altered[at], altered[at + 1] = altered[at + 1], altered[at]
    else:
        altered[at] = re.sub(r"\d", "8", altered[at]) if altered[at][0].isdigit() else "77"
    found = locate(_typeset(altered, data), source)
    assert not found.exact
    assert found.differences


@given(st.text(max_size=80), st.text(max_size=200))
def test_any_text_can_be_looked_for_in_any(quote: str, source: str) -> None:
    found = QuotedFrom(source).locate(quote)
    assert 0 <= found.start <= found.end <= len(source)
    assert 0 <= found.similarity <= 1
