"""OpenDocument text: scripts by their styles, formulas, glosses."""

import io
import zipfile

from lxml import etree
from support.cases import each
from support.files.one_paper import archive

from citeloom.infrastructure.ingest.conversion.formats.odt_text import seen_text

NAMES = {
    name: f"urn:oasis:names:tc:opendocument:xmlns:{uri}:1.0"
    for name, uri in (("o", "office"), ("t", "text"), ("s", "style"), ("d", "drawing"))
}
SPACES = " ".join(f'xmlns:{name}="{uri}"' for name, uri in NAMES.items())
MATHML = "<math xmlns='http://www.w3.org/1998/Math/MathML'><mi>a</mi><mo>=</mo><mn>1</mn></math>"


def style(name: str, position: str, parent: str = "") -> str:
    outer = f' s:parent-style-name="{parent}"' if parent else ""
    look = f'<s:text-properties s:text-position="{position}"/>' if position else ""
    return f'<s:style s:name="{name}" s:family="text"{outer}>{look}</s:style>'


def line_of(markup: str, styles: str = "", **parts: str) -> str:
    """The text of a paragraph with this content; ``styles`` are those of another file."""
    automatic = style("Up", "super 58%") + style("Down", "sub 58%") + style("Own", "", "Far")
    raw = archive(
        {
            "content.xml": f"<o:body {SPACES}>{automatic}<t:p>{markup}</t:p></o:body>",
            "styles.xml": f"<o:styles {SPACES}>{styles}</o:styles>",
            **{name.replace("__", "/") + ".xml": content for name, content in parts.items()},
        }
    )
    with zipfile.ZipFile(io.BytesIO(seen_text(raw))) as written:
        root = etree.fromstring(written.read("content.xml"))
    return "".join(root.find("t:p", NAMES).itertext())


def span(name: str, words: str) -> str:
    return f'<t:span t:style-name="{name}">{words}</t:span>'


@each(
    ("position", "text"),
    [("super 58%", "10⁶"), ("33% 58%", "10⁶"), ("sub 58%", "10₆"), ("-33%", "10₆"), ("0%", "106")],
)
def test_scripts_by_the_position_of_their_style(position: str, text: str) -> None:
    assert line_of("10" + span("Own", "6"), style("Far", position)) == text
    assert line_of("10" + span("Far", "6"), style("Far", position)) == text


def test_scripts_know_what_stands_before_them() -> None:
    assert line_of("x" + span("Down", "i") + span("Up", "2") + " end") == "x_i² end"
    assert line_of("in 1998" + span("Up", "3")) == "in 1998 ³"


def test_styles_that_are_based_on_each_other_end() -> None:
    circle = style("Far", "", "Other") + style("Other", "", "Far")
    assert line_of("10" + span("Own", "6"), circle) == "106"


def test_formulas_stand_in_their_line_within_the_text_or_in_an_object() -> None:
    within = f"<d:frame><d:object>{MATHML}</d:object></d:frame>"
    assert line_of(f"So {within} is.") == "So a = 1 is."
    href = 'xmlns:x="http://www.w3.org/1999/xlink" x:href="./Object 1"'
    linked = f"<d:frame><d:object {href}/><d:image/></d:frame>"
    with_object = {"Object 1__content": MATHML}
    assert line_of(f"So {linked} is.", **with_object) == "So a = 1 is."


def test_the_base_of_a_gloss_stays_in_its_line() -> None:
    gloss = "<t:ruby><t:ruby-base>東</t:ruby-base><t:ruby-text>とう</t:ruby-text></t:ruby>"
    assert line_of(f"{gloss}京") == "東京"
