"""Conversion of every format but PDF, through docling where it helps.

docling takes super- and subscripts of slides and cells for plain digits (ECMA-376-1, 21.1.2.3.9
``a:rPr`` with ``baseline``, in thousandths of a per cent; 18.4.14 ``vertAlign`` of runs in cells).
Runs in worker processes only: docling takes seconds and 200 MB to import.
"""

import io
import re
import zipfile
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable
from dataclasses import replace
from email import message_from_bytes, policy
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from citeloom.domain.documents.conversion import BlockLabel, ConversionResult, Figure
from citeloom.domain.errors import ConversionFailed
from citeloom.domain.references.identifiers import find_arxiv_ids, find_dois
from citeloom.domain.text.scripts import lowered, raised
from citeloom.infrastructure.ingest.conversion import format_table
from citeloom.infrastructure.ingest.conversion.format_table import Format, PageKind
from citeloom.infrastructure.ingest.conversion.formats.source_text import restore_document, restored
from citeloom.infrastructure.ingest.conversion.hidden.hidden_runs import without_hidden_runs
from citeloom.infrastructure.ingest.conversion.hidden.style_rules import unseen_warnings
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.stated import StatedWork
from citeloom.infrastructure.ingest.conversion.worker import failure_reason

from .assembly import Assembled, BlockPiece, assemble, pages_of, paragraphs
from .docling_flow import Spacing
from .formulas import Element
from .jats_text import seen_article
from .markdown_text import seen_asciidoc, seen_markdown, without_front_matter
from .odt_text import seen_text
from .source_text import (
    CHAPTERS,
    SourceFacts,
    declared_or_utf8,
    decode,
    etree,
    parse_xml,
    rewritten_parts,
    source_facts,
)

if TYPE_CHECKING:
    from docling.document_converter import DocumentConverter
    from docling_core.types.doc.document import DoclingDocument


#: Characters from the beginning of the text that are searched: later ones are citations.
SEARCHED_CHARACTERS = 3000

_REFERENCES = re.compile(
    r"^\W*(?:\d+\.?\s*)?(?:references|bibliography|works cited|literature cited|"
    r"references and notes|literature|r[ée]f[ée]rences|bibliographie|literatur|"
    r"literaturverzeichnis|referencias|bibliograf[íi]a|referências|riferimenti|"
    r"bibliografia|список литературы|литература|参考文献|参考文獻)\W*$",
    re.IGNORECASE,
)


def is_reference_heading(title: str) -> bool:
    """Whether a heading begins a list of references."""
    return bool(_REFERENCES.match(title.strip()))


def identifiers_of(
    metadata: Iterable[str], text: str, references_start: int | None
) -> tuple[str, ...]:
    """DOIs and arXiv ids of a document: those in its metadata, then those on its first page; then
    ``pmid:`` and ``isbn:`` ones, of its metadata only, since a page may name those of other works.

    ``references_start`` is the offset of the reference list in ``text``, None without one.
    """
    first = text[
        : min(SEARCHED_CHARACTERS, len(text) if references_start is None else references_start)
    ]
    metadata = tuple(metadata)
    names = [
        name for value in (*metadata, first) for name in (*find_dois(value), *find_arxiv_ids(value))
    ]
    others = (name for value in metadata if (name := _pmid_or_isbn(value)) is not None)
    return tuple(dict.fromkeys([*names, *others]))


_PMID = re.compile(r"pmid:\s*(\d{1,8})", re.IGNORECASE)
_ISBN = re.compile(r"(?:urn:)?isbn:?\s*([\d -]{9,16}[\dX])", re.IGNORECASE)


def _pmid_or_isbn(text: str) -> str | None:
    """``pmid:123`` or ``isbn:9780306406157`` if all of ``text`` is such an identifier. An ISBN of
    ten digits becomes one of 13 (ISBN Users' Manual, section 5)."""
    if match := _PMID.fullmatch(text.strip()):
        return f"pmid:{match[1]}"
    match = _ISBN.fullmatch(text.strip())
    digits = re.sub(r"[ -]", "", match[1]).upper() if match else ""
    if len(digits) == 10 and _sum(digits, range(10, 0, -1)) % 11 == 0:
        digits = f"978{digits[:9]}"
        digits += str(-_sum(digits, _WEIGHTS) % 10)
    is_valid = len(digits) == 13 and digits.isdigit() and _sum(digits, _WEIGHTS) % 10 == 0
    return f"isbn:{digits}" if is_valid else None


