"""Works written in the formats of reference managers, and read back."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.application.ports.citation import ReferenceFormat
from citeloom.domain.citation.metadata import CitationMeta, CiteKey
from citeloom.infrastructure.references.fields.latex_writer import escaped, rich
from citeloom.infrastructure.references.formats.csl import meta_from_csl
from citeloom.infrastructure.references.reader import FileReferenceReader
from citeloom.infrastructure.references.writer import write_references

READER = FileReferenceReader()
SUFFIX = {
    ReferenceFormat.BIBTEX: "bib",
    ReferenceFormat.BIBLATEX: "bib",
    ReferenceFormat.CSL_JSON: "json",
    ReferenceFormat.RIS: "ris",
}
FORMATS = sorted(SUFFIX)
SAME = ("citekey", "title", "authors", "year", "doi", "type", "container_title", "page", "tags")


def work(key: str = "marsh2019", tags: tuple[str, ...] = (), **csl: Any) -> CitationMeta:
    item = {"type": "article-journal", "title": "Tides", "id": key, **csl}
    return meta_from_csl(item, key, tags=tags)


PAPER = work(
    title="How the tide turns: 100 % slow_water & $alt # of {braces}",
    author=[
        {"family": "Marsh", "given": "Ada B."},
        {"family": "Wal", "given": "Jan", "non-dropping-particle": "van der"},
        {"literal": "Harbour and Sons"},
        {"family": "King", "given": "Neville", "suffix": "Jr."},
    ],
    issued={"date-parts": [[2019, 5, 3]]},
    page="127–135",
    volume="12",
    issue="3",
    DOI="10.1234/jqc.2019_127",
    URL="https://example.org/a_b?c=1&d=%20#e~f",
    tags=("mud", "Law, maritime"),
    **{"container-title": "Journal of Quiet Coasts"},
)


def written(work: CitationMeta, format: ReferenceFormat) -> str:
    return write_references([work], format)


def read_back(works: list[CitationMeta], format: ReferenceFormat, folder: Path) -> Any:
    path = folder / f"works.{SUFFIX[format]}"
    path.write_text(write_references(works, format), "utf-8")
    return READER.read(path)


def fields(work: CitationMeta) -> dict[str, Any]:
    return {name: getattr(work, name) for name in SAME}


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_written_is_read_back_the_same(format: ReferenceFormat, tmp_path: Path) -> None:
    library = read_back([PAPER], format, tmp_path)
    assert library.warnings == ()
    (back,) = library.items
    assert fields(back) == fields(PAPER)
    assert back.url == PAPER.url


TEXT = st.text(
    st.characters(codec="utf-8", categories=["L", "N", "P", "S"], exclude_characters="<>"),
    min_size=1,
    max_size=8,
)
TITLES = st.lists(TEXT.filter(lambda word: "--" not in word), min_size=1, max_size=4).map(" ".join)
KEYS = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=3, max_size=9).filter(
    lambda key: CiteKey.is_valid(key) and not key.isdigit()
)


@given(KEYS, st.integers(1500, 2100), st.sampled_from([ReferenceFormat.CSL_JSON]), TITLES)
def test_any_title_and_key_come_back(
    tmp_path_factory: pytest.TempPathFactory,
    key: str,
    year: int,
    format: ReferenceFormat,
    title: str,
) -> None:
    made = work(key, title=title, issued={"date-parts": [[year]]})
    (back,) = read_back([made], format, tmp_path_factory.getbasetemp()).items
    assert (back.citekey, back.year, back.title) == (key, year, made.title)


@given(st.text(st.characters(codec="ascii", exclude_categories=["C"]), max_size=20))
def test_what_is_escaped_has_balanced_braces_and_no_bare_commands(text: str) -> None:
    made = escaped(text)
    bare = made.replace("\\{", "").replace("\\}", "")
    assert bare.count("{") == bare.count("}")
    assert not set(made.replace("\\textbackslash", "")) & set("%#&$_") or "\\" in made


@each(
    ("title", "language", "protected"),
    [
        ("Fitting models in Python with DNA", "en", "Fitting models in {Python} with {DNA}"),
        ("The City Reader of New York", "en", "The City Reader of New York"),
        ("An iPhone for Every Heron", "en", "An {iPhone} for Every Heron"),
        ("Der Hafen und die Stadt", "de", "Der {Hafen} und die {Stadt}"),
        ("Growth of <i>Fucus</i> in H<sub>2</sub>O", "en",
         r"Growth of \textit{{Fucus}} in H\textsubscript{2}O"),
        ('x <span class="nocase">de Vries</span>', "en", "x {de Vries}"),
        ("The UNIX Time-Sharing System", "en", "The {UNIX} Time-Sharing System"),
        ("Scattering of X-ray pulses at Tide-Locked planets", "en",
         "Scattering of {X-ray} pulses at {Tide-Locked} planets"),
    ],
)  # fmt: skip
def test_capitals_that_mean_something_are_kept_from_styles(
    title: str, language: str, protected: str
) -> None:
    assert rich(title, protect=language) == protected


def test_what_styles_do_not_lower_has_no_braces() -> None:
    made = written(
        work(**{"container-title": "Journal of Cryptology of the ACM"}), ReferenceFormat.BIBTEX
    )
    assert "  journal = {Journal of Cryptology of the ACM},\n" in made


@each("format", [one for one in ReferenceFormat if one != ReferenceFormat.CSL_JSON])
@each(
    ("note", "kept"),
    [
        ("Citation Key: marsh2019", ""),
        ("Read twice.\nCitation Key: marsh2019\nPMID: 12", "Read twice. PMID: 12"),
        ("Citation Key: marsh2019 Read twice.", "Read twice."),
    ],
)
def test_a_citation_key_is_no_note(format: ReferenceFormat, note: str, kept: str) -> None:
    made = written(work(note=note), format)
    assert "Citation Key" not in made
    assert ("note = {" in made or "N1  - " in made) == bool(kept)
    assert kept in " ".join(made.split())


def test_bibtex_has_its_own_types_months_and_fields() -> None:
    made = written(PAPER, ReferenceFormat.BIBTEX)
    assert made.startswith("@article{marsh2019,\n")
    assert "  month = may,\n" in made
    assert "  pages = {127--135},\n" in made
    assert "  journal = {Journal of Quiet Coasts},\n" in made
    assert (
        "  author = {Marsh, Ada B. and van der Wal, Jan and {Harbour and Sons} "
        "and King, Jr., Neville},\n" in made
    )
    assert r"100 \% slow\_water \& \$alt \# of \{braces\}" in made
    assert "  url = {https://example.org/a_b?c=1&d=%20#e~f},\n" in made
    thesis = work(type="thesis", genre="Master thesis", publisher="U")
    assert written(thesis, ReferenceFormat.BIBTEX).startswith("@mastersthesis{")
    assert "  school = {U},\n" in written(thesis, ReferenceFormat.BIBTEX)


def test_biblatex_has_its_own_types_dates_and_fields() -> None:
    made = written(PAPER, ReferenceFormat.BIBLATEX)
    assert "  date = {2019-05-03},\n" in made
    assert "  journaltitle = {Journal of Quiet Coasts},\n" in made
    assert "  options = {useprefix=true},\n" in made
    ranged = work(issued={"date-parts": [[1985, 12], [1986, 2]]})
    assert "  date = {1985-12/1986-02},\n" in written(ranged, ReferenceFormat.BIBLATEX)
    for tag, field in (("de-DE", "langid = {ngerman}"), ("en-GB", "langid = {british}"),
                       ("da", "langid = {danish}"), ("tlh", "language = {tlh}")):  # fmt: skip
        assert f"  {field},\n" in written(work(language=tag), ReferenceFormat.BIBLATEX)
    web = work(type="webpage", accessed={"date-parts": [[2023, 1, 2]]})
    assert written(web, ReferenceFormat.BIBLATEX).startswith("@online{")
    assert "  urldate = {2023-01-02},\n" in written(web, ReferenceFormat.BIBLATEX)


def test_ris_has_a_record_for_each_work_and_no_numbers_between() -> None:
    made = write_references([PAPER, work("b")], ReferenceFormat.RIS)
    lines = [line for line in made.splitlines() if line]
    assert lines[0] == "TY  - JOUR"
    assert all(line[2:6] == "  - " for line in lines)
    assert [line for line in lines if line.startswith("ID")] == ["ID  - marsh2019", "ID  - b"]
    assert "SP  - 127" in lines
    assert "EP  - 135" in lines
    assert "DA  - 2019/05/03/" in lines


def test_csl_json_is_the_item_that_was_read() -> None:
    import json

    (item,) = json.loads(written(PAPER, ReferenceFormat.CSL_JSON))
    assert {k: v for k, v in item.items() if k != "keyword"} == {
        k: v for k, v in PAPER.csl.items() if k != "keyword"
    }


@each("format", FORMATS)
def test_no_works_make_an_empty_file(format: ReferenceFormat) -> None:
    empty = "[]\n" if format is ReferenceFormat.CSL_JSON else ""
    assert write_references([], format) == empty


HOSTILE = PAPER.model_copy(
    update={
        "title": "} \\input{/etc/passwd}, note = {x} \\write18{id} ^^5cinput % $x$",
        "url": "java\tscript:alert(1)",
        "tags": ("mud\nUR  - javascript:alert(1)",),
        "csl": {},
    }
)


@pytest.mark.parametrize("format", FORMATS)
def test_a_field_runs_nothing_and_stays_what_it_is(format: ReferenceFormat, tmp_path: Path) -> None:
    made = written(HOSTILE, format)
    assert not re.search(r"^(?:UR  -|\s*url =|\s*\"URL\":)", made, re.MULTILINE)
    (back,) = read_back([HOSTILE], format, tmp_path).items
    assert back.title == HOSTILE.title
    assert not back.url


@pytest.mark.parametrize("format", [ReferenceFormat.BIBTEX, ReferenceFormat.BIBLATEX])
def test_no_command_and_no_field_of_a_texts_own(format: ReferenceFormat) -> None:
    lines = written(HOSTILE, format).splitlines()
    (title,) = (line for line in lines if line.startswith("  title ="))
    value = title.split("= ", 1)[1].rstrip(",")
    depth = 0
    for at, char in enumerate(value):
        depth += {"{": 1, "}": -1}.get(char, 0)
        assert depth > 0 or at == len(value) - 1  # the field ends with its last brace
    assert set(re.findall(r"\\([A-Za-z]+|\W)", value)) <= {
        "textbackslash", "textbraceleft", "textbraceright", "textasciicircum", "%", "$",
    }  # fmt: skip


def test_a_formula_is_text_in_a_reference_file() -> None:
    work = PAPER.model_copy(update={"container_title": "=1+1", "csl": {}})
    assert "  journal = {=1+1},\n" in written(work, ReferenceFormat.BIBTEX)


ODD_MONTHS: dict[str, Any] = {"object": {}, "word": "May", "half": 13.5, "long": "9" * 5000}


@pytest.mark.parametrize("month", ODD_MONTHS.values(), ids=ODD_MONTHS)
@pytest.mark.parametrize("format", FORMATS)
def test_parts_of_a_date_that_are_no_numbers_are_left_out(
    format: ReferenceFormat, month: Any, tmp_path: Path
) -> None:
    issued = {"date-parts": [[2019, month, 3]]}
    (back,) = read_back([work(issued=issued)], format, tmp_path).items
    assert back.year in (2019, None)


@pytest.mark.parametrize("format", [ReferenceFormat.BIBTEX, ReferenceFormat.BIBLATEX])
def test_an_arxiv_id_is_an_eprint(format: ReferenceFormat, tmp_path: Path) -> None:
    paper = work(type="article", number="arXiv:1512.02900")
    text = written(paper, format)
    server = "archiveprefix" if format is ReferenceFormat.BIBTEX else "eprinttype"
    assert f"  eprint = {{1512.02900}},\n  {server} = {{arXiv}},\n" in text
    assert "number =" not in text
    (again,) = read_back([paper], format, tmp_path).items
    assert again.csl["number"] == "arXiv:1512.02900"


@each(
    ("text", "latex"),
    [
        ("B^ε-trees", r"B\textasciicircum{}\ensuremath{\varepsilon}-trees"),
        ("Περὶ ψυχῆς", "Περὶ ψυχῆς"),
        ("CO₂ and 10⁶", r"CO\textsubscript{2} and 10\textsuperscript{6}"),
        ("simpli▯ed", r"simpli\fbox{?}ed"),
        ("a ≤ b", r"a \ensuremath{\leq} b"),
        ("Straße – “é” ± 3 °C, ★", "Straße – “é” ± 3 °C, ★"),
    ],
)
def test_symbols_that_pdflatex_has_not_are_commands(text: str, latex: str) -> None:
    assert escaped(text) == latex


def test_bibtex_sorts_a_work_without_authors_by_its_title() -> None:
    text = written(work(author=None, title="Of Ponds & Weirs"), ReferenceFormat.BIBTEX)
    assert r"  key = {Of Ponds \& Weirs}," in text
    named = work(author=[{"family": "Varga", "given": "Ilka"}])
    assert "key =" not in written(named, ReferenceFormat.BIBTEX)


@pytest.mark.parametrize("format", FORMATS)
def test_authors_who_are_not_listed_are_written_and_read(
    tmp_path: Path, format: ReferenceFormat
) -> None:
    paper = work(author=[{"family": "Varga", "given": "Ilka"}, {"literal": "others"}])
    assert paper.authors == ("Ilka Varga", "et al.")
    path = tmp_path / f"written.{SUFFIX[format]}"
    path.write_text(write_references([paper], format), encoding="utf-8")
    (again,) = READER.read(path).items
    assert again.authors == paper.authors
    assert again.csl["author"][-1] == {"literal": "others"}


@each(
    ("format", "field"),
    [
        (ReferenceFormat.BIBTEX, "annote"),
        (ReferenceFormat.BIBLATEX, "annotation"),
        (ReferenceFormat.RIS, "N1  - "),
        (ReferenceFormat.CSL_JSON, '"annote"'),
    ],
)
def test_a_readers_note_is_not_the_note_that_styles_print(
    format: ReferenceFormat, field: str
) -> None:
    text = written(work(note="Second edition.", annote="Weak & short."), format)
    assert field in text
    assert re.search(r"Weak \\?& short\.", text)
    if format is not ReferenceFormat.RIS:
        (line,) = [one for one in text.splitlines() if re.match(r'\s*"?note"?\b', one)]
        assert "Weak" not in line
