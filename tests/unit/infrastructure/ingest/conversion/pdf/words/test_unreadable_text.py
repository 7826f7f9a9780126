"""Pages that cannot be read are told from those that are only hard to read."""

import pytest

from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord, Word
from citeloom.infrastructure.ingest.conversion.pdf.words.unreadable_text import (
    Fault,
    fault_of,
    is_mojibake,
)

PROSE = (
    "the looms were set up in three rows and each of them was run by one person who had "
    "learned the trade from an older weaver in the same street of the old town near the river "
    "where merchants bought whole bolts of cloth before winter and sold them again next spring"
).split()
PAGE_BOX = (0.0, 0.0, 600.0, 800.0)


def page(words: list[str], **more: object) -> PageRecord:
    placed = tuple(
        Word(text, 72, 72 + 12 * i, 120, 82 + 12 * i, "F", False, False)
        for i, text in enumerate(words)
    )
    return PageRecord(1, 600, 800, placed, **more)  # type: ignore[arg-type]


def shifted(word: str) -> str:
    return "".join(chr(ord(c) - 29) for c in word)


@pytest.mark.parametrize(
    "words",
    [
        ["�" * len(w) for w in PROSE],
        ["".join(chr(0xE000 + ord(c)) for c in w) for w in PROSE],
        ["".join(f"(cid:{ord(c)})" for c in w) for w in PROSE],
        ["".join(f"GLYPH<{ord(c)}>" for c in w) for w in PROSE],
        [shifted(w) for w in PROSE * 2],
        ["".join(chr(33 + ord(c) % 14) for c in w) for w in PROSE * 2],
        [w if i % 3 else "�" + w[1:] + "x" for i, w in enumerate(PROSE)],
    ],
    ids=["replacement", "private use", "cid", "glyph", "shifted", "signs", "every third word"],
)
def test_text_without_character_codes_is_mojibake(words: list[str]) -> None:
    assert is_mojibake(words)


@pytest.mark.parametrize(
    "words",
    [
        PROSE,
        [],
        "∀ x ∈ ℝ ∃ y ∑ ∫ ≤ α β γ → ∂ ∇ ⊗ ⊕ ≅ ⟨ ⟩ ∥ · = + − × ÷".split() * 20,
        [*("\uf8eb \uf8ed \uf8f6 \uf8f8".split() * 20), *PROSE],
        [*("\ue000 \ue001".split() * 4), *PROSE],
        "0.12 3.45 ± 0.07 12,345 < 0.001 *** (n = 17) 95% [0.1, 0.9]".split() * 30,
        "1 Introduction ........................ 7".split() * 40,
        "HTTP XML GPU CPU BRCA1 MRT TCP HTML CSS SQL".split() * 2 + PROSE,
        "if (x[i] != y->z) { a[i++] = *(p + 1); } // %s\\n && || << >> ::".split() * 10 + PROSE,
        "Ἐν ἀρχῇ ἦν ὁ λόγος καὶ ὁ λόγος ἦν πρὸς τὸν θεόν".split() * 9,
        "سنة جديدة في المكتبة".split() * 30,
        "机器学习 的 方法 和 结果 �".split() * 2,
        "krk smrt čtvrt prst vlk srp hrb".split() * 5 + PROSE * 2,
        "Test text37 text38 TEST".split() * 30,
        "✁ ✂✃✄ ☎✆ ✇✈✉ ❶❷❸".split() * 30,
    ],
    ids=[
        "prose",
        "nothing",
        "mathematics",
        "bracket pieces",
        "single signs",
        "table",
        "contents",
        "acronyms",
        "code",
        "greek",
        "arabic",
        "chinese",
        "slavic",
        "one word",
        "dingbats",
    ],
)
def test_what_is_only_unusual_is_not_mojibake(words: list[str]) -> None:
    assert not is_mojibake(words)


def test_a_page_without_words_is_empty() -> None:
    assert fault_of(page([])) is Fault.EMPTY


def test_the_picture_of_a_page_with_a_stamp_is_a_scan() -> None:
    stamp = "Downloaded from archive.example.org on 1 May".split()
    assert fault_of(page(stamp, pictures=(PAGE_BOX,))) is Fault.PICTURE
    assert fault_of(page(stamp)) is None


def test_a_scan_with_a_text_layer_is_left_alone() -> None:
    assert fault_of(page(PROSE, pictures=(PAGE_BOX,))) is None
