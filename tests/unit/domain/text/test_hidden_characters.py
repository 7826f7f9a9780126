"""Characters that a reader does not see."""

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.text.characters import replace_hidden, whole_number, without_hidden


@each(
    ("text", "seen"),
    [
        ("Ponds\U000e0049\U000e0047\U000e004e\U000e007f cool", "Ponds cool"),
        ("zero\u200bwidth\u2060 \ufeffjoin\u2064ed", "zerowidth joined"),
        ("\u202egnp.\u2066exe\u2069\u200f\u061c", "gnp.exe"),
        ("\x1b[2Ja\x07\x9b", "[2Ja"),
        ("half \ud83d", "half "),
        ("fill\u3164\u115f\uffa0er", "filler"),
        ("bytes\U0001f600\U000e0101\U000e0102\U000e0103", "bytes\U0001f600\U000e0101"),
        ("a\u200db \u200cc", "ab c"),
    ],
)
def test_what_hides_is_left_out(text: str, seen: str) -> None:
    assert without_hidden(text) == seen


@each(
    "text",
    [
        "plain text\tof two\nlines\r\n",
        "Straße, naïve, soft\u00adhyphen, 池, שלום",
        "می\u200cخواهم کتاب\u200cها",
        "क्\u200dष न्\u200cम র\u200d্য",
        "\U0001f469\u200d\U0001f52c \u2764\ufe0f\u200d\U0001f525 \U0001f44b\U0001f3fd",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "葛\U000e0100城 1\ufe0f\u20e3",
    ],
)
def test_what_scripts_and_emoji_need_stays(text: str) -> None:
    assert without_hidden(text) == text


def test_it_can_be_shown_instead() -> None:
    assert replace_hidden("a\u202eb", lambda char: f"<{ord(char):x}>") == "a<202e>b"


@given(st.text())
def test_nothing_hides_in_what_is_left(text: str) -> None:
    seen = without_hidden(text)
    assert not set(seen).intersection(map(chr, range(0x202A, 0x202F)))
    assert not any(0xD800 <= ord(char) < 0xE000 for char in seen)
    assert without_hidden(seen.encode().decode()) == without_hidden(seen)


@each(
    ("text", "number"),
    [
        ("007", 7),
        ("9" * 18, 10**18 - 1),
        ("9" * 5000, None),
        ("²", None),
        ("٣", None),
        ("-1", None),
        ("", None),
    ],
)
def test_a_whole_number_is_of_few_ascii_digits(text: str, number: int | None) -> None:
    assert whole_number(text) == number
