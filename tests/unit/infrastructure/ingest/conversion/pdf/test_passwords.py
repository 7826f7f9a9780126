"""A PDF that wants a password is not called damaged."""

from io import BytesIO

import pikepdf
import pypdfium2
import pytest

from citeloom.domain.errors import ConversionFailed, PasswordNeeded
from citeloom.infrastructure.ingest.conversion.pdf import pdfium


@pytest.fixture
def no_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """pdfium fails without a reason, as it does with some encrypted files."""

    def refuse(*_: object, **__: object) -> None:
        raise pypdfium2.PdfiumError("Failed to load document (PDFium: Success).")

    monkeypatch.setattr(pdfium.pypdfium2, "PdfDocument", refuse)


def content(encryption: pikepdf.Encryption | bool) -> bytes:
    made = BytesIO()
    with pikepdf.new() as document:
        document.add_blank_page()
        document.save(made, encryption=encryption)
    return made.getvalue()


@pytest.mark.usefixtures("no_reason")
@pytest.mark.parametrize(
    ("given", "told"), [(None, "password needed"), ("x", "the password is wrong")]
)
def test_a_password_is_asked_for_although_pdfium_names_no_reason(
    given: str | None, told: str
) -> None:
    locked = content(pikepdf.Encryption(user="open", owner="own"))
    with pytest.raises(PasswordNeeded, match=told):
        pdfium.read_file_facts("a.pdf", locked, given)


@pytest.mark.usefixtures("no_reason")
def test_a_damaged_file_asks_for_none() -> None:
    with pytest.raises(ConversionFailed, match="damaged"):
        pdfium.read_file_facts("a.pdf", content(False), None)
