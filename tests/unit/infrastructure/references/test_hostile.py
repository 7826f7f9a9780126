"""Whatever bytes a file holds: items, warnings, or ReferencesUnreadable, and soon."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.errors import ReferencesUnreadable
from citeloom.infrastructure.references.reader import FileReferenceReader

FRAGMENTS = (
    "@article{", "@book(", "@string{", "@comment{", "@xdata{", "@", "{", "}", '"', "(", ")", ",",
    "=", "#", "\\", "$", "%", "~", "title = {", "author = {", "a and b", "crossref={a}", "xdata=a,",
    "date={", "2020-21/..", "-0333", "file={:C\\:/x:PDF;", "keywords={a;b}", "key", "a,", "\n", " ",
    "TY  - JOUR\n", "ER  - \n", "AU  - A, B, C, D\n", "PY  - 2020///x\n", "SP  - 1\n", "KW  - \n",
    "PMID- 1\n", "FAU - ", "references:\n", "- id: a\n", "  title: *x\n", "&x ", "*x ", "[", "]",
    "  issued: {year: ", "---\n", ": ", "!!int ", "null", "?", "\0", "\t", "é", "\ud7ff", "1", "''",
    '[{"id": "a", ', '"issued": ', '"title": "', '{"date-parts": [[', "]]}", '"items": [',
    "\\emph{",
)  # fmt: skip
STARTS = (
    "@article{a, title = {", "@book{", "TY  - BOOK\n", "PMID- 1\n", "references:\n- id: a\n",
    '[{"id": "a", "title": "', "",
)  # fmt: skip


def read(path: Path, content: bytes) -> tuple[CitationMeta, ...]:
    """No items where the file is refused."""
    path.write_bytes(content)
    try:
        return FileReferenceReader().read(path).items
    except ReferencesUnreadable:
        return ()


def assert_keyed_and_serializable(items: Sequence[CitationMeta]) -> None:
    keys = [item.citekey for item in items]
    assert len(set(keys)) == len(keys)
    assert all(item.model_dump_json() for item in items)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile") / "library.bib"


@given(st.sampled_from(STARTS), st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=5)))
def test_no_text_breaks_a_reader(path: Path, start: str, parts: list[str]) -> None:
    assert_keyed_and_serializable(
        read(path, (start + "".join(parts)).encode("utf-8", "surrogatepass"))
    )


@given(st.sampled_from(STARTS), st.binary(max_size=60))
def test_no_bytes_break_a_reader(path: Path, start: str, content: bytes) -> None:
    assert_keyed_and_serializable(read(path, start.encode() + content))


# Each would take minutes, or all memory, if a reader went over it again and again.
LONG = {
    "open entries": "@a{b, t={\n" * 5000,
    "open entries in an open one": "@a{b,t={" + "\n@a{b,t={}\n" * 5000,
    "texts without braces": '@a(b, t="x")\n' * 5000,
    "fields": "@a{b," + 't="x",' * 20_000,
    "open comments": "@comment{\n" * 20_000,
    "deep braces": "@a{b, title=" + "{" * 100_000,
    "deep braces that close": "@a{b, title=" + "{" * 90 + "x" + "}" * 91,
    "deeper braces that close": "@a{b, title=" + "{" * 5000 + "x" + "}" * 5001,
    "macros": "@a{b, title=" + "x # " * 20_000 + "x}",
    "accents": '@a{b, title={' + '\\"{o}' * 8000 + "}}",
    "commands": "@a{b, title={" + "\\emph " * 8000 + "}}",
    "formulas": "@a{b, title={" + "$x_" * 8000 + "}}",
    "open formulas": "@a{b, title={" + "\\(" * 10_000 + "}}",
    "names": "@a{b, title={T}, author={" + "a and " * 10_000 + "b}}",
    "commas in a name": "@a{b, title={T}, author={" + "a," * 20_000 + "b}}",
    "blank lines": "@a{b, title={T" + "\n" * 100_000 + "}",
    "parents": "".join(f"@a{{k{n}, title={{T}}, crossref={{k{n + 1}}}}}\n" for n in range(2000)),
    "a ring of parents": "@a{a, crossref={b}}\n@a{b, crossref={a}, xdata={a,b}}",
    "files": "@a{b, title={T}, file={" + "x\\;:" * 20_000 + "}}",
    "RIS records": "TY  - JOUR\n" * 20_000,
    "an author of many words": "TY  - JOUR\nTI  - t\nAU  - " + "1/" * 100_000,
    "RIS lines that go on": "TY  - JOUR\nAB  - x\n" + "y\n" * 50_000,
    "MEDLINE lines": "PMID- 1\nAB  - x\n" + "      y\n" * 50_000,
    "deep YAML": "- id: a\n  x: " + "[" * 50_000,
    "deep YAML blocks": "- id: a\n  x:\n" + "".join(" " * n + "-\n" for n in range(3, 400)),
    "a YAML number without digits": "references:\n- id: !!int ",
    "YAML aliases": "- id: a\n  x: &a [y, y]\n" + "".join(
        f"  x{n}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(24)
    ),
    "deep JSON": "[" * 100_000,
    "blanks": " " * 1_000_000 + "x",
    "signs": "@" * 200_000,
    "dashes": "---\n" * 50_000,
}  # fmt: skip


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", LONG)
def test_no_length_keeps_a_reader_going(path: Path, name: str) -> None:
    assert_keyed_and_serializable(read(path, LONG[name].encode()))
