"""The paper of ``one_paper`` as a printed page: lines set with the widths of Helvetica."""

import io
from collections.abc import Iterator
from typing import NamedTuple

from pikepdf import Array, Dictionary, Name, Object, Pdf
from support.files.one_paper import Block, Paper, Run

from citeloom.infrastructure.ingest.conversion.pdf.fonts.data.font_files import character_metrics

_WIDTHS = {chr(m.code): m.width for m in character_metrics("Helvetica") if m.code > 0}
# Characters of the font Symbol, by its codes: Helvetica has none of them.
_SYMBOLS = {"α": 0x61, "≤": 0xA3, "−": 0x2D}
_LEFT, _RIGHT, _TOP, _SIZE, _LEADING = 72.0, 540.0, 720.0, 10.0, 13.0
_RISE = {"sup": 0.38, "sub": -0.16}


class _Piece(NamedTuple):
    """A word, or a part of one, as it is set; ``rise`` in points."""

    text: str
    size: float
    rise: float
    font: str

    @property
    def width(self) -> float:
        return sum(_WIDTHS.get(char, 556) for char in self.text) / 1000 * self.size


class _Setter:
    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._content: list[str] = []
        self._y = _TOP

    def font(self, pdf: Pdf, base: str) -> Object:
        codes = range(33, 33 + len(self._codes))
        # The fonts that stand in for Helvetica have no ź, and what shows nothing is hidden text.
        shown = ("zcaron" if char == "ź" else f"uni{ord(char):04X}" for char in self._codes)
        names: list[object] = [33, *(Name(f"/{name}") for name in shown)]
        rows = "".join(f"<{code:02x}> <{ord(c):04x}>\n" for c, code in self._codes.items())
        cmap = (
            "begincmap\n1 begincodespacerange\n<00> <ff>\nendcodespacerange\n"
            f"{len(self._codes)} beginbfchar\n{rows}endbfchar\nendcmap\n"
        )
        return Dictionary(
            Type=Name.Font, Subtype=Name.Type1, BaseFont=Name(f"/{base}"), FirstChar=codes[0],
            LastChar=codes[-1], Widths=Array([_WIDTHS.get(char, 556) for char in self._codes]),
            Encoding=Dictionary(Type=Name.Encoding, Differences=Array(names)),
            ToUnicode=pdf.make_stream(cmap.encode()),
        )  # fmt: skip

    def document(self) -> bytes:
        pdf = Pdf.new()
        bases = {"F1": "Helvetica", "F2": "Helvetica-Bold", "F3": "Helvetica-Oblique"}
        fonts = Dictionary({f"/{name}": self.font(pdf, base) for name, base in bases.items()})
        fonts["/F4"] = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Symbol)
        pdf.add_blank_page(page_size=(612, 792))
        page = pdf.pages[0]
        page.Resources = Dictionary(Font=fonts)
        page.Contents = pdf.make_stream("\n".join(self._content).encode())
        stream = io.BytesIO()
        pdf.save(stream)
        return stream.getvalue()

    def block(self, block: Block) -> None:
        notes = [run for line in block.lines for run in line if run.kind == "note"]
        if block.kind == "table":
            self._table(block)
        else:
            size = {"heading": 15.0 - 2 * block.level}.get(block.kind, _SIZE)
            left = _LEFT + {"quote": 36.0, "list": 20.0}.get(block.kind, 0.0)
            for line in block.lines:
                if block.kind == "list":
                    self._show([_Piece("•", _SIZE, 0, "F1")], _LEFT + 8, self._y)
                font = "F2" if block.kind == "heading" else "F1"
                self._paragraph(line, left, _RIGHT - (left - _LEFT), size, font)
            self._y -= 8
        for note in notes:
            self._paragraph((Run("text", note.text),), _LEFT, _RIGHT, _SIZE, "F1")
            self._y -= 8

    def _pieces(
        self, line: tuple[Run, ...], size: float, font: str
    ) -> Iterator[list[_Piece] | None]:
        """Words of pieces; None for a space."""
        word: list[_Piece] = []
        for run in line:
            if run.kind == "note":
                continue
            small = run.kind in _RISE
            look = "F3" if run.kind == "style" else font
            rise = _RISE.get(run.kind, 0.0) * size
            for at, part in enumerate(run.text.split(" ")):
                if at:
                    yield word
                    yield None
                    word = []
                if part:
                    word.append(_Piece(part, size * 0.7 if small else size, rise, look))
        yield word

    def _paragraph(
        self, line: tuple[Run, ...], left: float, right: float, size: float, font: str
    ) -> None:
        x, pending = left, 0.0
        for word in self._pieces(line, size, font):
            if word is None:
                pending = 0.278 * size
                continue
            width = sum(piece.width for piece in word)
            if x > left and x + pending + width > right:
                x, pending = left, 0.0
                self._y -= _LEADING
            self._show(word, x + pending, self._y)
            x, pending = x + pending + width, 0.0
        self._y -= _LEADING

    def _show(self, word: list[_Piece], x: float, y: float) -> None:
        for piece in word:
            self._content.append(f"BT {x:.2f} {y + piece.rise:.2f} Td")
            for char in piece.text:
                code = _SYMBOLS.get(char) or self._codes.setdefault(char, 33 + len(self._codes))
                font = "F4" if char in _SYMBOLS else piece.font
                self._content.append(f"/{font} {piece.size:.2f} Tf <{code:02x}> Tj")
            self._content.append("ET")
            x += piece.width

    def _table(self, block: Block) -> None:
        middle, top = (_LEFT + _RIGHT) / 2, self._y + 11
        for first, second in zip(block.lines[::2], block.lines[1::2], strict=True):
            self._content.append(f"{_LEFT} {self._y + 11:.2f} m {_RIGHT} {self._y + 11:.2f} l S")
            begun = self._y
            self._paragraph(first, _LEFT + 4, middle - 8, _SIZE, "F1")
            ended, self._y = self._y, begun
            self._paragraph(second, middle + 4, _RIGHT - 8, _SIZE, "F1")
            self._y = min(ended, self._y) - 4
        self._content.append(f"{_LEFT} {self._y + 11:.2f} m {_RIGHT} {self._y + 11:.2f} l S")
        for x in (_LEFT, middle, _RIGHT):
            self._content.append(f"{x} {top:.2f} m {x} {self._y + 11:.2f} l S")
        self._y -= 14


def pdf(paper: Paper) -> bytes:
    setter = _Setter()
    for block in paper:
        setter.block(block)
    return setter.document()
