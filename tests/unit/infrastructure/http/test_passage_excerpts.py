"""Passages on the web page: as much of them as is read at a glance."""

from citeloom.infrastructure.http.page.ask import byline, marked, printed_pages

BEST = "The cooling falls with distance."
LONG = " ".join(f"word{n}" for n in range(200))


def test_a_passage_is_whole_whatever_is_cut_of_it() -> None:
    for text, best in (
        (f"{LONG} {BEST} {LONG}", BEST),
        (LONG, ""),
        (BEST, BEST),
        ("x" * 999, ""),
    ):
        assert "".join(marked(text, best)) == text


def test_what_is_near_the_best_sentence_is_kept() -> None:
    shown = marked(f"{LONG} {BEST} {LONG}", BEST)
    assert shown.best == BEST
    assert shown.before.endswith("word199 ")
    assert shown.after.startswith(" word0")
    assert 100 < len(shown.before) <= 180
    assert 100 < len(shown.after) <= 180


def test_a_short_passage_is_not_cut() -> None:
    shown = marked(f"Ponds. {BEST} So.", BEST)
    assert (shown.before_cut, shown.after_cut) == ("", "")


def test_many_authors_are_counted() -> None:
    assert byline(["A B", "C D", "E F"]) == "A B, C D, E F"
    assert byline(["A B", "C D", "E F", "G H"]) == "A B, C D and 2 more"


def test_pages_are_named_as_they_are_printed() -> None:
    assert printed_pages(["xii"], None) == "p. xii"
    assert printed_pages(["3", "4"], None) == "pp. 3–4"
    assert printed_pages([], "para. 3") == "para. 3"
