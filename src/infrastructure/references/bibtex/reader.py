"""Reader of BibTeX and BibLaTeX files."""

import re
from collections.abc import Iterator, Mapping

from pybtex.bibtex.utils import split_tex_string

from citeloom.infrastructure.references.bibtex.entries import (
    BibEntry,
    EntryInheritance,
    read_entries,
)
from citeloom.infrastructure.references.bibtex.fields import NOT_WORKS, csl_of, paths_of
from citeloom.infrastructure.references.fields.latex_reader import from_latex
from citeloom.infrastructure.references.formats.csl import labels
from citeloom.infrastructure.references.formats.source_item import SourceItem


def read_bib(text: str) -> tuple[list[SourceItem], tuple[str, ...]]:
    """The items of a BibTeX or BibLaTeX file, and warnings by line.

    ``xdata`` and ``crossref`` are resolved; tags come from ``keywords``, collections from
    ``groups`` (of JabRef and Mendeley), files from ``file``.
    """
    file = read_entries(text)
    warnings = list(file.warnings)
    relations = EntryInheritance(file.entries)
    items: list[SourceItem] = []
    for entry in file.entries:
        if entry.kind in NOT_WORKS:
            continue
        if (missing := relations.missing(entry)) is not None:
            warnings.append(
                f"line {entry.line}, entry {entry.key}: refers to {missing}, which is not in the "
                "file; add it, or what is inherited from it is missing"
            )
        items.append(_item(entry, relations.fields(entry)))
    return items, tuple(warnings)


def _item(entry: BibEntry, fields: Mapping[str, str]) -> SourceItem:
    return SourceItem(
        csl=csl_of(entry.kind, entry.key, fields),
        files=tuple(_files(fields)),
        tags=_labels(fields, "keywords", "mendeley-tags"),
        collections=_labels(fields, "groups", "mendeley-groups"),
        line=entry.line,
    )


def _files(fields: Mapping[str, str]) -> Iterator[str]:
    for name in ("file", "pdf", "localfile"):
        if name in fields:
            yield from paths_of(fields[name])


def _labels(fields: Mapping[str, str], *names: str) -> tuple[str, ...]:
    parts = (label for name in names if name in fields for label in _split(fields[name]))
    return tuple(dict.fromkeys(parts))


def _split(text: str) -> tuple[str, ...]:
    """Keywords, separated by semicolons, or by commas outside of braces.

    Better BibTeX separates by bare commas, and writes a semicolon for a comma in a tag.
    """
    if ";" not in text or re.search(r",(?! )", text):
        parts = [part.replace("; ", ", ") for part in split_tex_string(text, ",")]
    else:
        parts = text.split(";")
    return labels([from_latex(part) if "\\" in part else part.strip(" {}") for part in parts])
