"""Targets: reference files, the styles that print them, and what is written from them."""

import json
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from fuzz.mutation import documents, texts
from fuzz.seeds import seed
from fuzz.target import Target

from citeloom.application.ports.citation import (
    STYLE_NAMES,
    CitationMarkup,
    ReferenceFormat,
    StyledCite,
)
from citeloom.domain.citation.in_text import Mention, latex, pandoc, typst
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.errors import InvalidRequest, ReferencesUnreadable
from citeloom.infrastructure.citation.csl.styles import csl_style
from citeloom.infrastructure.references.formats.csl import meta_from_csl
from citeloom.infrastructure.references.reader import FileReferenceReader
from citeloom.infrastructure.references.writer import write_references

BIBTEX = tuple(seed(f"library{number}.bib") for number in range(3))
TAGGED = (seed("library0.ris"), seed("library1.ris"), seed("library.nbib"))
ITEM = json.loads(seed("library.json"))[0]
LIBRARIES = ([ITEM], {"items": [{**ITEM, "itemType": "journalArticle", "citationKey": "k"}]})
PARTS = (
    "<text macro=\"a\"/>", "<names variable=\"author\">", "</names>", "<choose>", "<if>", "<sort>",
    "<date variable=\"issued\"/>", "variable=\"", "term=\"", "form=\"", "&x;", "<!DOCTYPE x>", "<a",
    "et-al-min=\"x\"", "max=\"-1\"", "first-reference-note-number", "delimiter=\"\"", "]]>",
)  # fmt: skip
PIECES = (
    "@article{", "@comment{", "crossref={marsh2019}", "{", "}", '"', "\\", "$", "%", "#", ",", "=",
    " and ", "date={", "TY  - ", "ER  - \n", "PMID- ", "- id: ", "&a ", "*a ", "!!int ", "---\n",
    "\t",
)  # fmt: skip
_WORKS = (meta_from_csl(ITEM, "a"), meta_from_csl({**ITEM, "type": "book"}, "b"))


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="citeloom-fuzz-"))


def _file(text: str) -> None:
    _read(text.encode("utf-8", "surrogatepass"))


def _library(document: Any) -> None:
    """What is read is printed in a style, and written in each format that is read again."""
    works = _read(json.dumps(document).encode())
    mentions = [Mention(citekey=work.citekey, labels=("3", "5")) for work in works]
    for written in (pandoc, latex, typst):
        written(mentions)
    for name in STYLE_NAMES:
        csl_style(name).bibliography(works, CitationMarkup.HTML)
    for kind in ReferenceFormat:
        again = _read(write_references(works, kind).encode())
        assert len(again) == len(works) or kind is not ReferenceFormat.CSL_JSON


def _read(content: bytes) -> tuple[CitationMeta, ...]:
    path = _folder() / "library"
    path.write_bytes(content)
    with suppress(ReferencesUnreadable):
        items = FileReferenceReader().read(path).items
        assert all(item.model_dump_json() for item in items)
        assert len({item.citekey for item in items}) == len(items)
        return items
    return ()


def _style(text: str) -> None:
    path = _folder() / "style.csl"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with suppress(InvalidRequest):
        style = csl_style(str(path))
        style.bibliography(_WORKS, CitationMarkup.MARKDOWN)
        cites = [[StyledCite(citekey="a", pages="12-13"), StyledCite(citekey="b", place="end")]]
        style.in_text(_WORKS, cites, CitationMarkup.HTML)


TARGETS = (
    Target("bibtex", texts(BIBTEX, PIECES), _file),
    Target("ris", texts(TAGGED, PIECES), _file),
    Target("csl-yaml", texts((seed("library.yaml"),), PIECES), _file),
    Target("csl-json", documents(LIBRARIES), _library, weight=8),
    Target("csl-styles", texts((seed("style.csl"),), PARTS), _style, weight=4),
)
