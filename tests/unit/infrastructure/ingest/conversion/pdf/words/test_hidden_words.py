"""Words of a page record: those that a reader sees, without characters that hide or turn text."""

import pypdfium2

from citeloom.infrastructure.ingest.conversion.pdf.page_content.hidden_text import Hidden
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord
from citeloom.infrastructure.ingest.conversion.pdf.words.decode_page import PageDecoder
from tests.support.pdf.drawn_pdf import drawn, picture
from tests.support.pdf.odd_pdf import raw

SEEN = "0 g BT /F1 10 Tf 72 720 Td (These words are seen) Tj ET"
# A tag (plane 14), a mathematical letter, a zero width space, half a pair of UTF-16, the sign of a
# space.
CODES = {1: "DB40DC41", 2: "D835DC65", 3: "200B", 4: "D835", 5: "2423"}


def record(data: bytes) -> PageRecord:
    document = pypdfium2.PdfDocument(data)
    try:
        return PageDecoder().read(document[0], 1)
    finally:
        document.close()


def texts(read: PageRecord) -> list[str]:
    return [word.text for word in read.words]


def test_hidden_words_are_left_out_and_counted() -> None:
    hidden = "1 g BT /F1 10 Tf 72 600 Td (white on white) Tj ET"
    read = record(drawn(f"{hidden} {SEEN}"))
    assert texts(read) == ["These", "words", "are", "seen"]
    assert read.hidden == ((Hidden.NO_CONTRAST, 3),)


def test_words_printed_over_themselves_are_read_once() -> None:
    below = [SEEN.replace("720", str(700 - 12 * at)) for at in range(8)]
    once = " ".join([SEEN, *below])
    read = record(drawn(f"{once} {SEEN}"))
    assert texts(read) == texts(record(drawn(once))) == ["These", "words", "are", "seen"] * 9
    assert read.plain_text.split() == texts(read), "so has the independent reading"


def test_the_independent_reading_lacks_them_too() -> None:
    hidden = "BT /F1 10 Tf 72 600 Td (covered) Tj ET 70 590 80 30 re f"
    assert record(drawn(f"{hidden} {SEEN}")).plain_text.split() == ["These", "words", "are", "seen"]


def test_the_text_layer_of_a_scan_is_kept() -> None:
    page = f"{SEEN} q 612 0 0 792 0 0 cm /Picture Do Q"
    read = record(drawn(page, {"Picture": picture(220)}))
    assert texts(read) == ["These", "words", "are", "seen"]
    assert read.hidden == ()
    assert read.plain_text.split() == ["These", "words", "are", "seen"]


def with_codes(content: str) -> bytes:
    pairs = " ".join(f"<{code:02x}> <{text}>" for code, text in CODES.items())
    to_unicode = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap "
        "1 begincodespacerange <00> <FF> endcodespacerange "
        f"{len(CODES)} beginbfchar {pairs} endbfchar "
        "1 beginbfrange <20> <7E> <0020> endbfrange endcmap end end"
    )
    return raw(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
            "/Resources << /Font << /F1 5 0 R >> >> >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>",
            f"<< /Length {len(to_unicode)} >>\nstream\n{to_unicode}\nendstream",
        ]
    )


def test_tags_are_taken_out_of_words_and_counted() -> None:
    read = record(with_codes("BT /F1 12 Tf 72 700 Td (pl\\001ain wo\\003rds) Tj ET"))
    assert texts(read) == ["plain", "words"]
    assert read.controls == 1


def test_the_white_sign_of_a_space_hides_no_word() -> None:
    indent = (
        "BT /F1 12 Tf 1 g 72 700 Td (\\005\\005) Tj 0 g (return) Tj 1 g (\\005) Tj 0 g (x) Tj ET"
    )
    read = record(with_codes(indent))
    assert (texts(read), read.hidden) == (["return", "x"], ())


def test_characters_beyond_the_basic_plane_are_one_each() -> None:
    read = record(with_codes("BT /F1 12 Tf 72 700 Td (f\\002) Tj ET"))
    assert texts(read) == ["f\U0001d465"]


def test_half_a_character_is_the_replacement_character() -> None:
    read = record(with_codes("BT /F1 12 Tf 72 700 Td (f\\004) Tj ET"))
    assert texts(read) == ["f\ufffd"]
