from support.pdf.page_lines import PITCH, SIZE, words

from citeloom.infrastructure.ingest.conversion.pdf.blocks.figures import (
    extend_to_labels,
    figure_boxes,
    figure_text,
    without_backgrounds,
    without_logos,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import captions_of
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord, Word
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import WordRun, runs_of

BARS = (80.0, 200.0, 280.0, 320.0)


def _texts(runs: list[WordRun]) -> set[str]:
    return {" ".join(word.text for word in run.words) for run in runs}


def _split(placed: list[list[Word]], **drawn: tuple[tuple[float, ...], ...]) -> set[str]:
    """The texts of the runs that are taken out of the body."""
    found = tuple(word for group in placed for word in group)
    record = PageRecord(1, 600.0, 800.0, found, **drawn)  # type: ignore[arg-type]
    runs = runs_of(found, SIZE)
    boxes = extend_to_labels(figure_boxes(record, runs, SIZE), runs, SIZE)
    return _texts(figure_text(runs, boxes, SIZE)[1])


def test_words_that_run_up_and_what_they_lead_to_are_of_the_figure() -> None:
    box = (100.0, 300.0, 400.0, 400.0)
    up = [(100.0 + 20 * n, 240.0, 108.0 + 20 * n, 296.0) for n in range(10)]
    above = (100.0, 200.0, 300.0, 232.0)
    assert extend_to_labels([box], [], SIZE, [above, *up]) == [(100.0, 200.0, 400.0, 400.0)]


def test_a_drawing_beyond_text_is_not_of_the_figure() -> None:
    box = (100.0, 300.0, 400.0, 400.0)
    runs = runs_of(words("text between the two of them and more of it", x=100.0, base=296.0), SIZE)
    assert extend_to_labels([box], runs, SIZE, [(100.0, 200.0, 300.0, 287.0)]) == [box]


def _prose(base: float, count: int = 6, x: float = 50.0) -> list[list[Word]]:
    text = "words that run on over the whole of the line"
    return [words(text, x=x, base=base + i * PITCH) for i in range(count)]


def test_labels_beside_and_below_a_plot_are_kept_out_of_the_body() -> None:
    ticks = [words(f"{n}0", x=66.0, base=315.0 - 40 * n, size=6.0) for n in range(3)]
    bars = words("single", x=100.0, base=335.0) + words("massed", x=200.0, base=335.0)
    axis = words("days after reading", x=130.0, base=348.0)
    caption = words("Figure 1: Recall by group", x=80.0, base=365.0)
    placed = [*_prose(100.0), *ticks, bars, axis, caption, *_prose(400.0)]
    assert _split(placed, drawings=(BARS,)) == {
        "00",
        "10",
        "20",
        "single",
        "massed",
        "days after reading",
    }


def test_the_short_last_line_of_a_paragraph_is_no_label() -> None:
    last = words("here.", x=50.0, base=190.0)
    caption = words("Figure 1: Recall by group", x=80.0, base=345.0)
    assert _split([*_prose(100.0, 7), last, caption], drawings=(BARS,)) == set()


def test_the_grid_line_above_the_bars_belongs_to_the_plot() -> None:
    tick = words("60", x=66.0, base=187.0, size=6.0)
    caption = words("Figure 1: Recall by group", x=80.0, base=345.0)
    placed = [*_prose(80.0), tick, caption]
    rule = ((80.0, 183.0, 280.0, 183.5),)
    assert _split(placed, drawings=(BARS,), rules=rule) == {"60"}


def test_parts_of_a_figure_that_stand_apart_are_one_with_what_is_between_them() -> None:
    lower = (80.0, 345.0, 280.0, 400.0)
    between = words("Panel two below", x=85.0, base=335.0)
    inner = [words("dense", x=85.0 + 40 * i, base=360.0) for i in range(4)]
    caption = words("Figure 1: Recall by group", x=80.0, base=190.0)
    placed = [caption, between, *inner]
    taken = _split(placed, drawings=(BARS, lower))
    assert taken == {"Panel two below", "dense"}


def test_the_caption_above_a_figure_is_kept_whole() -> None:
    caption = [
        words("Figure 1: Recall by group in the two", x=80.0, base=182.0),
        words("schools.", x=80.0, base=194.0),
    ]
    assert _split(caption, drawings=(BARS,)) == set()


def test_the_title_of_a_panel_is_part_of_the_figure_but_not_the_line_of_text_above() -> None:
    title = words("Dot Product", x=150.0, base=195.0)
    caption = words("Figure 1: Recall by group", x=80.0, base=345.0)
    assert _split([title, caption], drawings=(BARS,)) == {"Dot Product"}
    assert _split([*_prose(124.0, 5), title, caption], drawings=(BARS,)) == set()


def test_a_small_picture_at_one_place_on_several_pages_is_a_logo() -> None:
    logo, figure = (18.0, 12.0, 174.0, 72.0), (80.0, 90.0, 480.0, 400.0)
    records = [PageRecord(page, 600.0, 800.0, pictures=(logo, figure)) for page in (1, 2)]
    assert [record.pictures for record in without_logos(records)] == [(figure,), (figure,)]


RULED = (80.0, 200.0, 280.0, 240.0)
RULES = tuple((80.0, y, 280.0, y + 0.5) for y in (200.0, 213.0, 239.5))


def test_a_table_between_a_caption_of_a_figure_and_its_own_is_not_the_figure() -> None:
    cells = [words(t, x, 211 + 13 * i) for i in range(3) for t, x in (("jobs", 90.0), ("9", 250.0))]
    above = words("Figure 4: Instances over time", x=80.0, base=190.0)
    below = words("Table 1: Jobs run in August", x=80.0, base=265.0)
    runs = runs_of([word for group in [above, *cells, below] for word in group], SIZE)
    for rules, figures in ((RULES, []), (RULES[::2], [RULED])):
        record = PageRecord(1, 600.0, 800.0, drawings=(RULED,), strokes=rules)
        assert figure_boxes(record, runs, SIZE) == figures


def test_tables_at_one_place_on_several_pages_are_not_logos() -> None:
    frame = (80.0, 300.0, 280.0, 340.0)
    drawings = (RULED, frame)
    records = [PageRecord(page, 600.0, 800.0, drawings=drawings, strokes=RULES) for page in (1, 2)]
    assert [record.drawings for record in without_logos(records)] == [(RULED,), (RULED,)]


def test_the_caption_of_a_table_ends_above_its_cells() -> None:
    caption = words("Table 6: Hash functions of several sizes", x=80.0, base=190.0)
    further = words("and their search", x=80.0, base=200.0)
    row = [word for x in (90.0, 150.0, 210.0) for word in words("size", x=x, base=210.0)]
    (found,) = captions_of(runs_of([*caption, *further, *row], SIZE))
    assert _texts(list(found.lines)) == {
        "Table 6: Hash functions of several sizes",
        "and their search",
    }


def test_the_strips_of_a_scan_are_its_background_also_where_they_reach_beyond_the_page() -> None:
    strips = tuple((-20.0, 40.0 * n, 610.0, 40.0 * n + 40.0) for n in range(20))
    photo = (100.0, 410.0, 300.0, 430.0)
    found = tuple(word for group in _prose(100.0, 8) for word in group)
    scan = PageRecord(1, 600.0, 800.0, found, pictures=(*strips, photo))
    (record,) = without_backgrounds([scan])
    assert record.pictures == (photo,)


def test_pictures_beside_the_text_are_no_background() -> None:
    found = tuple(word for group in _prose(700.0, 6) for word in group)
    record = PageRecord(1, 600.0, 800.0, found, pictures=((0.0, 0.0, 600.0, 600.0),))
    assert without_backgrounds([record]) == [record]


def test_text_in_columns_with_a_frame_around_it_is_of_the_body() -> None:
    frame = (40.0, 80.0, 560.0, 220.0)
    placed = [*_prose(100.0, 8), *_prose(100.0, 8, x=320.0)]
    assert _split(placed, drawings=(frame,)) == set()


def test_running_text_and_captions_within_the_box_of_a_figure_are_of_the_body() -> None:
    plot = (40.0, 200.0, 560.0, 420.0)
    places = [(x, base) for x in range(80, 500, 60) for base in (240.0, 270.0, 370.0)]
    labels = [words(f"{x} {base}", x=x, base=base) for x, base in places]
    caption = words("Figure 1: Recall by group", x=80.0, base=415.0)
    placed = [*_prose(300.0, 3), *labels, caption]
    taken = _split(placed, pictures=(plot,))
    assert taken == {f"{x} {base}" for x, base in places}


def test_a_listing_in_a_frame_is_of_the_body() -> None:
    code = [words(f"return f(x) + {n};", x=90.0, base=220.0 + n * PITCH) for n in range(3)]
    typewriter = [[word._replace(font="Courier") for word in group] for group in code]
    assert _split(typewriter, drawings=(BARS,)) == set()
    assert len(_split(code, drawings=(BARS,))) == 3


def test_a_caption_behind_a_wide_space_is_not_of_the_figure() -> None:
    """Figure 6.   Comparison of … and, on the next line, the rest of it."""
    label = words("Figure 6.", x=36.0, base=330.0, size=7.0)
    right = words("Comparison of bound and rate", x=label[-1].x1 + 11.0, base=330.0, size=7.0)
    below = words("in all the data sets of it", x=36.0, base=340.0, size=7.0)
    assert _split([label, right, below], drawings=(BARS,)) == set()
