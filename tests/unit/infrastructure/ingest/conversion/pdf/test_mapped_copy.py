"""The copy with character maps that pdfium reads: it goes with the document, and a full disk is
told."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest
from pikepdf import Pdf
from support.pdf.coded_text import ROMAN, bitmap_font, page_of, saved

from citeloom.domain.errors import ConversionFailed
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf
from citeloom.infrastructure.ingest.conversion.pdf.fonts import character_maps


@pytest.fixture
def coded(tmp_path: Path) -> Path:
    path = tmp_path / "coded.pdf"
    with Pdf.new() as pdf:
        page_of(pdf, bitmap_font(pdf, ROMAN, {code: f"a{code}" for code in ROMAN}), b"e\x0bect")
        path.write_bytes(saved(pdf))
    return path


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    made: list[Any] = []

    def temporary(**options: Any) -> Any:
        made.append(TemporaryFile(**options))  # noqa: SIM115
        return made[-1]

    monkeypatch.setattr(character_maps.tempfile, "TemporaryFile", temporary)
    yield made
    for file in made:
        file.close()


def test_the_copy_is_closed_with_the_document(coded: Path, copies: list[Any]) -> None:
    assert convert_pdf(coded, "0" * 64).plain_text == "effect"
    assert [file.closed for file in copies] == [True]


def test_a_full_disk_is_named(coded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: Any) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(character_maps.tempfile, "TemporaryFile", full)
    with pytest.raises(ConversionFailed, match=r"coded\.pdf: .*No space left.* free some space"):
        convert_pdf(coded, "0" * 64)
