"""Words of right-to-left scripts in reading order, and their pages mirrored."""

from support.cases import each
from support.pdf.page_lines import SIZE, words

from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import lines_of
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord, Word
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import runs_of

ALEF, BET, GIMEL = "\u05d0\u05d0\u05d0", "\u05d1\u05d1\u05d1", "\u05d2\u05d2\u05d2"
ARABIC = "\u0627\u0644\u0639\u0644\u0645"


def _shown(*parts: tuple[str, float]) -> PageRecord:
    """A page with words as a decoder gives them, from left to right."""
    found: list[Word] = []
    for text, x in parts:
        rtl = any(char > "\u0590" for char in text)
        found += words(text, x=x, rtl=rtl)
    return PageRecord(1, 300.0, 400.0, tuple(found)).mirrored_if_rtl()


def _text(page: PageRecord) -> str:
    (line,) = lines_of(runs_of(page.words, SIZE), 1)
    return line.text


@each(
    ("shown", "read"),
    [
        # signs stand to the left of what they follow, brackets face the other way
        ([(GIMEL, 50), (".]12[", 68), (BET, 96), (ALEF, 114)], f"{ALEF} {BET} [12]. {GIMEL}"),
        ([(GIMEL, 50), (".[12]", 68), (BET, 96), (ALEF, 114)], f"{ALEF} {BET} [12]. {GIMEL}"),
        (
            [(GIMEL, 50), (",GPT", 68), ("4", 91), (BET, 99), (ALEF, 117)],
            f"{ALEF} {BET} GPT 4, {GIMEL}",
        ),
        ([(GIMEL, 50), ("2021", 68), ("GPT", 91), (BET, 109)], f"{BET} GPT 2021 {GIMEL}"),
        ([(GIMEL, 50), ("10-20", 68), (BET, 96)], f"{BET} 10-20 {GIMEL}"),
        ([(ARABIC, 50), ("20-10", 78), (ARABIC, 106)], f"{ARABIC} 10-20 {ARABIC}"),
        ([(BET, 50), (".1", 68)], f"1. {BET}"),
    ],
)
def test_signs_and_foreign_words_in_a_right_to_left_line(
    shown: list[tuple[str, float]], read: str
) -> None:
    assert _text(_shown(*shown)) == read


def test_a_foreign_line_on_a_right_to_left_page() -> None:
    page = _shown(("York,", 50), ("2021", 80), (ALEF, 103), (BET, 121), (GIMEL, 139))
    head = [word for word in page.words if word.rtl]
    assert _text(page._replace(words=tuple(head))) == "York, 2021"


def test_a_right_to_left_word_in_a_line_that_runs_from_left_to_right() -> None:
    page = _shown(("the", 50), (BET, 68), (ALEF, 86), ("means", 104), ("beginning", 132))
    assert not page.mirrored
    assert _text(page) == f"the {ALEF} {BET} means beginning"


def test_a_page_of_a_right_to_left_script_counts_from_its_right_edge() -> None:
    page = _shown((BET, 50), (ALEF, 250))
    boxes = {word.text: word.box for word in page.words}
    assert boxes[ALEF][0] < boxes[BET][0]
    assert page.as_displayed(boxes[BET])[:3:2] == (50.0, 65.0)


def test_a_kern_in_arabic_is_no_space() -> None:
    first = Word("\u0625\u0646\u062c\u0644\u064a\u0632", 60, 92, 90, 100, "F", False, False, True)
    second = Word("\u064a\u0629", 48.9, 92, 58.9, 100, "F", False, False, True)
    page = PageRecord(1, 300.0, 400.0, (second, first)).mirrored_if_rtl()
    assert _text(page) == first.text + second.text
