from support.pdf.page_lines import SIZE, words

from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import lines_of
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import clean
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import join_words, runs_of


def _texts(given: list[Word]) -> list[str]:
    return [ln.text for ln in lines_of(runs_of(given, SIZE), 1)]


def test_words_on_one_baseline_are_one_line_whatever_their_order() -> None:
    given = words("one two three")
    assert _texts(given[::-1]) == ["one two three"]


def test_lines_of_two_columns_do_not_become_one_run() -> None:
    left, right = words("left column"), words("right column", x=120.0)
    gap = right[0].x0 - left[-1].x1
    assert gap > 9.0
    assert len(runs_of(left + right, SIZE)) == 2


def test_a_tall_symbol_does_not_bridge_the_gutter() -> None:
    left = words("sum")
    tall = Word("\u2211", left[-1].x1 + 2, 80.0, left[-1].x1 + 10, 110.0, "cmex", False, False)
    right = words("right", x=tall.x1 + 18.0)
    assert len(runs_of([*left, tall, *right], SIZE)) == 2


def test_a_superscript_stays_on_its_line_and_takes_no_space() -> None:
    given = words("theory")
    note = Word("3", given[0].x1 + 0.2, 90.0, given[0].x1 + 3.0, 95.0, "Roman", False, False)
    assert _texts([*given, note, *words("holds", x=note.x1 + 3)]) == ["theory3 holds"]


def test_a_raised_mark_in_front_of_a_note_stands_apart() -> None:
    mark = Word("a", 50.0, 90.0, 53.0, 95.0, "Roman", False, False)
    assert _texts([mark, *words("Physik Department", x=53.2)]) == ["a Physik Department"]


def test_the_mass_number_of_an_isotope_stays_with_it() -> None:
    mark = Word("14", 50.0, 90.0, 55.0, 95.0, "Roman", False, False)
    assert _texts([mark, *words("C dating", x=55.2)]) == ["14C dating"]


def test_a_space_counts_by_the_lower_of_two_cells() -> None:
    (first,) = words("of")
    root = Word("ck\u221a2", first.x1 + 1.6, 84.0, first.x1 + 30, 100.0, "CMMI9", False, True)
    assert join_words([first, root]) == "of ck\u221a2"


def test_stacked_sub_and_superscripts_stay_on_their_line() -> None:
    given = words("charge")
    x = given[0].x1 + 0.2
    high = Word("BC", x, 89.0, x + 8, 94.5, "Italic", False, True)
    low = Word("13", x, 96.0, x + 8, 101.5, "Roman", False, False)
    (found,) = _texts([*given, high, low, *words("holds here", x=x + 11)])
    assert found in ("chargeBC13 holds here", "charge13BC holds here")


def test_the_size_of_a_line_is_that_of_its_main_words() -> None:
    given = words("a theory of lines")
    note = Word("3", given[-1].x1, 90.0, given[-1].x1 + 3.0, 95.0, "Roman", False, False)
    (found,) = lines_of(runs_of([*given, note], SIZE), 1)
    assert found.size == SIZE
    assert found.base == 100.0


def test_words_are_parted_where_the_content_has_a_space_and_nowhere_else() -> None:
    (first,), (second,) = words("narrow"), words("space", x=50 + 6 * 5.0 + 0.2)
    content = [first._replace(order=0), second._replace(order=1)]
    assert join_words(content) == "narrow space"
    assert join_words([content[0], content[1]._replace(spaced=False)]) == "narrowspace"


def test_a_bold_word_that_the_content_has_later_stands_in_its_gap() -> None:
    before, bold, after = words("so"), words("we", x=62.5), words("go on", x=75.0)
    content = [word._replace(order=order) for order, word in enumerate([*before, *after, *bold])]
    assert _texts(content) == ["so we go on"]


def test_the_words_of_two_lines_are_never_mixed() -> None:
    upper = words("one line above the", base=100.0)
    lower = words("other and so close", base=103.5)
    content = [word._replace(order=order) for order, word in enumerate([*upper, *lower])]
    assert _texts(content) == ["one line above the", "other and so close"]


def test_a_change_of_font_inside_a_word_sets_no_space() -> None:
    (first,) = words("Sigma")
    (second,) = words("-algebra", x=first.x1 + 0.3, font="Italic")
    assert join_words([first, second]) == "Sigma-algebra"


def test_spread_capitals_are_one_word() -> None:
    given = [
        Word(c, 50 + i * 9.0, 92.0, 55 + i * 9.0, 100.0, "Roman", False, False)
        for i, c in enumerate("ABSTRACT")
    ]
    assert join_words(given) == "ABSTRACT"


def test_right_to_left_lines_read_from_the_right_and_keep_latin_runs() -> None:
    alef, bet = 6 * "\u05d0", "\u05d1\u05d1\u05d1"
    given = words(bet, x=50, rtl=True) + words("New York", x=70) + words(alef, x=120, rtl=True)
    assert _texts(given) == [f"{alef} New York {bet}"]


def test_a_bold_beginning_and_the_space_after_it_are_kept() -> None:
    head = words("Encoder:", bold=True, font="Bold")
    rest = words("The encoder is", x=head[-1].x1 + 8.0)
    (found,) = lines_of(runs_of(head + rest, SIZE), 1)
    assert found.lead_in is not None
    assert found.text[: found.lead_in.length] == "Encoder:"
    assert round(found.lead_in.gap, 1) == 8.0


def test_ligatures_are_opened_and_mathematics_is_left_alone() -> None:
    assert clean("e\ufb03cient \ufb01x") == "efficient fix"
    assert clean("x\u00b2 \u2264 \u210d \u00bd") == "x\u00b2 \u2264 \u210d \u00bd"


def test_loose_accents_are_put_on_their_letters() -> None:
    assert clean("H\u00a8older and Poincar\u00b4e") == "H\u00f6lder and Poincar\u00e9"
    for apostrophe in ("the authors\u00b4 aims", "an author\u00b4s aims"):
        assert clean(apostrophe) == apostrophe


def test_soft_hyphens_inside_a_word_are_hyphens_and_stay_at_its_end() -> None:
    assert clean("k\u00adfold") == "k-fold"
    assert clean("hy\u00ad") == "hy\u00ad"


def test_a_margin_note_close_to_a_large_heading_is_a_run_of_its_own() -> None:
    note = words("Attribution 4.0", x=28.0, base=100.0)
    heading = words("Statement", x=note[-1].x1 + 9.0, base=103.0, size=14.0, bold=True)
    assert len(runs_of([*note, *heading], SIZE)) == 2


def test_a_run_in_head_that_nearly_fills_its_line_is_told_from_the_word_after_it() -> None:
    head = words("Data and their long preparation.", bold=True)
    rest = words("We", x=head[-1].x1 + 1.1 * SIZE)
    (line,) = lines_of(runs_of([*head, *rest], SIZE), 1)
    assert not line.bold
    assert line.lead_in is not None
    assert line.text[: line.lead_in.length] == "Data and their long preparation."


def test_a_cedilla_after_its_letter_and_a_long_umlaut_before_are_composed() -> None:
    assert clean("Besanc\u00b8on and Erd\u02ddos") == "Besan\u00e7on and Erd\u0151s"
