"""Words that a reader sees or not, on generated pages: figures, patterns, boxes, clips, layers."""

from collections.abc import Callable
from functools import partial
from random import Random

import pypdfium2
import pytest
from support.cases import each

from citeloom.infrastructure.ingest.conversion.pdf.words.decode_page import PageDecoder
from tests.support.pdf.drawn_pdf import drawn, form, picture

SEEDS = range(6)
WORDS = "throughput latency baseline cluster replicas operations quorum histories".split()
SEEN = "0 g BT /F1 10 Tf 72 720 Td (These words are always seen by a reader) Tj ET"


class Label:
    """Some words at a place of their own, and a box around them."""

    def __init__(self, random: Random) -> None:
        self.words = random.sample(WORDS, 3)
        self.size = random.choice([6, 8, 10, 14])
        self.x, self.y = random.randint(80, 250), random.randint(150, 600)
        self.grey = random.choice([0.0, 0.2, 0.4])
        self.left, self.bottom = self.x - 10, self.y - 10
        self.width, self.height = self.size * 17 + 20, self.size + 20

    @property
    def text(self) -> str:
        return f"BT /F1 {self.size} Tf {self.x} {self.y} Td ({' '.join(self.words)}) Tj ET"

    @property
    def box(self) -> str:
        return f"{self.left} {self.bottom} {self.width} {self.height} re"

    def over(self, name: str) -> str:
        return f"q {self.width} 0 0 {self.height} {self.left} {self.bottom} cm /{name} Do Q"


def words_read(content: str, **objects: str) -> list[str]:
    document = pypdfium2.PdfDocument(drawn(f"q {content} Q {SEEN}", objects))
    try:
        words = [word.text for word in PageDecoder().read(document[0], 1).words]
    finally:
        document.close()
    assert words[:2] == ["These", "words"] or words[-2:] == ["a", "reader"]
    return [word for word in words if word in WORDS]


def masked(covers: bool) -> dict[str, str]:
    """A white picture with a soft mask that covers all or nothing."""
    mask = picture(255 if covers else 0)
    white = picture(255).replace("/Width", "/SMask 7 0 R /Width")
    return {"Picture": white, "Mask": mask}


def gradient(grey: float) -> str:
    return (
        "<< /Type /Pattern /PatternType 2 /Shading << /ShadingType 2 /ColorSpace /DeviceGray "
        f"/Coords [0 0 600 0] /Extend [true true] /Function << /FunctionType 2 /Domain [0 1] "
        f"/C0 [{grey}] /C1 [{grey + 0.02}] /N 1 >> >> >>"
    )


def picture_of(label: Label, other: Label | None = None) -> str:
    """A figure's picture that shows the words of a label, or those of another."""
    shown = other or label
    page = f"1 g {label.box} f 0 g BT /F1 {label.size} Tf {label.x} {label.y} Td "
    page += f"({' '.join(shown.words)}) Tj ET"
    document = pypdfium2.PdfDocument(drawn(page))
    bitmap = document[0].render(scale=4, grayscale=True).to_pil()
    top = 792 - label.bottom - label.height
    edges = (label.left, top, label.left + label.width, top + label.height)
    cut = bitmap.crop(tuple(4 * edge for edge in edges))
    document.close()
    data = cut.tobytes().hex() + ">"
    return (
        f"<< /Type /XObject /Subtype /Image /Width {cut.width} /Height {cut.height} "
        f"/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /ASCIIHexDecode "
        f"/Length {len(data)} >>\nstream\n{data}\nendstream"
    )


Page = Callable[[Label], tuple[str, dict[str, str]]]


def under_a_veil(label: Label) -> tuple[str, dict[str, str]]:
    return f"{label.grey} g {label.text} /G5 gs 1 g {label.box} f", {}


def under_a_clear_picture(label: Label) -> tuple[str, dict[str, str]]:
    return f"{label.grey} g {label.text} {label.over('Picture')}", masked(False)


def under_an_opaque_picture(label: Label) -> tuple[str, dict[str, str]]:
    return f"{label.grey} g {label.text} {label.over('Picture')}", masked(True)


def under_its_picture(label: Label) -> tuple[str, dict[str, str]]:
    return f"0 g {label.text} {label.over('Picture')}", {"Picture": picture_of(label)}


def invisible_over_its_picture(label: Label) -> tuple[str, dict[str, str]]:
    return f"{label.over('Picture')} 3 Tr {label.text} 0 Tr", {"Picture": picture_of(label)}


def under_other_words(label: Label) -> tuple[str, dict[str, str]]:
    other = Label(Random(label.x))
    other.words = [word for word in WORDS if word not in label.words][:3]
    return f"0 g {label.text} {label.over('Picture')}", {"Picture": picture_of(label, other)}


def on_a_box(ground: float, ink: float, label: Label) -> tuple[str, dict[str, str]]:
    return f"{ground} g {label.box} f {ink} g {label.text}", {}


