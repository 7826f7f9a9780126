"""One paper as a tree, and writers of it in seven formats."""

import io
import zipfile
from collections.abc import Callable, Mapping
from html import escape
from typing import NamedTuple


class Run(NamedTuple):
    """A piece of a line: text, or ``sup``, ``sub``, ``style``, ``note``, ``formula``."""

    kind: str
    text: str


class Block(NamedTuple):
    """A ``heading``, ``text``, ``quote``, ``list`` or ``table``: lines, of runs; ``level`` of a
    heading. A table has two cells in each row, a list one item in each line."""

    kind: str
    lines: tuple[tuple[Run, ...], ...]
    level: int = 1


Paper = tuple[Block, ...]
#: The only formula, ``P < 0.03``, which each format has in a notation of its own.
FORMULA = Run("formula", "P < 0.03")

_MATHML = "<{0}mi>P</{0}mi><{0}mo>&lt;</{0}mo><{0}mn>0.03</{0}mn>"


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as zipped:
        for name, content in parts.items():
            zipped.writestr(name, content)
    return stream.getvalue()


def _marked(block: Block, marks: Mapping[str, Callable[[str], str]]) -> list[str]:
    """The lines of a block, each run written by its kind."""
    return ["".join(marks[run.kind](run.text) for run in line) for line in block.lines]


def _rows(cells: list[str]) -> list[tuple[str, str]]:
    return list(zip(cells[::2], cells[1::2], strict=True))


def html(paper: Paper) -> str:
    notes: list[str] = []

    def note(text: str) -> str:
        notes.append(f"<p>{escape(text)}</p>")
        return ""

    marks = {
        "text": escape,
        "sup": lambda text: f"<sup>{text}</sup>",
        "sub": lambda text: f"<sub>{text}</sub>",
        "style": lambda text: f"<span class='x'><em>{escape(text)}</em></span>",
        "note": note,
        "formula": lambda _: f"<math>{_MATHML.format('')}</math>",
    }
    body = ""
    for block in paper:
        lines = _marked(block, marks)
        if block.kind == "heading":
            body += f"<h{block.level + 1}>{lines[0]}</h{block.level + 1}>"
        elif block.kind == "list":
            body += f"<ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"
        elif block.kind == "table":
            rows = "".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in _rows(lines))
            body += f"<table>{rows}</table>"
        else:
            paragraph = f"<p>{lines[0]}</p>"
            quoted = f"<blockquote>{paragraph}</blockquote>"
            body += quoted if block.kind == "quote" else paragraph
        body += "".join(notes)
        notes.clear()
    return f"<!DOCTYPE html><html><head><meta charset='utf-8'></head><body>{body}</body></html>"


def epub(paper: Paper) -> bytes:
    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container version="1.0" xmlns="urn:oasis:names:tc:'
            'opendocument:xmlns:container"><rootfiles><rootfile full-path="c.opf" '
            'media-type="application/oebps-package+xml"/></rootfiles></container>',
            "c.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><manifest>'
            '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="a"/></spine></package>',
            "a.xhtml": html(paper).replace("<!DOCTYPE html>", "").replace("'utf-8'>", "'utf-8'/>"),
        }
    )


def jats(paper: Paper) -> str:
    marks = {
        "text": escape,
        "sup": lambda text: f"<sup>{text}</sup>",
        "sub": lambda text: f"<sub>{text}</sub>",
        "style": lambda text: f"<italic>{escape(text)}</italic>",
        "note": lambda text: f"<fn><p>{escape(text)}</p></fn>",
        "formula": lambda _: (
            f"<inline-formula><mml:math>{_MATHML.format('mml:')}</mml:math></inline-formula>"
        ),
    }
    body, depth = "", 0
    for block in paper:
        lines = _marked(block, marks)
        if block.kind == "heading":
            body += "</sec>" * max(0, depth - block.level + 1) + f"<sec><title>{lines[0]}</title>"
            depth = block.level
        elif block.kind == "list":
            items = "".join(f"<list-item><p>{line}</p></list-item>" for line in lines)
            body += f"<list>{items}</list>"
        elif block.kind == "table":
            rows = "".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in _rows(lines))
            body += f"<table-wrap><table>{rows}</table></table-wrap>"
        else:
            paragraph = f"<p>{lines[0]}</p>"
            quoted = f"<disp-quote>{paragraph}</disp-quote>"
            body += quoted if block.kind == "quote" else paragraph
    body += "</sec>" * depth
    names = 'xmlns:mml="http://www.w3.org/1998/Math/MathML"'
    return f"<article {names}><body>{body}</body></article>"


