"""Targets: documents that are no PDF, converted in this process."""

import io
import tempfile
import warnings
import zipfile
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from fuzz.mutation import texts
from fuzz.seeds import seed
from fuzz.target import Target
from hypothesis import strategies as st

from citeloom.domain.errors import DocumentFailed
from citeloom.infrastructure.ingest.conversion.convert import convert_file

SUFFIXES = (".md", ".html", ".tex", ".csv", ".xml", ".vtt", ".adoc", ".eml")
PIECES = (
    "<p>", "</p>", "<table>", "<tr><td>", "</table>", "<li>", "<h1>", "<!--", "&lt;", "&#0;",
    "<a b=", "\n\n", "# ", "* ", "| ", "```", "$$", "\\begin{", "\\end{", "{", "}", ",", '"',
    ";", "===", "\n", "Content-Type: ", "boundary=", "=?utf-8?B?", "-->", "]]>",
    "<![CDATA[", "<sec>", "<xref", "\t",
)  # fmt: skip


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="citeloom-fuzz-"))


def _convert(drawn: tuple[str, str]) -> None:
    suffix, text = drawn
    _converted(suffix, text.encode("utf-8", "surrogatepass"))


def _converted(suffix: str, content: bytes) -> None:
    path = _folder() / f"file{suffix}"
    path.write_bytes(content)
    with suppress(DocumentFailed), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as in a worker
        convert_file(path, sha256(content).hexdigest()).model_dump_json()


@cache
def _members(suffix: str) -> dict[str, bytes]:
    """What is in an office file with a heading, a paragraph and a table."""
    made = io.BytesIO()
    _OFFICE[suffix](made)
    with zipfile.ZipFile(made) as file:
        return {name: file.read(name) for name in file.namelist()}


def _docx(file: io.BytesIO) -> None:
    import docx

    document = docx.Document()
    document.add_heading("Ponds", 1)
    document.add_paragraph("They cool the street.", style="List Bullet")
    table = document.add_table(2, 2)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Head"
    document.save(file)


def _pptx(file: io.BytesIO) -> None:
    import pptx

    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "Ponds"
    slide.placeholders[1].text = "They cool the street."
    show.save(file)


def _xlsx(file: io.BytesIO) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["a", "b"], [1, 2.5], ["=A1", None]):
        book.active.append(row)
    book.active.merge_cells("A1:B1")
    book.save(file)


_OFFICE = {".docx": _docx, ".pptx": _pptx, ".xlsx": _xlsx}
_PARTS = (
    "<w:p>", "</w:p>", "<w:tbl>", "<w:tr>", "<w:tc>", 'w:val="', '<w:gridSpan w:val="99"/>',
    "<a:t>", '<c r="ZZ99"/>', '<mergeCell ref="A1:C9"/>', "/>", "<!DOCTYPE x>", "&x;", "-1",
    'r:id="rId9"', 'Target="../x"', 'ContentType="x"',
)  # fmt: skip


def _archive(drawn: tuple[str, str, str]) -> None:
    suffix, changed, text = drawn
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for name, content in _members(suffix).items():
            file.writestr(
                name, text.encode("utf-8", "surrogatepass") if name == changed else content
            )
    _converted(suffix, made.getvalue())


@st.composite
def _archives(draw: st.DrawFn) -> tuple[str, str, str]:
    """An office file with one member changed."""
    suffix = draw(st.sampled_from(sorted(_OFFICE)))
    members = _members(suffix)
    names = [name for name in sorted(members) if name.endswith((".xml", ".rels"))]
    name = draw(st.sampled_from(names))
    return suffix, name, draw(texts((members[name].decode("utf-8"),), _PARTS))


TARGETS = (
    Target(
        "documents",
        st.sampled_from(SUFFIXES).flatmap(
            lambda suffix: st.tuples(st.just(suffix), texts((seed(f"document{suffix}"),), PIECES))
        ),
        _convert,
        weight=8,
    ),
    Target("office-files", _archives(), _archive, weight=8),
)