def on_a_form(ground: float, ink: float, label: Label) -> tuple[str, dict[str, str]]:
    return f"/Form Do {ink} g {label.text}", {"Form": form(f"{ground} g {label.box} f")}


def on_a_picture(ground: int, ink: float, label: Label) -> tuple[str, dict[str, str]]:
    return f"{label.over('Picture')} {ink} g {label.text}", {"Picture": picture(ground)}


def under_a_thin_cover(label: Label) -> tuple[str, dict[str, str]]:
    """A white box over the line that ends above its letters: dots of a leader are below it."""
    top = label.y + label.size * 0.75
    return f"0 g {label.text} 1 g {label.left} {top} {label.width} {label.size} re f", {}


def clipping_a_box(grey: float, label: Label) -> tuple[str, dict[str, str]]:
    return f"q 7 Tr {label.text} {grey} g {label.box} f Q", {}


def clipped(corners: str, label: Label) -> tuple[str, dict[str, str]]:
    left, right = label.left, label.left + label.width
    bottom, top = label.bottom, label.bottom + label.height
    paths = {
        "around": f"{left} {bottom} m {right} {bottom} l {right + 9} {top} l {left} {top} l h",
        # Its box holds the text, its inside does not.
        "corner": f"{left} {bottom} m {right} {bottom} l {right} {bottom + 2} l "
        f"{left + 2} {bottom + 2} l {left + 2} {top} l {left} {top} l h",
    }
    return f"q {paths[corners]} W n 0 g {label.text} Q", {}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("page", "seen"),
    [
        pytest.param(under_a_veil, True, id="under a veil"),
        pytest.param(under_a_clear_picture, True, id="under a picture whose mask is clear"),
        pytest.param(under_an_opaque_picture, False, id="under a picture whose mask is opaque"),
        pytest.param(under_its_picture, True, id="under a picture of it"),
        pytest.param(invisible_over_its_picture, True, id="invisible over a picture of it"),
        pytest.param(under_other_words, False, id="under a picture of other words"),
        pytest.param(partial(on_a_box, 0.1, 1), True, id="white on a dark box"),
        pytest.param(partial(on_a_box, 0.1, 0.12), False, id="dark on a dark box"),
        pytest.param(partial(on_a_form, 0.1, 1), True, id="white on a dark form"),
        pytest.param(partial(on_a_form, 0.1, 0.12), False, id="dark on a dark form"),
        pytest.param(partial(on_a_picture, 30, 1), True, id="white on a dark picture"),
        pytest.param(partial(on_a_picture, 128, 0.5), False, id="grey on a grey picture"),
        pytest.param(under_a_thin_cover, True, id="under the edge of a box"),
        pytest.param(partial(clipping_a_box, 0.2), True, id="clip of a dark box"),
        pytest.param(partial(clipping_a_box, 1), False, id="clip of a white box"),
        pytest.param(partial(clipped, "around"), True, id="in a clip with a slope"),
        pytest.param(partial(clipped, "corner"), False, id="beside a clip within its box"),
    ],
)
def test_words_are_read_if_they_are_seen(page: Page, seen: bool, seed: int) -> None:
    label = Label(Random(seed))
    content, objects = page(label)
    assert sorted(words_read(content, **objects)) == (sorted(label.words) if seen else [])


@each("seed", SEEDS)
@each(
    ("grey", "drawn", "seen"),
    [
        (0.2, "{box} f 1.0 g {text}", True),
        (0.2, "{box} f 0.21 g {text}", False),
        (0.2, "{text}", True),
        (0.97, "{text}", False),
    ],
)
def test_text_on_a_shading_or_in_a_pattern_is_judged_by_the_colours_that_are_painted(
    grey: float, drawn: str, seen: bool, seed: int
) -> None:
    label = Label(Random(seed))
    shades = f"<< /P0 {gradient(grey)} >>"
    content = f"/Pattern cs /P0 scn {drawn.format(box=label.box, text=label.text)}"
    form_of = form(content).replace("/Font <<", f"/Pattern {shades} /Font <<", 1)
    found = words_read("/Form Do", Form=form_of)
    assert sorted(found) == (sorted(label.words) if seen else [])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("veil", ["", "/G5 gs 1 g 60 100 400 600 re f"], ids=["", "veiled"])
@pytest.mark.parametrize("ink", [0, 1])
def test_covered_words_stay_hidden_under_words_on_the_cover(
    ink: float, veil: str, seed: int
) -> None:
    label, other = Label(Random(seed)), Label(Random(seed))
    other.words = [word for word in WORDS if word not in label.words][:3]
    content = f"0 g {label.text} {label.over('Picture')} {ink} g {other.text} {veil}"
    found = words_read(content, Picture=picture(140))
    assert not set(label.words) & set(found)
