"""Cutters by modality; see the port ``Cutter``. Libraries are imported on first use."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from citeloom.application.ports.maps import CutRequest, Cutter
from citeloom.domain.errors import InvalidRequest, ProgramUnavailable
from citeloom.domain.maps.evidence import existing_pages
from citeloom.domain.maps.resource_map import ResourceType
from citeloom.domain.messages import Action, NextStep
from citeloom.infrastructure.plugins import install_line, plugins

from .text_cut import write_lines

_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,10}")


class DocumentCutter:
    """Pages of PDFs as PDF. Slides and sheets, which cannot be copied, as the text that was
    read on them, page by page."""

    version = "pages-1"

    def suffix(self, _source: Path, cut: CutRequest) -> str:
        return ".txt" if cut.texts else ".pdf"

    def write(
        self, source: Path, cut: CutRequest, password: str | None, target: Path
    ) -> Sequence[str]:
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


class WordsCutter:
    """Sections of documents without pages: their words as they are stored, with the heading."""

    version = "words-1"

    def suffix(self, _source: Path, _cut: CutRequest) -> str:
        return ".txt"

    def write(
        self, source: Path, cut: CutRequest, _password: str | None, target: Path
    ) -> Sequence[str]:
        if cut.text is None:
            raise InvalidRequest(
                f"{source.name}: no words to cut out there", NextStep(Action.LOCATE_ONLY)
            )
        target.write_bytes(f"{cut.text.rstrip()}\n".encode())
        return []


class TextCutter:
    """Lines of text files, byte for byte."""

    version = "lines-1"

    def suffix(self, source: Path, _cut: CutRequest) -> str:
        return source.suffix if _SUFFIX.fullmatch(source.suffix) else ".txt"

    def write(
        self, source: Path, cut: CutRequest, _password: str | None, target: Path
    ) -> Sequence[str]:
        return write_lines(source, cut.location, target)


class ImageCutter:
    """Boxes of pictures as PNG."""

    version = "box-1"

    def suffix(self, _source: Path, _cut: CutRequest) -> str:
        return ".png"

    def write(
        self, source: Path, cut: CutRequest, _password: str | None, target: Path
    ) -> Sequence[str]:
        from .image_cut import write_crop

        return write_crop(source, cut.location, target)


class AbsentCutter:
    """For a modality that no package cuts. Every cut raises ProgramUnavailable."""

    version = "absent"

    def suffix(self, source: Path, _cut: CutRequest) -> str:
        raise ProgramUnavailable(
            f"{source.name}: recordings are cut by a package that is not installed; "
            f"run `{install_line('maps')}`",
            NextStep(Action.LOCATE_ONLY),
        )

    def write(
        self, source: Path, cut: CutRequest, _password: str | None, _target: Path
    ) -> Sequence[str]:
        self.suffix(source, cut)
        return ()


def cutters() -> Mapping[ResourceType, Cutter]:
    """By modality, those of plugins too. Of virtual places only words are cut out."""
    absent = AbsentCutter()
    own: dict[ResourceType, Cutter] = {
        "document": DocumentCutter(),
        "text": TextCutter(),
        "image": ImageCutter(),
        "audio": absent,
        "video": absent,
        "virtual": WordsCutter(),
    }
    for plugin in plugins():
        own |= plugin.cutters()
    return own
