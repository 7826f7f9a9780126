"""Pages that an engine reads become pages like all others; what it cannot read is named."""

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from support.cases import each
from support.pdf.scanned_pdf import Dictated, scan
from support.pdf.written_pdf import Text, paragraph, write_pdf

from citeloom.domain.documents.conversion import ConversionResult
from citeloom.infrastructure.ingest.conversion.pdf import native
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf
from citeloom.infrastructure.ingest.conversion.pdf.ocr import engine_choice, tesseract
from citeloom.infrastructure.ingest.conversion.pdf.ocr.engine_choice import Choice
from citeloom.infrastructure.ingest.conversion.pdf.ocr.ocr_words import words_of
from citeloom.infrastructure.ingest.conversion.pdf.ocr.page_reader import OcrFailed, ReadWord
from citeloom.infrastructure.ingest.conversion.pdf.ocr.rapidocr import tightened
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord, unrotated
from citeloom.infrastructure.ingest.conversion.protocol import Options, PageProgress, Phase

needs_tesseract = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="the tesseract program is not installed"
)
linux_only = pytest.mark.skipif(
    sys.platform != "linux", reason="the processor time of a program is known on Linux only"
)
NOTHING = Choice(None, tesseract.INSTALL)
WORDS = "weavers keep their shuttles in a drawer under the loom".split()
PAGES = [
    [
        Text(72, 720, "1 Introduction", 16, True),
        *paragraph(25, 690),
        Text(300, 40, "127", 10),
    ],
    [*paragraph(12, 720, seed=1), Text(72, 550, "2 Method", 16, True), *paragraph(20, 520, seed=2)],
]
FEW_LINES = [
    [Text(72, 720, "1 Introduction", 16, True), *paragraph(7, 690), Text(300, 40, "127", 10)],
    [*paragraph(4, 720, seed=1), Text(72, 620, "2 Method", 16, True), *paragraph(6, 590, seed=2)],
]


@pytest.fixture
def born_digital(tmp_path: Path) -> Path:
    return write_pdf(tmp_path / "paper.pdf", PAGES)


def read_by(
    monkeypatch: pytest.MonkeyPatch, path: Path, choice: Choice, **more: object
) -> ConversionResult:
    monkeypatch.setattr(native, "choose_engine", lambda options: choice)
    return convert_pdf(path, "id", **more)  # type: ignore[arg-type]


def test_scanned_pages_are_read_into_lines_with_boxes_in_points(
    monkeypatch: pytest.MonkeyPatch, born_digital: Path, tmp_path: Path
) -> None:
    engine = Dictated([" ".join(WORDS)] * 4)
    path = scan(born_digital, tmp_path / "scan.pdf", dpi=72)
    result = read_by(monkeypatch, path, engine.choice())
    assert result.ocr_pages == (1, 2)
    assert result.missing_pages == ()
    assert result.converter == "ocr=dictation-1"
    assert "pages 1-2 read by OCR (dictation 1.0), mean confidence 90 %" in result.warnings
    assert result.plain_text.startswith(" ".join(WORDS))
    line = result.blocks[0].lines[0]
    assert line.page == 1
    assert line.bbox[0] == pytest.approx(72, abs=0.5)
    assert line.bbox[1] < 104 < line.bbox[3]


def test_without_an_engine_the_pages_are_named_and_how_to_get_them(
    monkeypatch: pytest.MonkeyPatch, born_digital: Path, tmp_path: Path
) -> None:
    result = read_by(monkeypatch, scan(born_digital, tmp_path / "scan.pdf", dpi=72), NOTHING)
    assert result.missing_pages == (1, 2)
    assert result.converter == "ocr=none"
    assert result.warnings == (
        "pages 1-2 have no text (scanned?); install tesseract (Debian and Ubuntu: apt install "
        "tesseract-ocr) and ingest again to read them",
    )


def test_documents_with_text_do_not_ask_for_an_engine(
    monkeypatch: pytest.MonkeyPatch, born_digital: Path
) -> None:
    def asked(options: Options) -> Choice:
        raise AssertionError("no engine is needed")

    monkeypatch.setattr(native, "choose_engine", asked)
    result = convert_pdf(born_digital, "id")
    assert result.converter == ""
    assert result.ocr_pages == result.missing_pages == ()


def test_a_page_that_fails_costs_that_page_and_says_why(
    monkeypatch: pytest.MonkeyPatch, born_digital: Path, tmp_path: Path
) -> None:
    engine = Dictated(failure="gave up after 60 s; raise ocr.page_seconds")
    path = scan(born_digital, tmp_path / "scan.pdf", dpi=72)
    result = read_by(monkeypatch, path, engine.choice())
    assert result.missing_pages == (1, 2)
    assert result.warnings == (
        "pages 1-2 could not be read by OCR: gave up after 60 s; raise ocr.page_seconds",
    )


