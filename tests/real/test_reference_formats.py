"""One library of 1,241 items as Better BibTeX JSON, CSL-JSON and BibLaTeX: the same citations."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.paths import SHARED

from citeloom.application.ports.citation import ReferenceLibrary
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.infrastructure.references.fields.plain_text import plain
from citeloom.infrastructure.references.reader import FileReferenceReader

DATA = SHARED / "zotero"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data beside the checkout"),
]

FIELDS = ("title", "authors", "year", "doi", "url", "type", "container_title", "page", "tags")
# How many items differ in a field after what FOLDED says was put aside, and why. The BibLaTeX
# file was exported from the same items with ``skipFields: abstract, note, file``.
ACCEPTED = {
    "abstract": 310, "note": 15,  # told to leave them out
    "source": 615, "call-number": 41, "archive": 31, "archive_location": 19, "section": 11,
    # BibLaTeX has no field for those, or Better BibTeX does not write it
    "container-title-short": 177, "genre": 13,  # abbreviated by Better BibTeX; "Letter" of letters
    "type": 69,  # 48 of magazines and newspapers are @article, 21 maps are @misc
    "contributor": 17, "author": 21,
    # cartographers are collaborators; a stray small word in a name is taken for a particle
    "container_title": 26,  # 11 newspapers with their section, 15 web sites are not exported
    "authors": 2,  # and if nobody else answers for a page, its web site does
    "issued": 38,  # 12/4/2007: which is the month, Better BibTeX guesses by the reader's locale
    "accessed": 25, "url": 2, "PMID": 2,  # addresses of JSTOR and PubMed that become eprints
    "language": 17,  # not exported where babel has no name for it
    "tags": 3,  # the only tag holds a comma, which Better BibTeX writes as it separates others
    "publisher": 1,  # "howpublished" of a working paper
}  # fmt: skip


def _folded(value: Any) -> Any:
    """Without case and punctuation: Better BibTeX writes English titles in title case."""
    return re.sub(r"\W+", " ", plain(value)).strip().casefold()


def _bare_url(value: Any) -> Any:
    return re.sub(r"^https?://(?:www\.)?", "", value or "")


FOLDED: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("title", "container_title", "page", "title-short", "collection-title",
                     "publisher", "number", "issue"), _folded),
    "authors": lambda value: tuple(map(_folded, value)),
    "url": _bare_url,
    "tags": frozenset,
    "ISBN": lambda value: re.sub(r"[\s-]", "", value or "").upper(),
}  # fmt: skip
# In ``csl`` beside the fields of CitationMeta.
_SAID_BEFORE = {"id", "citation-key", "title", "page", "type", "URL", "container-title"}


@pytest.fixture(scope="module")
def exported() -> ReferenceLibrary:
    return FileReferenceReader().read(DATA / "bbt-1241-items.json")


@pytest.fixture(scope="module")
def biblatex() -> ReferenceLibrary:
    return FileReferenceReader().read(DATA / "bbt-1241-items.bib")


def test_all_items_are_in_each(exported: ReferenceLibrary, biblatex: ReferenceLibrary) -> None:
    text = (DATA / "bbt-1241-items.bib").read_text("utf-8")
    keys = re.findall(r"^@\w+\{([^,]+),", text, re.MULTILINE)
    assert [item.citekey for item in biblatex.items] == keys
    assert len(exported.items) == len(keys) == 1241
    assert biblatex.warnings == ()


def test_csl_json_says_what_the_export_says(exported: ReferenceLibrary, tmp_path: Path) -> None:
    path = tmp_path / "library.json"
    path.write_text(json.dumps([dict(item.csl) for item in exported.items]), encoding="utf-8")
    read = FileReferenceReader().read(path)
    # CSL has no variable for tags, collections and Zotero's key.
    none: dict[str, Any] = {"tags": (), "collections": (), "item_key": None}
    assert read.items == tuple(item.model_copy(update=none) for item in exported.items)
    assert read.warnings == ()


def test_biblatex_says_what_the_export_says(
    exported: ReferenceLibrary, biblatex: ReferenceLibrary
) -> None:
    pairs = _pairs(exported, biblatex)
    assert len(pairs) == 1241
    found = Counter(name for one, other in pairs for name in _differences(one, other))
    assert found == ACCEPTED


def _pairs(
    exported: ReferenceLibrary, biblatex: ReferenceLibrary
) -> list[tuple[CitationMeta, CitationMeta]]:
    """Items of the export, which has no keys, with those of the same title: of several the
    most alike."""
    by_title: dict[str, list[CitationMeta]] = {}
    for item in biblatex.items:
        by_title.setdefault(_folded(item.title).replace(" ", ""), []).append(item)
    pairs = []
    for item in exported.items:
        candidates = by_title.get(_folded(item.title).replace(" ", ""), [])
        if candidates:
            best = min(candidates, key=lambda other: len(_differences(item, other)))
            candidates.remove(best)
            pairs.append((item, best))
    return pairs


def _differences(one: CitationMeta, other: CitationMeta) -> list[str]:
    def same(value: Any) -> Any:
        return value

    names = [
        name
        for name in FIELDS
        if FOLDED.get(name, same)(getattr(one, name))
        != FOLDED.get(name, same)(getattr(other, name))
    ]
    variables = (one.csl.keys() | other.csl.keys()) - _SAID_BEFORE
    return names + [
        name
        for name in variables
        if FOLDED.get(name, same)(one.csl.get(name)) != FOLDED.get(name, same)(other.csl.get(name))
    ]