_WEIGHTS = (1, 3) * 6 + (1,)


def _sum(digits: str, weights: Iterable[int]) -> int:
    pairs = zip(digits, weights, strict=False)
    return sum((10 if digit == "X" else int(digit)) * weight for digit, weight in pairs)


_SLIDES: Final = re.compile(r"ppt/(?:slides|notesSlides)/\w+\.xml")
_SHEETS: Final = re.compile(r"xl/(?:sharedStrings|worksheets/\w+)\.xml")


def _of_slide(run: Element) -> str:
    properties = run.find("{*}rPr")
    baseline = "0" if properties is None else properties.get("baseline", "0")
    found = re.fullmatch(r"(-?)0*[1-9]\d*%?", baseline.partition(".")[0])
    return "" if found is None else "sub" if found[1] else "super"


def _of_sheet(run: Element) -> str:
    align = run.find("{*}rPr/{*}vertAlign")
    return "" if align is None else (align.get("val") or "").removesuffix("script")


def _with_scripts(
    raw: bytes, parts: re.Pattern[str], paragraph: str, align_of: Callable[[Element], str]
) -> bytes:
    def seen(data: bytes) -> bytes:
        root = parse_xml(data)
        if root is None or not any(map(align_of, root.iter("{*}r"))):
            return data
        for one in root.iter(f"{{*}}{paragraph}", "{*}is"):
            _write(one, align_of)
        content: bytes = etree().tostring(root, encoding="UTF-8", xml_declaration=True)
        return content

    return rewritten_parts(raw, parts, seen)


def _write(paragraph: Element, align_of: Callable[[Element], str]) -> None:
    before = ""
    texts = [(run, run.find("{*}t")) for run in paragraph.iter("{*}r", "{*}br")]
    for at, (run, text) in enumerate(texts):
        words = "" if text is None else text.text or ""
        align = align_of(run) if words else ""
        if align in ("super", "sub"):
            following = texts[at + 1][1] if at + 1 < len(texts) else None
            after = "" if following is None or align_of(texts[at + 1][0]) else following.text or ""
            words = (raised if align == "super" else lowered)(words, before[-24:], after[:1])
            text.text = words
        before += words if text is not None else "\n"


_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)\]]*$")

# Formats whose source has private characters when docling reads it.
_PREPARED = (
    format_table.HTML,
    format_table.EPUB,
    format_table.JATS,
    format_table.LATEX,
    format_table.MARKDOWN,
    format_table.EMAIL,
)

_converter: "DocumentConverter | None" = None


def convert_document(source: Path, raw: bytes, format_: Format, doc_id: str) -> ConversionResult:
    """Convert ``raw``, the content of ``source``, which is known to be of ``format_``.

    Raises ConversionFailed if it cannot be read as that.
    """
    raw, warnings = _prepared(source, raw, format_)
    facts = SourceFacts() if format_ is format_table.TEXT else source_facts(format_, raw)
    title: str | None = None
    figures: tuple[Figure, ...] = ()
    if format_ is format_table.TEXT:
        text = raw.decode("utf-8")
        assembled = assemble(paragraphs(text), pages_of(text))
    else:
        from .docling_flow import DoclingFlow

        markup = "*_`~[]" if format_ is format_table.MARKDOWN else ""
        read = without_front_matter(raw) if format_ is format_table.MARKDOWN else raw
        document = _docling(source, read, format_)
        if format_ in _PREPARED:
            restore_document(document)
            facts.text, facts.title = restored(facts.text), restored(facts.title or "")
            facts.work = facts.work.changed(restored)
        flow = DoclingFlow(document, format_, Spacing(facts.text, markup))
        pieces_found = list(flow.pieces())
        titles = [piece.text for piece in pieces_found if piece.label is BlockLabel.TITLE]
        # Several are those of chapters or slides: then the file's own properties know better,
        # except in presentations, where they are mostly those of the template.
        if len(titles) == 1 or format_.pages is PageKind.SLIDE or not facts.title:
            title = next(iter(titles), None)
        pieces = _relabelled(pieces_found, format_)
        assembled = assemble(
            pieces, flow.pages(), sections_end_with_page=format_.pages is not PageKind.NONE
        )
        figures = tuple(flow.figures)
        warnings += [f"{name}: hidden by its author, left out" for name in flow.hidden]
    if not assembled.blocks:
        warnings.append("the document holds no text")
    return ConversionResult(
        doc_id=doc_id,
        structure=assembled.structure,
        plain_text=assembled.text,
        blocks=assembled.blocks,
        figures=figures,
        **_bibliography(title or facts.title, facts.work),
        identifiers=identifiers_of(
            facts.work.identifiers, assembled.text, _references_start(assembled)
        ),
        mime_type=format_.mime,
        warnings=tuple(warnings),
    )


