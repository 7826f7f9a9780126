"""Texts that a reader does not see, and why."""

from collections.abc import Mapping
from ctypes import c_void_p, cast

import pypdfium2.raw as pdfium
import pytest

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.page_content.hidden_text import (
    Hidden,
    HiddenText,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_content.page_objects import (
    read_page_objects,
)
from tests.support.pdf.drawn_pdf import drawn, form, opened, picture

SEEN = "0 g BT /F1 10 Tf 0 Tr 72 720 Td (Seen) Tj ET"
BOX = "100 600 50 40 re f"
OVER = "q 120 0 0 80 90 590 cm /Picture Do Q"


def text(words: str = "Hidden", x: float = 102, y: float = 612, size: float = 10) -> str:
    return f"BT /F1 {size} Tf {x} {y} Td ({words}) Tj ET"


def hidden_of(
    content: str, objects: Mapping[str, str] | None = None, page: str = ""
) -> dict[str, HiddenText]:
    """Hidden text objects by their text. The text that is seen must not be among them."""
    with opened(drawn(f"{content} {SEEN}", objects, page)) as opened_page:
        hidden = read_page_objects(opened_page).hidden
        page_text, height = opened_page.get_textpage(), opened_page.get_height()
        found: dict[str, HiddenText] = {}
        letters: dict[int, str] = {}
        boxes: dict[int, list[BBox]] = {}
        for index in range(page_text.count_chars()):
            address = cast(pdfium.FPDFText_GetTextObject(page_text, index), c_void_p).value or 0
            letters[address] = letters.get(address, "") + chr(
                pdfium.FPDFText_GetUnicode(page_text, index)
            )
            x0, bottom, x1, top = page_text.get_charbox(index)
            if x1 > x0:
                boxes.setdefault(address, []).append((x0, height - top, x1, height - bottom))
        for address, reason in hidden.items():
            if any(map(reason.hides, boxes.get(address, []))):
                found[letters[address].strip()] = reason
        assert "Seen" in {letter.strip() for letter in letters.values()}
    assert "Seen" not in found
    return found


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (f"1 g {text()}", Hidden.NO_CONTRAST),
        (f"0.99 g {text()}", Hidden.NO_CONTRAST),
        (f"0.93 g {text()}", Hidden.NO_CONTRAST),
        (f"0 0 1 rg {BOX} {text()}", Hidden.NO_CONTRAST),
        (f"3 Tr {text()}", Hidden.INVISIBLE),
        (f"7 Tr {text()} 0 Tr", Hidden.INVISIBLE),
        (f"q /G0 gs {text()} Q", Hidden.INVISIBLE),
        (text(size=1), Hidden.TOO_SMALL),
        (text(size=2), Hidden.TOO_SMALL),
        (f"q 0.1 0 0 0.1 100 600 cm {text()} Q", Hidden.TOO_SMALL),
        (text(x=700), Hidden.OFF_PAGE),
        (text(y=-20), Hidden.OFF_PAGE),
        (f"q 300 300 50 50 re W n {text()} Q", Hidden.CLIPPED),
        (f"{text()} 1 g {BOX}", Hidden.COVERED),
        (f"{text()} {OVER}", Hidden.COVERED),
        (f"0.5 g {OVER} {text()}", Hidden.NO_CONTRAST),
    ],
    ids=[
        "white on white",
        "nearly white",
        "a grey that is hardly one",
        "blue on blue",
        "mode 3",
        "mode 7",
        "transparent",
        "1 point",
        "2 points",
        "scaled down",
        "right of the page",
        "below the page",
        "clipped",
        "under white",
        "under a picture",
        "grey on a grey picture",
    ],
)
def test_text_that_is_not_seen(content: str, reason: Hidden) -> None:
    found = hidden_of(f"q {content} Q", {"Picture": picture(128)})
    assert {words: hidden.reason for words, hidden in found.items() if words} == {"Hidden": reason}


