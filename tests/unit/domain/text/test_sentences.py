"""Sentence boundaries in scientific prose of any script."""

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.text.sentences import cut_at_sentence, quotable_spans, sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


# Text that is rich in what the rules look at, and any text at all.
PROSE = st.lists(
    st.sampled_from(
        [
            "Dr",
            "et",
            "al",
            "Fig",
            "3",
            "e.g",
            "nbgrader",
            "is",
            "We",
            "pond",
            "。",
            "！",
            "…",
            ".",
            "?",
            "!",
            " ",
            "\n",
            "\n\n",
            "(",
            ")",
            '"',
            "”",
            "[12]",
            "؟",
            "।",
            "Ж",
            "а",
            "²",
            "\u200b",
            "\x1c",
            "”",
        ]
    ),
    max_size=30,
).map("".join)
ANY_TEXT = st.one_of(PROSE, st.text(max_size=80))


@given(ANY_TEXT)
def test_every_character_that_is_seen_lies_in_exactly_one_sentence(text: str) -> None:
    covered = [0] * len(text)
    for start, end in sentence_spans(text):
        for at in range(start, end):
            covered[at] += 1
    assert max(covered, default=0) <= 1
    assert all(covered[n] == 1 for n, c in enumerate(text) if not c.isspace())


@given(ANY_TEXT)
def test_sentences_come_in_order_and_without_white_space_around_them(text: str) -> None:
    spans = sentence_spans(text)
    assert spans == sorted(spans)
    for start, end in spans:
        assert start < end
        assert text[start:end] == text[start:end].strip()


@each(
    "parts",
    [
        ["Ponds cool the street.", "Do they?", "They do!", "So it seems …", "Go on."],
        ["Smith et al. (2017) measured it.", "So did we."],
        ["See Fig. 3 and Eq. 4 for the fit.", "It is good."],
        ["J. K. Rowling and A. Smith wrote it.", "We read it."],
        ["The value was 0.98 (cf. Table 2, p. 4).", "It is small."],
        ["It was measured by Dr. Smith, e.g. in May.", "It rained."],
        ['She said "it works."', "We agreed."],
        # Names in small letters, and what is no name, no verb, no end.
        ["It was built on notebooks (Kluyver et al., 2016).", "nbgrader allows them."],
        ["They kept two separate versions.", "nbgrader also automatically grades them."],
        ["There are layers of different types.", "n is their number."],
        ["It is the file testprog.", "a.out is the output."],
        ["It was in approx. 50 files. and about 200 lines changed."],
        ["This may be the intended semantics. for instance, a list."],
        ["See https://starblast. readthedocs.io is its address."],
        ["The avg. summary is short, and the temp. of ponds rises."],
        ["The temp. sensor is set by the config. server runs often; spec. sheets has it."],
        ["It is the one they are using.", "nbgrader is part of the course.", "n is large."],
        ["It takes approx. ten times as long, incl. all methods (approx. two)."],
        ["This is known.[12]", "That is not.[3, 4]", "Nor is this."],
        ["Was it warm (yes!)?", "It was."],
        # Cyrillic, Greek, Chinese, Japanese, Arabic, Hindi, Spanish, German
        ["Пруды охлаждают воздух.", "Насколько сильно?", "Мы измерили это."],
        ["Οι λίμνες δροσίζουν τον αέρα.", "Το μετρήσαμε."],
        ["池塘使空气变凉。", "我们测量了它！", "结果如何？", "见下文。"],
        ["池は空気を冷やす。", "「本当か？」", "私たちは測定した。"],
        ["البرك تبرد الهواء.", "هل هذا صحيح؟", "نعم."],
        ["तालाब हवा को ठंडा करते हैं।", "हमने इसे मापा।"],
        ["El agua enfría el aire.", "¿Cuánto?", "¡Mucho!"],
        ["Das gilt z.B. für Teiche, d.h. für Wasser.", "Es ist kühl."],
    ],
    ids=lambda parts: parts[0][:20],
)
@each("gap", [" ", "\n", "  "])
def test_sentences_end_where_a_reader_says_they_do(parts: list[str], gap: str) -> None:
    assert sentences(gap.join(parts)) == parts


def test_ideographic_sentences_need_no_space_between_them() -> None:
    assert sentences("池塘使空气变凉。我们测量了它！好。") == [
        "池塘使空气变凉。",
        "我们测量了它！",
        "好。",
    ]


def test_an_empty_line_ends_a_sentence_without_a_stop() -> None:
    assert sentences("Material and methods\n\nWe drew lots") == [
        "Material and methods",
        "We drew lots",
    ]


@each(
    ("text", "expected"),
    [
        ("It reaches 59 m. It stops.", ["It reaches 59 m.", "It stops."]),
        ("Only 0.33 K. The rest.", ["Only 0.33 K.", "The rest."]),
        ("So wrote J. Smith.", ["So wrote J. Smith."]),
        ("In 1998 J. Smith wrote.", ["In 1998 J. Smith wrote."]),
    ],
)
def test_a_unit_of_one_letter_is_no_initial(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_the_number_of_a_list_item_is_no_sentence() -> None:
    assert sentences("1. Peg out the corners.\n2. Divide the side.") == [
        "1. Peg out the corners.",
        "2. Divide the side.",
    ]


@given(ANY_TEXT, st.integers(1, 60))
def test_what_is_cut_is_never_longer_than_the_limit(text: str, limit: int) -> None:
    cut = cut_at_sentence(text, limit)
    assert len(cut) <= limit
    if len(text) <= limit:
        assert cut == text


@given(ANY_TEXT, st.integers(1, 60))
def test_a_cut_text_is_a_beginning_of_the_text(text: str, limit: int) -> None:
    cut = cut_at_sentence(text, limit)
    assert text.startswith((cut, cut.removesuffix("…")))


def test_a_text_is_cut_at_a_sentence_end_in_its_second_half() -> None:
    text = "Ponds cool the street. They do so in summer. Nobody knows why it is not more."
    assert cut_at_sentence(text, 50) == "Ponds cool the street. They do so in summer."


def test_a_text_without_such_an_end_is_cut_at_white_space_with_an_ellipsis() -> None:
    assert cut_at_sentence("No. " + "measured values " * 9, 50) == (
        "No. measured values measured values measured…"
    )
    assert cut_at_sentence("x" * 60, 50) == "x" * 49 + "…"


@each(
    ("text", "quotable"),
    [
        (
            "We obtain the factor\n\nβ = 1/√(1 − x²).\u2003(3)\n\nwhere x is small in all.",
            ["We obtain the factor", "where x is small in all."],
        ),
        ("Thus\n\na = max(b, c)\n\nsin x ≤ 1", ["Thus"]),
        ("Yes. Here x = 3 holds.", ["Yes. Here x = 3 holds."]),
        ("Yes.\n\nHere is no relation.", ["Yes.\n\nHere is no relation."]),
    ],
)
def test_displayed_formulas_are_in_no_quotable_sentence(text: str, quotable: list[str]) -> None:
    assert [text[start:end] for start, end in quotable_spans(text)] == quotable


@given(ANY_TEXT)
def test_what_is_quotable_begins_and_ends_with_sentences(text: str) -> None:
    spans = quotable_spans(text)
    starts, ends = zip(*sentence_spans(text), strict=True) if text.strip() else ((), ())
    assert {start for start, _ in spans} <= {*starts}
    assert {end for _, end in spans} <= {*ends}
    assert spans == sorted(spans)