def latex(paper: Paper) -> str:
    def text(words: str) -> str:
        for char, source in (
            ("—", "---"), ("–", "--"), ("“", "``"), ("”", "''"), ("’", "'"), ("‘", "`"),
            ("±", r"\textpm{}"), ("é", r"\'e"), ("&", r"\&"), ("%", r"\%"), ("…", r"\ldots{}"),
        ):  # fmt: skip
            words = words.replace(char, source)
        return words

    marks = {
        "text": text,
        "sup": lambda one: rf"\textsuperscript{{{one}}}",
        "sub": lambda one: rf"\textsubscript{{{one}}}",
        "style": lambda one: rf"\emph{{{text(one)}}}",
        "note": lambda one: rf"\footnote{{{text(one)}}}",
        "formula": lambda _: "$P < 0.03$",
    }
    body = ""
    for block in paper:
        lines = _marked(block, marks)
        if block.kind == "heading":
            body += f"\\{'sub' * (block.level - 1)}section*{{{lines[0]}}}\n\n"
        elif block.kind == "list":
            items = "".join(f"\\item {line}\n" for line in lines)
            body += f"\\begin{{itemize}}\n{items}\\end{{itemize}}\n\n"
        elif block.kind == "table":
            rows = "".join(f"{a} & {b} \\\\\n" for a, b in _rows(lines))
            body += f"\\begin{{tabular}}{{ll}}\n{rows}\\end{{tabular}}\n\n"
        elif block.kind == "quote":
            body += f"\\begin{{quote}}\n{lines[0]}\n\\end{{quote}}\n\n"
        else:
            body += f"{lines[0]}\n\n"
    return f"\\documentclass{{article}}\n\\begin{{document}}\n{body}\\end{{document}}\n"


def markdown(paper: Paper) -> str:
    notes: list[str] = []

    def note(text: str) -> str:
        notes.append(text)
        return ""

    marks = {
        "text": lambda text: text,
        "sup": lambda text: f"<sup>{text}</sup>",
        "sub": lambda text: f"~{text}~",
        "style": lambda text: f"*{text}*",
        "note": note,
        "formula": lambda _: "$P < 0.03$",
    }
    parts: list[str] = []
    for block in paper:
        lines = _marked(block, marks)
        if block.kind == "heading":
            parts.append(f"{'#' * (block.level + 1)} {lines[0]}")
        elif block.kind == "list":
            parts.append("\n".join(f"- {line}" for line in lines))
        elif block.kind == "table":
            first, *rest = [f"| {a} | {b} |" for a, b in _rows(lines)]
            parts.append("\n".join([first, "| --- | --- |", *rest]))
        else:
            parts.append(("> " if block.kind == "quote" else "") + lines[0])
        parts += notes
        notes.clear()
    return "\n\n".join(parts) + "\n"