@pytest.mark.parametrize(
    "content",
    [
        text(),
        f"0.9 g {text()}",
        f"0 0 1 rg {BOX} 1 g {text()}",
        f"{OVER} 1 g {text()}",
        f"{OVER} {text()}",
        f"{BOX} 1 g 90 590 80 60 re f 0 g {text()}",
        f"{text()} q /G5 gs 1 g {BOX} Q",
        f"{text()} 1 g 300 300 50 50 re f",
        f"1 0 0 RG 1 g 1 Tr {text()} 0 Tr",
        "q 0.01 0 0 0.01 102 612 cm BT /F1 1000 Tf (Hidden) Tj ET Q",
        "BT /F1 10 Tf 102 612 Td (.) Tj ET",
        f"1 g {text()} 0 g {text()}",
        f"{text('.' * 60 + 'Ah')} 1 g 100 614 168 12 re f",
    ],
    ids=[
        "black",
        "light grey",
        "white on blue",
        "white on a picture",
        "black on a picture",
        "on white over black",
        "under a veil",
        "beside a white shape",
        "white with a red outline",
        "large font scaled down",
        "a full stop",
        "white below black",
        "a leader under the edge of a box",
    ],
)
def test_text_that_is_seen(content: str) -> None:
    assert not hidden_of(f"q {content} Q", {"Picture": picture(128)})


def test_text_of_a_form_is_judged_by_what_lies_on_the_form() -> None:
    found = hidden_of(f"/Form Do {OVER}", {"Form": form(text()), "Picture": picture()})
    assert found["Hidden"].reason is Hidden.COVERED


def test_text_beyond_the_crop_box_is_off_the_page() -> None:
    found = hidden_of(text(x=500), page="/CropBox [50 300 400 792]")
    assert found["Hidden"].reason is Hidden.OFF_PAGE


def test_a_blackened_word_is_hidden_and_its_line_is_not() -> None:
    line = text("seven words are hidden in this line", x=100)
    found = hidden_of(f"{line} 150 608 40 14 re f")
    hidden = found["seven words are hidden in this line"]
    assert hidden.reason is Hidden.COVERED
    assert hidden.hides((155, 170, 185, 180))
    assert not hidden.hides((102, 170, 130, 180))
    assert not hidden.hides((200, 170, 230, 180))


def test_a_label_cut_by_the_edge_of_its_figure_is_hidden_beyond_it() -> None:
    found = hidden_of(f"q 100 600 40 40 re W n {text('label of an axis', x=110)} Q")
    hidden = found["label of an axis"]
    assert hidden.reason is Hidden.CLIPPED
    assert hidden.hides((150, 170, 160, 180))
    assert not hidden.hides((112, 170, 130, 180))


def test_page_objects_are_painted_as_before_afterwards() -> None:
    with opened(drawn(f"1 g {text()}")) as page:
        read_page_objects(page)
        assert page.get_textpage().get_text_range() == "Hidden"


@pytest.mark.parametrize(("off", "hidden"), [("6 0 R", True), ("", False)])
def test_a_layer_that_is_switched_off_is_hidden(off: str, hidden: bool) -> None:
    layer = f"/OC /L0 BDC {text()} EMC"
    properties = "/Properties << /L0 6 0 R >> /Font"
    data = drawn(layer, {"L0": "<< /Type /OCG /Name (Layer) >>"}).replace(
        b"/Font", properties.encode(), 1
    )
    states = f"/OCProperties << /OCGs [6 0 R] /D << /OFF [{off}] >> >>"
    with opened(data.replace(b"/Pages 2 0 R", b"/Pages 2 0 R " + states.encode(), 1)) as page:
        found = read_page_objects(page).hidden.values()
        reasons = [text.reason for text in found if text.hides((102, 170, 134, 182))]
    assert reasons == ([Hidden.INVISIBLE] if hidden else [])


def test_other_marks_are_no_layers() -> None:
    assert not hidden_of(f"/Span << /MCID 0 >> BDC {text()} EMC /P BMC {text(y=500)} EMC")
