"""Cutters by modality; see the port ``Cutter``. Libraries are imported on first use."""

import codecs
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from citeloom.application.ports.maps import CutRequest, Cutter
from citeloom.domain.errors import ConversionFailed, InvalidRequest, ProgramUnavailable
from citeloom.domain.maps.evidence import existing_pages
from citeloom.domain.maps.resource_map import Location, ResourceType
from citeloom.domain.messages import Action, NextStep
from citeloom.infrastructure.plugins import install_line, plugins
from citeloom.infrastructure.system.files import ordinary_file

#: A larger file is not text that a person reads by its lines.
MAX_BYTES = 256 * 1024 * 1024
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
# Of the encodings whose line ends are not the bytes CR and LF; the longer marks go first.
_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def write_lines(source: Path, location: Location, target: Path) -> Sequence[str]:
    """Lines from 1, both ends inclusive, with their own ends (LF, CRLF or CR); the last line
    may lack one. A range that goes beyond the last line ends there, with a warning."""
    if location.lines is None:
        raise InvalidRequest(
            f"{source.name}: no line numbers; name the lines, as in #lines=5-25",
            parameter="lines",
        )
    if source.stat().st_size > MAX_BYTES:
        raise InvalidRequest(f"{source.name}: over {MAX_BYTES:,} bytes are not cut by lines")
    start, end = location.lines
    with ordinary_file(source) as file:
        content = file.read()
    mark, encoding = next(
        ((mark, name) for mark, name in _WIDE if content.startswith(mark)), (b"", "")
    )
    if mark:
        content = _narrow(source.name, content[len(mark) :], encoding)
    lines = _LINE.findall(content)
    if start > len(lines):
        raise InvalidRequest(
            f"Start line {start} is beyond file length {len(lines)}.", parameter="lines"
        )
    slice_ = b"".join(lines[start - 1 : end])
    target.write_bytes(mark + slice_.decode().encode(encoding) if mark else slice_)
    if end > len(lines):
        return [f"{source.name}: has {len(lines)} lines; cut from {start} to {len(lines)}"]
    return []


def _narrow(name: str, content: bytes, encoding: str) -> bytes:
    try:
        return content.decode(encoding).encode()
    except UnicodeError as error:
        raise ConversionFailed(
            f"{name}: not the {encoding.upper()} that it begins as; save it as UTF-8"
        ) from error


_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,10}")


def _suffix_of_text(source: Path, _cut: CutRequest) -> str:
    return source.suffix if _SUFFIX.fullmatch(source.suffix) else ".txt"


def _write_document(
    source: Path, cut: CutRequest, password: str | None, target: Path
) -> Sequence[str]:
    """Pages of PDFs as PDF. Slides and sheets, which cannot be copied, as the text that was
    read on them, page by page."""
    if cut.open_at is not None:
        from .pdf_cut import write_marked_copy

        return write_marked_copy(source, cut, cut.open_at, password, target)
    if not cut.texts:
        from .pdf_cut import write_pages

        return write_pages(source, cut, password, target)
    text_by_page = {text.page: text.text for text in cut.texts}
    pages, warnings = existing_pages(cut.location, max(text_by_page), source.name)
    body = "\n\n".join(f"[{page}]\n{text_by_page.get(page, '')}".rstrip() for page in pages)
    target.write_bytes(f"{body}\n".encode())
    return [*warnings, f"{source.name}: no PDF; the text of its pages was cut out"]


def _write_words(
    source: Path, cut: CutRequest, _password: str | None, target: Path
) -> Sequence[str]:
    """Sections of documents without pages: their words as they are stored, with the heading."""
    if cut.text is None:
        raise InvalidRequest(
            f"{source.name}: no words to cut out there", NextStep(Action.LOCATE_ONLY)
        )
    target.write_bytes(f"{cut.text.rstrip()}\n".encode())
    return []


def _write_box(source: Path, cut: CutRequest, _password: str | None, target: Path) -> Sequence[str]:
    """Boxes of pictures as PNG."""
    from .image_cut import write_crop

    return write_crop(source, cut.location, target)


def _absent(source: Path, *_: object) -> NoReturn:
    """For a modality that no package cuts."""
    raise ProgramUnavailable(
        f"{source.name}: recordings are cut by a package that is not installed; "
        f"run `{install_line('maps')}`",
        NextStep(Action.LOCATE_ONLY),
    )


def cutters() -> Mapping[ResourceType, Cutter]:
    """By modality, those of plugins too. Of virtual places only words are cut out."""
    absent = Cutter("absent", _absent, _absent)
    own: dict[ResourceType, Cutter] = {
        "document": Cutter(
            "pages-1", lambda _, cut: ".txt" if cut.texts else ".pdf", _write_document
        ),
        "text": Cutter(
            "lines-1",
            _suffix_of_text,
            lambda source, cut, _, target: write_lines(source, cut.location, target),
        ),
        "image": Cutter("box-1", lambda *_: ".png", _write_box),
        "audio": absent,
        "video": absent,
        "virtual": Cutter("words-1", lambda *_: ".txt", _write_words),
    }
    for plugin in plugins():
        own |= plugin.cutters()
    return own
