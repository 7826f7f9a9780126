"""Word: runs that a reader does not see go, what she sees stays."""

import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from docx import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt, RGBColor
from support.cases import each

from citeloom.infrastructure.ingest.conversion.hidden.hidden_runs import without_hidden_runs
from citeloom.infrastructure.ingest.conversion.hidden.style_rules import Unseen

Change = Callable[[Any], None]
WHITE = RGBColor(255, 255, 255)


def written(document: Any) -> bytes:
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def text_of(raw: bytes) -> str:
    return "\n".join(paragraph.text for paragraph in Document(io.BytesIO(raw)).paragraphs)


def add(run: Any, name: str, **values: str) -> None:
    element = OxmlElement(f"w:{name}")
    for key, value in values.items():
        element.set(qn(f"w:{key}"), value)
    run._r.get_or_add_rPr().append(element)


def vanish(run: Any) -> None:
    run.font.hidden = True


def web_hidden(run: Any) -> None:
    add(run, "webHidden")


def white(run: Any) -> None:
    run.font.color.rgb = WHITE


def tiny(run: Any) -> None:
    run.font.size = Pt(2)


def white_on_blue(run: Any) -> None:
    white(run)
    add(run, "shd", val="clear", fill="0000AA")


def white_marked(run: Any) -> None:
    white(run)
    add(run, "highlight", val="black")


def white_on_white(run: Any) -> None:
    white(run)
    add(run, "shd", val="clear", fill="FFFFFF")


def shown_again(run: Any) -> None:
    add(run, "vanish", val="0")


def grey(run: Any) -> None:
    run.font.color.rgb = RGBColor(128, 128, 128)


def small(run: Any) -> None:
    run.font.size = Pt(6)


@each(
    ("change", "reason"),
    [
        (vanish, Unseen.NOT_DISPLAYED),
        (web_hidden, Unseen.NOT_DISPLAYED),
        (white, Unseen.NO_CONTRAST),
        (white_on_white, Unseen.NO_CONTRAST),
        (tiny, Unseen.TOO_SMALL),
        (white_on_blue, None),
        (white_marked, None),
        (shown_again, None),
        (grey, None),
        (small, None),
    ],
)
def test_a_run_by_its_properties(change: Change, reason: Unseen | None) -> None:
    document = Document()
    paragraph = document.add_paragraph("Seen before ")
    change(paragraph.add_run("Secret words"))
    paragraph.add_run(" and after.")
    raw = written(document)
    seen, counts = without_hidden_runs(raw)
    assert counts == ({} if reason is None else {reason: 2})
    assert ("Secret" in text_of(seen)) == (reason is None)
    assert text_of(seen).startswith("Seen before ")
    assert text_of(seen).endswith(" and after.")
    assert (seen == raw) == (reason is None)


@pytest.mark.parametrize("kind", ["paragraph", "character"])
def test_a_run_by_its_style_and_those_that_it_is_based_on(kind: str) -> None:
    from docx.enum.style import WD_STYLE_TYPE

    document = Document()
    of = WD_STYLE_TYPE.PARAGRAPH if kind == "paragraph" else WD_STYLE_TYPE.CHARACTER
    base = document.styles.add_style("Base", of)
    base.font.color.rgb = WHITE
    derived = document.styles.add_style("Derived", of)
    derived.base_style = base
    if kind == "paragraph":
        paragraph = document.add_paragraph("Secret", style=derived)
    else:
        paragraph = document.add_paragraph()
        paragraph.add_run("Secret", style=derived)
    white_on_blue(paragraph.add_run("Seen"))
    seen, counts = without_hidden_runs(written(document))
    assert counts == {Unseen.NO_CONTRAST: 1}
    assert text_of(seen) == "Seen"


def test_white_text_in_tables_and_over_what_lies_behind_stays() -> None:
    document = Document()
    cell = document.add_table(rows=1, cols=1, style="Light Grid Accent 1").rows[0].cells[0]
    white(cell.paragraphs[0].add_run("Head of a column"))
    vanish(cell.paragraphs[0].add_run("Secret"))
    _, counts = without_hidden_runs(written(document))
    assert counts == {Unseen.NOT_DISPLAYED: 1}

    document = Document()
    ground = OxmlElement("w:background")
    ground.set(qn("w:color"), "000000")
    document.element.insert(0, ground)
    white(document.add_paragraph().add_run("Text of a dark page"))
    assert not without_hidden_runs(written(document))[1]


def test_other_parts_of_the_file_stay_as_they_are() -> None:
    document = Document()
    vanish(document.add_paragraph("Seen ").add_run("Secret"))
    raw = written(document)
    seen, _ = without_hidden_runs(raw)
    with zipfile.ZipFile(io.BytesIO(raw)) as before, zipfile.ZipFile(io.BytesIO(seen)) as after:
        assert before.namelist() == after.namelist()
        changed = [one for one in before.namelist() if before.read(one) != after.read(one)]
    assert changed == ["word/document.xml"]
