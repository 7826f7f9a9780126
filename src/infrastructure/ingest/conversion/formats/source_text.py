"""Source facts that docling does not return: raw text, title, identifiers."""

import io
import re
import zipfile
from dataclasses import dataclass, field
from email import message_from_bytes, policy

from citeloom.infrastructure.ingest.conversion import format_table
from citeloom.infrastructure.ingest.conversion.format_table import Format
from citeloom.infrastructure.ingest.conversion.formats.safe_xml import Element, parse_xml, raw_text

_PARTS: dict[Format, re.Pattern[str]] = {
    format_table.DOCX: re.compile(r"word/(?:document|footnotes|endnotes)\.xml"),
    format_table.PPTX: re.compile(r"ppt/slides/slide\d+\.xml"),
    format_table.EPUB: re.compile(r".*\.x?html?", re.I),
    format_table.ODT: re.compile(r"content\.xml"),
    format_table.ODP: re.compile(r"content\.xml"),
    format_table.ODS: re.compile(r"content\.xml"),
}
_PROPERTIES = re.compile(r"docProps/core\.xml|meta\.xml|.*\.opf")


@dataclass
class SourceFacts:
    """``text`` for spacing, ``title``, and strings that may hold identifiers."""

    text: str = ""
    title: str | None = None
    identifiers: list[str] = field(default_factory=list)


def source_facts(format_: Format, raw: bytes) -> SourceFacts:
    """Read the facts of a file. A damaged part is skipped."""
    if format_ in _PARTS or format_ is format_table.XLSX:
        return _archive(format_, raw)
    if format_ is format_table.HTML:
        return _html(raw)
    if format_ is format_table.JATS:
        return _jats(raw)
    if format_ is format_table.EMAIL:
        subject = message_from_bytes(raw, policy=policy.default)["subject"]
        return SourceFacts(title=str(subject) if subject else None)
    if format_ is format_table.LATEX:
        return _latex(raw.decode("utf-8", "replace"))
    if format_ is format_table.MARKDOWN:
        return _markdown(raw.decode("utf-8", "replace"))
    return SourceFacts()


def _archive(format_: Format, raw: bytes) -> SourceFacts:
    facts = SourceFacts()
    texts: list[str] = []
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        for name in sorted(archive.namelist()):
            pattern = _PARTS.get(format_)
            if pattern is not None and pattern.fullmatch(name):
                texts.append(raw_text(parse_xml(archive.read(name))))
            elif _PROPERTIES.fullmatch(name):
                _read_properties(parse_xml(archive.read(name)), facts)
    facts.text = "\n".join(texts)
    return facts


def _read_properties(root: Element | None, facts: SourceFacts) -> None:
    """Dublin Core, as in Office, OpenDocument and EPUB files."""
    dc = "{http://purl.org/dc/elements/1.1/}"
    for element in root.iter(f"{dc}title", f"{dc}identifier") if root is not None else ():
        text = (element.text or "").strip()
        if element.tag == f"{dc}identifier":
            facts.identifiers.append(text)
        elif text and facts.title is None:
            facts.title = text


def _html(raw: bytes) -> SourceFacts:
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(raw, "html.parser")
    meta_tags: dict[str, str] = {}
    for meta in soup.find_all("meta"):
        name = str(meta.get("name") or meta.get("property") or "").lower()
        meta_tags.setdefault(name, str(meta.get("content") or "").strip())
    title = meta_tags.get("citation_title") or meta_tags.get("dc.title")
    if not title and soup.title is not None:
        title = " ".join(soup.title.get_text().split())
    keys = ("citation_doi", "dc.identifier", "prism.doi", "bepress_citation_doi")
    identifiers = [meta_tags[key] for key in keys if meta_tags.get(key)]
    if meta_tags.get("citation_arxiv_id"):
        identifiers.append(f"arXiv:{meta_tags['citation_arxiv_id']}")
    for line_break in soup.find_all("br"):
        line_break.replace_with("\n")
    return SourceFacts(text=soup.get_text(), title=title or None, identifiers=identifiers)


def _jats(raw: bytes) -> SourceFacts:
    root = parse_xml(raw)
    if root is None:
        return SourceFacts()
    facts = SourceFacts(text=raw_text(root))
    for element in root.iterfind("./front/article-meta/article-id"):
        kind, value = element.get("pub-id-type"), (element.text or "").strip()
        if kind == "doi":
            facts.identifiers.append(value)
        elif kind == "arxiv":
            facts.identifiers.append(f"arXiv:{value.lower().removeprefix('arxiv:')}")
    return facts


def _latex(text: str) -> SourceFacts:
    lines = (re.sub(r"(?<!\\)%.*", "", line) for line in text.split("\n"))
    stripped = "\n".join(lines)
    doi = re.search(r"\\(?:doi|acmDOI)\{([^}]*)\}", stripped)
    return SourceFacts(identifiers=[doi.group(1)] if doi else [])


def _markdown(text: str) -> SourceFacts:
    facts = SourceFacts(text=re.sub(r"\]\([^)\s]*\)", "", text))
    front = re.match(r"\ufeff?---\n(.*?)\n(?:---|\.\.\.)\s*\n", text, re.S)
    for key, value in re.findall(r"^(\w+):[ \t]*(.+)$", front.group(1), re.M) if front else ():
        if key.lower() == "title":
            facts.title = value.strip().strip("\"'")
        elif key.lower() in ("doi", "arxiv"):
            facts.identifiers.append(f"arXiv:{value}" if key.lower() == "arxiv" else value)
    return facts