def _bibliography(title: str | None, work: StatedWork) -> dict[str, Any]:
    """The bibliographic fields of the result. The text's ``title`` alone is uncertain."""
    fields = work._asdict()
    del fields["identifiers"]
    if not work.title:
        fields["title"] = " ".join((title or "").split()) or None
        fields["uncertain"] = tuple(dict.fromkeys(["title", *work.uncertain]))
    fields["uncertain"] = tuple(name for name in fields["uncertain"] if fields[name])
    return fields


def _prepared(source: Path, raw: bytes, format_: Format) -> tuple[bytes, list[str]]:
    """The bytes for docling: UTF-8 if the file does not name its encoding."""
    if format_ is format_table.JATS:
        return seen_article(raw), []
    if format_ is format_table.HTML:
        raw, warning = declared_or_utf8(raw)
        from .html_text import seen_page

        page, hidden = seen_page(raw)
        return page, [*([warning] if warning else []), *hidden]
    if format_ is format_table.DOCX:
        seen, counts = without_hidden_runs(raw)
        return seen, unseen_warnings(counts)
    if format_ is format_table.EPUB:
        return _seen_book(raw), []
    if format_ in (format_table.ODT, format_table.ODP, format_table.ODS):
        return seen_text(raw), []
    if format_ is format_table.PPTX:
        return _with_scripts(raw, _SLIDES, "p", _of_slide), []
    if format_ is format_table.XLSX:
        return _with_scripts(raw, _SHEETS, "si", _of_sheet), []
    if format_ is format_table.EMAIL:
        return _seen_message(raw), []
    if format_ is format_table.USPTO or not format_.text:
        return raw, []
    text, warning = decode(raw)
    if format_ is format_table.LATEX:
        from .latex_files import with_files
        from .latex_text import seen_source

        text, missing = with_files(text, source)
        text, unread = seen_source(text, is_whole=not missing)
        return text.encode("utf-8"), [*([warning] if warning else []), *missing, *unread]
    if format_ is format_table.MARKDOWN:
        text = seen_markdown(text)
    if format_ is format_table.ASCIIDOC:
        text = seen_asciidoc(text)
    return text.encode("utf-8"), [warning] if warning else []


def _seen_message(raw: bytes) -> bytes:
    """The message with its parts in HTML as their readers see them."""
    message = message_from_bytes(raw, policy=policy.default)
    pages = [part for part in message.walk() if part.get_content_type() == "text/html"]
    if not pages:
        return raw
    from .html_text import seen_page

    for part in pages:
        try:
            page, _ = seen_page(BOM_UTF8 + part.get_content().encode("utf-8"))
        except (LookupError, AttributeError):  # an encoding that is not known: as it is
            continue
        part.set_content(page.decode("utf-8-sig"), subtype="html")
    return message.as_bytes()


def _seen_book(raw: bytes) -> bytes:
    """The book with its chapters as their readers see them."""
    from .html_text import seen_chapter

    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        sheets = [archive.read(one) for one in archive.namelist() if one.endswith(".css")]
    rules = "\n".join(decode(sheet)[0] for sheet in sheets)
    return rewritten_parts(raw, CHAPTERS, lambda data: seen_chapter(data, rules))


