"""The engines behind OCR, as far as they can be tested without what they drive."""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from PIL import Image

from citeloom.infrastructure.ingest.conversion.pdf.ocr.page_reader import OcrFailed
from citeloom.infrastructure.ingest.conversion.pdf.ocr.rapidocr import RapidOcr

PAGE = Image.new("L", (600, 800), 255)
LINE = (
    ("On", 0.98, [[72, 100], [90, 100], [90, 112], [72, 112]]),
    ("weaving", 0.9, [[94, 101], [140, 101], [140, 113], [94, 113]]),
    (" ", 0.5, None),
)


def rapidocr(monkeypatch: pytest.MonkeyPatch, answer: Any) -> list[dict[str, Any]]:
    """A module in place of RapidOCR's; returns what its engine was asked."""
    asked: list[dict[str, Any]] = []

    class Engine:
        def __init__(self, params: dict[str, Any]) -> None:
            asked.append(params)

        def __call__(self, image: Any, **how: Any) -> Any:
            asked.append({"shape": image.shape, **how})
            if isinstance(answer, Exception):
                raise answer
            return SimpleNamespace(word_results=answer)

    module = ModuleType("rapidocr")
    module.RapidOCR = Engine  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "rapidocr", module)
    return asked


def test_rapidocr_gives_words_with_boxes_and_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = rapidocr(monkeypatch, (LINE, LINE[1:]))
    engine = RapidOcr()
    reading = engine.read(PAGE, 300)
    assert [(w.text, w.line, w.confidence) for w in reading.words] == [
        ("On", (0,), 98),
        ("weaving", (0,), 90),
        ("weaving", (1,), 90),
    ]
    assert reading.words[0][1:5] == (72, 100, 90, 112)
    engine.read(PAGE, 300)
    assert len(asked) == 3, "the engine is loaded once"
    assert asked[1] == {"shape": (800, 600, 3), "return_word_box": True}


@pytest.mark.parametrize("answer", [None, (), (("", 1.0, None),)])
def test_rapidocr_on_a_page_without_text_finds_nothing(
    monkeypatch: pytest.MonkeyPatch, answer: Any
) -> None:
    rapidocr(monkeypatch, answer if not answer else (answer,))
    assert RapidOcr().read(PAGE, 300).words == ()


def test_what_rapidocr_raises_is_a_failure_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    rapidocr(monkeypatch, ValueError("bad shape"))
    with pytest.raises(OcrFailed, match="ValueError: bad shape"):
        RapidOcr().read(PAGE, 300)
