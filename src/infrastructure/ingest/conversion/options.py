"""Conversion options: the settings that are sent to the workers."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from citeloom.domain.value import Value

PdfEngine = Literal["native", "docling-standard"]
OcrEngine = Literal["auto", "tesseract", "rapidocr", "none"]


class Options(Value):
    """``languages`` as tesseract names them, joined by ``+``; seconds are for one page;
    ``memory_mb`` is what a process may have."""

    pdf: PdfEngine = "native"
    artifacts_path: Path | None = None
    ocr: OcrEngine = "auto"
    languages: str = Field(default="eng", pattern=r"^[A-Za-z_]+(\+[A-Za-z_]+)*$")
    ocr_page_seconds: float = Field(default=60.0, gt=0)
    memory_mb: int = Field(default=2048, ge=1)