def docx(paper: Paper) -> bytes:
    from docx import Document
    from docx.oxml import parse_xml
    from docx.text.paragraph import Paragraph

    document = Document()
    notes: list[str] = []
    maths = "http://schemas.openxmlformats.org/officeDocument/2006/math"

    def write(paragraph: Paragraph, line: tuple[Run, ...]) -> None:
        for run in line:
            if run.kind == "note":
                notes.append(run.text)
            elif run.kind == "formula":
                inner = f"<m:r><m:t>{escape(run.text.replace(' ', ''))}</m:t></m:r>"
                paragraph._p.append(parse_xml(f'<m:oMath xmlns:m="{maths}">{inner}</m:oMath>'))
            else:
                written = paragraph.add_run(run.text)
                written.font.superscript = run.kind == "sup" or None
                written.italic = run.kind == "style" or None
                if run.kind == "sub":
                    written.font.subscript = True

    for block in paper:
        if block.kind == "table":
            table = document.add_table(len(block.lines) // 2, 2)
            for at, line in enumerate(block.lines):
                write(table.cell(at // 2, at % 2).paragraphs[0], line)
            continue
        for line in block.lines:
            style = {"list": "List Bullet", "quote": "Quote"}.get(block.kind)
            if block.kind == "heading":
                write(document.add_heading("", block.level), line)
            else:
                write(document.add_paragraph(style=style), line)
        for note in notes:
            document.add_paragraph(note)
        notes.clear()
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


_ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{uri}:1.0"'
    for name, uri in (
        ("office", "office"), ("text", "text"), ("table", "table"), ("style", "style"),
        ("draw", "drawing"), ("fo", "xsl-fo-compatible"),
    )
)  # fmt: skip


def odt(paper: Paper) -> bytes:
    marks = {
        "text": escape,
        "sup": lambda text: f'<text:span text:style-name="High">{text}</text:span>',
        "sub": lambda text: f'<text:span text:style-name="Low">{text}</text:span>',
        "style": lambda text: f'<text:span text:style-name="Slanted">{escape(text)}</text:span>',
        "note": lambda text: (
            '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>'
            f"<text:note-body><text:p>{escape(text)}</text:p></text:note-body></text:note>"
        ),
        "formula": lambda _: (
            '<draw:frame><draw:object><math xmlns="http://www.w3.org/1998/Math/MathML">'
            f"{_MATHML.format('')}</math></draw:object></draw:frame>"
        ),
    }
    body = ""
    for block in paper:
        lines = _marked(block, marks)
        if block.kind == "heading":
            body += f'<text:h text:outline-level="{block.level}">{lines[0]}</text:h>'
        elif block.kind == "list":
            items = "".join(
                f"<text:list-item><text:p>{one}</text:p></text:list-item>" for one in lines
            )
            body += f"<text:list>{items}</text:list>"
        elif block.kind == "table":
            cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>".format
            rows = "".join(
                f"<table:table-row>{cell(a)}{cell(b)}</table:table-row>" for a, b in _rows(lines)
            )
            columns = '<table:table-column table:number-columns-repeated="2"/>'
            body += f'<table:table table:name="T">{columns}{rows}</table:table>'
        else:
            body += f"<text:p>{lines[0]}</text:p>"
    styles = "".join(
        f'<style:style style:name="{name}" style:family="text"><style:text-properties {look}/>'
        "</style:style>"
        for name, look in (
            ("High", 'style:text-position="super 58%"'),
            ("Low", 'style:text-position="-33% 58%"'),
            ("Slanted", 'fo:font-style="italic"'),
        )
    )
    return opendocument(body, styles)


def opendocument(body: str, styles: str) -> bytes:
    """An OpenDocument text with these blocks and automatic styles."""
    content = (
        f'<office:document-content {_ODF} office:version="1.3"><office:automatic-styles>{styles}'
        f"</office:automatic-styles><office:body><office:text>{body}</office:text></office:body>"
        "</office:document-content>"
    )
    mime = "application/vnd.oasis.opendocument.text"
    manifest = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
    entries = f'<m:file-entry m:full-path="/" m:media-type="{mime}"/>' + "".join(
        f'<m:file-entry m:full-path="{name}" m:media-type="text/xml"/>'
        for name in ("content.xml", "styles.xml", "meta.xml")
    )
    return archive(
        {
            "mimetype": mime,
            "META-INF/manifest.xml": f'<m:manifest xmlns:m="{manifest}">{entries}</m:manifest>',
            "content.xml": content,
            "styles.xml": f'<office:document-styles {_ODF} office:version="1.3"/>',
            "meta.xml": f'<office:document-meta {_ODF} office:version="1.3"/>',
        }
    )


WRITERS: dict[str, Callable[[Paper], str | bytes]] = {
    "paper.html": html,
    "paper.epub": epub,
    "paper.xml": jats,
    "paper.tex": latex,
    "paper.md": markdown,
    "paper.docx": docx,
    "paper.odt": odt,
}