def _docling(source: Path, raw: bytes, format_: Format) -> "DoclingDocument":
    from docling.datamodel.base_models import DocumentStream

    # docling goes by the name's suffix; the content has been checked against it already.
    suffix = format_.suffixes[0]
    if format_ is format_table.USPTO and raw.startswith(b"PATN"):
        suffix = ".txt"
    stream = DocumentStream(name=f"document{suffix}", stream=io.BytesIO(raw))
    try:
        return converter().convert(stream).document
    except Exception as error:
        raise ConversionFailed(
            f"{source.name}: cannot be read as {format_.name}: {failure_reason(error)}; "
            "open it in the program that wrote it and save it again",
            format=format_.name,
            exception=type(error.__cause__ or error).__name__,
        ) from error


def converter() -> "DocumentConverter":
    """docling's converter, made once a process: nothing is fetched, everything is kept."""
    global _converter
    if _converter is None:
        from docling.datamodel.backend_options import (
            AsciiDocBackendOptions,
            HTMLBackendOptions,
            LatexBackendOptions,
        )
        from docling.datamodel.base_models import InputFormat
        from docling.document_converter import (
            AsciiDocFormatOption,
            DocumentConverter,
            HTMLFormatOption,
            LatexFormatOption,
        )

        _converter = DocumentConverter(
            allowed_formats=[
                InputFormat[format_.docling] for format_ in format_table.FORMATS if format_.docling
            ],
            format_options={
                InputFormat.HTML: HTMLFormatOption(
                    backend_options=HTMLBackendOptions.model_validate(
                        {"infer_furniture": False, "add_title": False}
                    )
                ),
                InputFormat.ASCIIDOC: AsciiDocFormatOption(
                    backend_options=AsciiDocBackendOptions.model_validate(
                        {"capture_comments": False}
                    )
                ),
                # A limit of docling's own would give the raw source as text, silently.
                InputFormat.LATEX: LatexFormatOption(
                    backend_options=LatexBackendOptions.model_validate({"parse_timeout": None})
                ),
            },
        )
    return _converter


def _relabelled(pieces: list[BlockPiece], format_: Format) -> list[BlockPiece]:
    """Labels that depend on the whole document: titles, authors, references, caption cues."""
    titles = sum(piece.label is BlockLabel.TITLE for piece in pieces)
    if titles > 1 or format_.pages is PageKind.SLIDE:
        pieces = [_demoted(piece) for piece in pieces]
    if format_ is format_table.WEBVTT:
        return list(_sentences(pieces))
    relabelled: list[BlockPiece] = []
    references_level: int | None = None
    in_front = format_ is format_table.JATS
    for piece in pieces:
        if piece.level is not None:
            in_front = False
            if references_level is None or piece.level <= references_level:
                references_level = piece.level if is_reference_heading(piece.text) else None
        elif references_level and piece.label in (BlockLabel.TEXT, BlockLabel.LIST_ITEM):
            piece = replace(piece, label=BlockLabel.REFERENCE)
        elif in_front and piece.label is BlockLabel.TEXT:
            piece = replace(piece, label=BlockLabel.AUTHORS)
        relabelled.append(piece)
    return relabelled


def _demoted(piece: BlockPiece) -> BlockPiece:
    """One of several titles (slides, chapters) as heading, one level above all others."""
    if piece.label is BlockLabel.TITLE:
        return replace(piece, label=BlockLabel.SECTION_HEADER, level=1)
    return replace(piece, level=piece.level + 1) if piece.level is not None else piece


def _sentences(cues: Iterable[BlockPiece]) -> Iterable[BlockPiece]:
    """Cues joined by sentence: one block for each sentence, one line for each cue."""
    lines: list[str] = []
    for cue in cues:
        lines.append(cue.text)
        if _SENTENCE_END.search(cue.text.rstrip()):
            yield replace(cue, text="\n".join(lines))
            lines = []
    if lines:
        yield BlockPiece(BlockLabel.TEXT, "\n".join(lines))


def _references_start(assembled: Assembled) -> int | None:
    starts = (
        heading.span.start
        for heading in assembled.structure.headings()
        if is_reference_heading(heading.title)
    )
    return next(starts, None)