def test_unsure_readings_are_marked(
    monkeypatch: pytest.MonkeyPatch, born_digital: Path, tmp_path: Path
) -> None:
    engine = Dictated([" ".join(WORDS)] * 4, confidence=71)
    path = scan(born_digital, tmp_path / "scan.pdf", dpi=72)
    warnings = read_by(monkeypatch, path, engine.choice()).warnings
    assert any("check quotes against the page" in warning for warning in warnings)


def test_what_an_engine_sees_in_drawings_is_left_out(
    monkeypatch: pytest.MonkeyPatch, born_digital: Path, tmp_path: Path
) -> None:
    engine = Dictated([" ".join(WORDS)] * 4, confidence=12)
    path = scan(born_digital, tmp_path / "scan.pdf", dpi=72)
    result = read_by(monkeypatch, path, engine.choice())
    assert result.plain_text == ""
    assert result.warnings == ("pages 1-2: OCR found no text in what is drawn there",)


def test_text_that_is_partly_readable_is_kept_where_ocr_is_worse(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shifted = [
        line._replace(text="".join("(cid:7)" if c in "aeiou" else c for c in line.text))
        for line in paragraph(9, 700)
    ]
    escaped = [t._replace(text=t.text.replace("(", r"\(").replace(")", r"\)")) for t in shifted]
    path = write_pdf(tmp_path / "mojibake.pdf", [escaped])
    engine = Dictated(["nonsense in the wrong language"], confidence=40)
    result = read_by(monkeypatch, path, engine.choice())
    assert result.missing_pages == (1,)
    assert "ocr.languages" in result.warnings[0]
    assert "nonsense" not in result.plain_text
    good = Dictated([" ".join(WORDS)] * 4)
    assert read_by(monkeypatch, path, good.choice()).plain_text.startswith("weavers keep")


def test_progress_tells_the_pages_that_are_read(
    monkeypatch: pytest.MonkeyPatch, born_digital: Path, tmp_path: Path
) -> None:
    heard: list[PageProgress] = []
    path = scan(born_digital, tmp_path / "scan.pdf", dpi=72)
    read_by(monkeypatch, path, Dictated([" ".join(WORDS)]).choice(), report=heard.append)
    assert [(r.phase, r.done, r.total) for r in heard] == [
        (Phase.PAGES, 0, 2),
        (Phase.PAGES, 1, 2),
        (Phase.PAGES, 2, 2),
        (Phase.OCR, 1, 2),
        (Phase.OCR, 2, 2),
        (Phase.LAYOUT, 0, 2),
    ]


def test_lines_have_the_height_of_their_type_not_of_their_letters() -> None:
    from PIL import Image

    reading = Dictated(["can see now", "Taking halls up"]).read(Image.new("L", (1, 1)), 72)
    words = words_of(reading, Image.new("L", (600, 800), 255), 72)
    for row in ("can see now".split(), "Taking halls up".split()):
        boxes = {(w.top, w.bottom) for w in words if w.text in row}
        assert len(boxes) == 1


@each("turn", [0, 90, 180, 270])
def test_boxes_of_turned_pages_come_back_as_displayed(turn: int) -> None:
    from PIL import Image

    from citeloom.infrastructure.ingest.conversion.pdf.ocr.page_reader import uprighted

    page = Image.new("L", (200, 300), 255)
    page.paste(0, (20, 40, 60, 50))
    upright = uprighted(page, turn)
    box = upright.point(lambda v: 255 - v).getbbox()
    assert box is not None
    assert unrotated(box, turn, 200, 300) == (20, 40, 60, 50)
    assert PageRecord(1, 200, 300, rotation=turn).frame == upright.size


def test_missing_language_data_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    there = tesseract.Installed("/usr/bin/tesseract", "5.3.0", frozenset({"eng", "osd"}))
    monkeypatch.setattr(tesseract, "installed", lambda: there)
    some = engine_choice.choose_engine(Options(languages="eng+chi_sim"))
    assert some.fingerprint == "tesseract-5:eng"
    assert some.problem
    assert "tesseract-ocr-chi-sim" in some.problem
    none = engine_choice.choose_engine(Options(languages="deu", ocr="tesseract"))
    assert none.reader is None
    assert "tesseract-ocr-deu" in none.remedy


def test_auto_takes_rapidocr_where_there_is_no_tesseract(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tesseract, "installed", lambda: None)
    monkeypatch.setattr(engine_choice.rapid, "is_installed", lambda: True)
    assert engine_choice.choose_engine(Options()).fingerprint.startswith("rapidocr")
    monkeypatch.setattr(engine_choice.rapid, "is_installed", lambda: False)
    assert engine_choice.choose_engine(Options()) == Choice(None, tesseract.INSTALL)
    assert (
        engine_choice.choose_engine(Options(ocr="rapidocr")).remedy == 'pip install "citeloom[ocr]"'
    )
    assert engine_choice.choose_engine(Options(ocr="none")).reader is None


@needs_tesseract
def test_tesseract_reads_a_scan_however_it_lies(tmp_path: Path) -> None:
    paper = write_pdf(tmp_path / "paper.pdf", FEW_LINES)  # the time goes by the words
    result = convert_pdf(scan(paper, tmp_path / "scan.pdf", turned=(90, 180)), "id")
    assert result.ocr_pages == (1, 2)
    headings = [(h.title, h.page) for h in result.structure.headings()]
    assert headings == [("1 Introduction", 1), ("2 Method", 2)]
    assert [f.text for f in result.furniture] == ["127"]
    assert "the quick brown fox jumps over a lazy dog" in result.plain_text
    for block in result.blocks:
        for line in block.lines:
            entry = result.structure.page_map[line.page - 1]
            assert 0 <= line.bbox[0] < line.bbox[2] <= entry.width
            assert 0 <= line.bbox[1] < line.bbox[3] <= entry.height


@needs_tesseract
def test_tesseract_gives_up_in_time(born_digital: Path, tmp_path: Path) -> None:
    path = scan(born_digital, tmp_path / "scan.pdf")
    result = convert_pdf(path, "id", None, Options(ocr_page_seconds=0.01))
    assert result.missing_pages == (1, 2)
    assert "gave up after 0.01 s; raise ocr.page_seconds" in result.warnings[0]


TABLE = "level\tblock_num\tpar_num\tline_num\tleft\ttop\twidth\theight\tconf\ttext\n"
BADLY_READ = TABLE + "5\t1\t1\t1\t9\t9\t40\t10\t40\tshuttle\n"


def tesseract_that(path: Path, looks: str, seconds: float) -> tesseract.Tesseract:
    """A program that prints a word of which it is unsure, and runs ``looks`` when it is asked for
    the orientation."""
    program = path / "tesseract"
    commands = f'case "$*" in *"psm 0"*) {looks};; *) sleep 0.4; cat "{path}/table";; esac'
    (path / "table").write_text(BADLY_READ)
    program.write_text(f"#!/bin/sh\ncat > /dev/null\n{commands}\n")
    program.chmod(0o755)
    found = tesseract.Installed(str(program), "5.3.0", frozenset({"eng", "osd"}))
    return tesseract.Tesseract(found, ("eng",), seconds)


@linux_only
def test_a_busy_machine_costs_no_page(tmp_path: Path) -> None:
    """A program that waits four times as long as it may compute is read to its end."""
    reader = tesseract_that(tmp_path, "exit 1", seconds=0.1)
    reading = reader.read(Image.new("L", (60, 30), 255), 300)
    assert ([word.text for word in reading.words], reading.rotation) == (["shuttle"], 0)


@linux_only
@each(
    "looks, hung, why",
    [
        ("while :; do :; done", 60.0, "gave up after 0.1 s; raise ocr.page_seconds"),
        ("exec sleep 60", 0.1, "tesseract did nothing for 0.1 s"),
        ("kill -9 $$", 60.0, "exit status -9"),
    ],
)
def test_an_orientation_that_is_not_found_in_time_is_not_taken_for_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looks: str, hung: float, why: str
) -> None:
    reader = tesseract_that(tmp_path, looks, seconds=0.1)
    monkeypatch.setattr(tesseract, "_HUNG", hung)
    with pytest.raises(OcrFailed) as failed:
        reader._orientation(Image.new("L", (60, 30), 255), 300)
    assert str(failed.value) == why


def test_a_word_that_rapidocr_boxed_too_high_is_as_high_as_its_letters() -> None:
    ink = np.zeros((60, 100), dtype=np.bool_)
    ink[2:4, 40:44] = True  # what hangs down from the line above
    ink[20:22, 12:14] = True  # the dot of an i
    ink[24:40, 10:50] = True
    word = ReadWord("it", 8.0, 0.0, 60.0, 50.0, 99.0, (0,))
    assert tightened(word, ink)[2:5:2] == (20.0, 40.0)
