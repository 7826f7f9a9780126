from support.pdf.page_lines import PITCH, SIZE, words

from citeloom.infrastructure.ingest.conversion.pdf.blocks.figure_labels import extend_to_labels
from citeloom.infrastructure.ingest.conversion.pdf.blocks.figures import (
    figure_boxes,
    figure_text,
    without_logos,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import WordRun, runs_of
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord, Word

BARS = (80.0, 200.0, 280.0, 320.0)


def _texts(runs: list[WordRun]) -> set[str]:
    return {" ".join(word.text for word in run.words) for run in runs}


def _split(placed: list[list[Word]], **drawn: tuple[tuple[float, ...], ...]) -> set[str]:
    """The texts of the runs that are taken out of the body."""
    found = tuple(word for group in placed for word in group)
    record = PageRecord(1, 600.0, 800.0, found, **drawn)  # type: ignore[arg-type]
    runs = runs_of(found, SIZE)
    boxes = extend_to_labels(figure_boxes(record, runs, SIZE), runs, SIZE)
    return _texts(figure_text(runs, boxes)[1])


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
