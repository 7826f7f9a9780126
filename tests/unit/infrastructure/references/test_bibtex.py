"""BibTeX and BibLaTeX: entries, what they inherit, their fields in CSL's words, their files."""

from typing import Any

import pytest
from support.cases import each

from citeloom.infrastructure.references.bibtex import reader
from citeloom.infrastructure.references.bibtex.fields import language_tag, names_of, paths_of
from citeloom.infrastructure.references.bibtex.reader import read_bib, read_entries
from citeloom.infrastructure.references.formats.source_item import warnings_of


def csl(text: str) -> dict[str, Any]:
    (item,), warnings = read_bib(text)
    assert warnings == ()
    return item.csl


def test_a_better_bibtex_entry_becomes_a_csl_item() -> None:
    text = r"""
@article{Oldrup2009CityRural,
  author = {van Oldrup, Helene and {{Danish Building Institute}}},
  date = {2009-04-21},
  doi = {10.1080/14036090802476622},
  eprint = {1706.03762},
  eprinttype = {arxiv},
  file = {/home/a/x.pdf;/home/a/y.html},
  issn = {1403-6096},
  journaltitle = {Housing, Theory and Society},
  keywords = {city,Philosophy; Modern},
  langid = {danish},
  number = {1},
  options = {useprefix=true},
  pages = {42--63},
  shortjournal = {Hous. Theory Soc.},
  title = {Between the {{City}} and the \emph{Rural}: H$_2$O},
  url = {http://example.org/a\_b},
  urldate = {2014-11-09},
  volume = {27}
}"""
    (item,), warnings = read_bib(text)
    assert (item.files, item.tags) == (
        ("/home/a/x.pdf", "/home/a/y.html"), ("city", "Philosophy, Modern"),
    )  # fmt: skip
    assert (item.line, warnings) == (2, ())
    assert item.csl == {
        "id": "Oldrup2009CityRural", "citation-key": "Oldrup2009CityRural",
        "type": "article-journal",
        "title": "Between the City and the <i>Rural</i>: H<sub>2</sub>O",
        "container-title": "Housing, Theory and Society",
        "container-title-short": "Hous. Theory Soc.", "volume": "27", "issue": "1",
        "page": "42–63", "ISSN": "1403-6096", "language": "da", "number": "arXiv:1706.03762",
        "accessed": {"date-parts": [[2014, 11, 9]]}, "issued": {"date-parts": [[2009, 4, 21]]},
        "DOI": "10.1080/14036090802476622", "URL": "http://example.org/a_b",
        "author": [
            {"family": "Oldrup", "given": "Helene", "non-dropping-particle": "van"},
            {"literal": "Danish Building Institute"},
        ],
    }  # fmt: skip


def test_classic_bibtex_with_macros_is_read() -> None:
    text = """
@STRING{NAS = {Nat. Acad. Sci.}}
@string(pnas = "Proc. " # nas)
@Preamble{"\\newcommand{x}"}
@PhdThesis ( m\u00fcller:2020 , Author = "M{\\"u}ller, J{\\'e}r{\\^o}me", title = "A" # {B} # 1,
   YEAR = 2020, month = "10~" # jan, school = {Z{\\"u}rich}, Journal = PNAS, )
"""
    item = csl(text)
    assert item["id"] == "müller:2020"
    assert (item["title"], item["publisher"], item["genre"]) == ("AB1", "Zürich", "PhD thesis")
    assert item["issued"] == {"date-parts": [[2020, 1, 10]]}
    assert item["author"] == [{"family": "Müller", "given": "Jérôme"}]
    assert item["container-title"] == "Proc. Nat. Acad. Sci."


def test_an_undefined_string_is_told_and_taken_as_it_is() -> None:
    (item,), warnings = read_bib("@book{a,\n title={T},\n publisher = ACM,\n month = sept}")
    assert item.csl["publisher"] == "ACM"
    assert warnings == ("no @string defines ACM (line 3); kept as written",)


def test_crossref_and_xdata_are_followed() -> None:
    text = """
@xdata{mit, publisher = {MIT Press}, location = {Cambridge}}
@incollection{a, title = {Part}, author = {Doe, J.}, crossref = {Whole}, pages = {1--2}}
@collection{whole, title = {Whole}, subtitle = {A Book}, date = {2001}, editor = {Roe, R.},
  shorttitle = {W}, xdata = {mit}}
@inproceedings{b, title = {Talk}, crossref = {c}}
@proceedings{c, title = {Proceedings}, booktitle = {Proc. of C}, year = 1999, crossref = {b}}
@inbook{e, title = {Act}, crossref = {f}}
@mvbook{f, author = {Shakespeare}, title = {Works}}
@article{d, title = {Lost}, crossref = {nobody}}
"""
    items, warnings = read_bib(text)
    by_key = {item.csl["id"]: item.csl for item in items}
    assert list(by_key) == ["a", "whole", "b", "c", "e", "f", "d"]
    a = by_key["a"]
    assert (a["title"], a["container-title"]) == ("Part", "Whole: A Book")
    assert (a["publisher"], a["publisher-place"]) == ("MIT Press", "Cambridge")
    assert (a["issued"], a["editor"]) == (
        {"date-parts": [[2001]]}, [{"family": "Roe", "given": "R."}],
    )  # fmt: skip
    assert "title-short" not in a
    assert by_key["b"]["container-title"] == "Proc. of C"
    assert by_key["e"]["author"] == by_key["e"]["container-author"] == [{"family": "Shakespeare"}]
    assert warnings == (
        "line 10, entry d: refers to nobody, which is not in the file; add it, or what is "
        "inherited from it is missing",
    )


@each(
    ("entry", "expected"),
    [
        ("@misc{a, title={T}, howpublished={\\url{http://x.org/a_b}}}", {"URL": "http://x.org/a_b"}),
        ("@techreport{a, title={T}, number={7}, institution={I}}",
         {"type": "report", "number": "7", "publisher": "I"}),
        ("@book{a, title={T}, number={7}, series={S}}",
         {"collection-number": "7", "collection-title": "S"}),
        ("@article{a, title={T}, entrysubtype={newspaper}}", {"type": "article-newspaper"}),
        ("@online{a, title={T}, eprinttype={arxiv}, eprint={1.2}}", {"type": "article"}),
        ("@article{a, title={T}, issue={Spring}}", {"issue": "Spring"}),
        ("@thesis{a, title={T}, type={mathesis}}", {"genre": "Master’s thesis"}),
        ("@book{a, title={Why?}, subtitle={So}}", {"title": "Why? So"}),
        ("@book{a, title={T}, author={A}, editorb={B}, editorbtype={redactor}}",
         {"collection-editor": [{"family": "B"}]}),
        ("@article{a, title={T}, eprinttype={jstor}, eprint={12}}",
         {"URL": "https://www.jstor.org/stable/12"}),
        ("@article{a, title={T}, date={2011~/2012-06}}",
         {"issued": {"date-parts": [[2011], [2012, 6]], "circa": True}}),
        ("@article{a, title={T}, year={2011}, month={3}, day={7}}",
         {"issued": {"date-parts": [[2011, 3, 7]]}}),
        ("@article{a, title={T}, year={in press}}", {"issued": {"literal": "in press"}}),
        ("@book{a, title={T}, publisher={A and {B and C}}}", {"publisher": "A and B and C"}),
        ("@inbook{a, title={Ode}, booktitle={Odes}, maintitle={Works}, volume={5}}",
         {"title": "Ode", "container-title": "Works", "volume-title": "Odes", "volume": "5"}),
        ("@book{a, title={The {\\TeX} book}, maintitle={Computers \\& Typesetting}}",
         {"title": "The TeX book", "collection-title": "Computers & Typesetting"}),
        ("@inproceedings{a, title={T}, booktitle={B}, booktitleaddon={Proc. of C}}",
         {"container-title": "B. Proc. of C"}),
        ("@patent{a, title={T}, author={A}, holder={{H}}, type={patenteu}}",
         {"author": [{"family": "A"}], "genre": "European patent"}),
        ("@patent{a, title={T}, holder={{H}}}", {"author": [{"literal": "H"}]}),
        ("@article{a, title={T}, journal={arXiv preprint arXiv:1706.03762}}",
         {"number": "arXiv:1706.03762"}),
        ("@misc{a, title={T}, publisher={arXiv}, number={arXiv:1706.03762}}",
         {"type": "article", "number": "arXiv:1706.03762", "publisher": "arXiv"}),
        ("@inproceedings{a, title={T}, articleno={7}, numpages={12}}",
         {"number": "7", "number-of-pages": "12"}),
        ("@unheard{a, title={T}}", {"type": "document"}),
    ],
)  # fmt: skip
def test_fields_mean_what_biblatex_says(entry: str, expected: dict[str, Any]) -> None:
    assert expected.items() <= csl(entry).items()


@each(
    ("field", "names"),
    [
        ("van der Berg, Jr., Jan",
         [{"family": "Berg", "given": "Jan", "suffix": "Jr.", "non-dropping-particle": "van der"}]),
        ("Jean de La Fontaine",
         [{"family": "La Fontaine", "given": "Jean", "non-dropping-particle": "de"}]),
        ("{Barnes and Noble} and Doe, J. and others",
         [{"literal": "Barnes and Noble"}, {"family": "Doe", "given": "J."},
          {"literal": "others"}]),
        ("family=Duijn, given={Jan}, prefix=van, useprefix=false",
         [{"family": "Duijn", "given": "Jan", "dropping-particle": "van"}]),
        ("d'Ormesson, Jean",
         [{"family": "Ormesson", "given": "Jean", "non-dropping-particle": "d'"}]),
        ("{van den Berg}, Jan", [{"family": "van den Berg", "given": "Jan"}]),
        ("De la Cruz, Juan", [{"family": "De la Cruz", "given": "Juan"}]),
        (r"{\"O}ttl and Erd{\H o}s, P\'al",
         [{"family": "Öttl"}, {"family": "Erdős", "given": "Pál"}]),
        ("Plato", [{"family": "Plato"}]),
        ("a, b, c, d, e", [{"family": "a", "given": "b", "suffix": "c, d, e"}]),
        ("{} and ", []),
    ],
)  # fmt: skip
def test_names_are_read_as_bibtex_reads_them(field: str, names: Any) -> None:
    assert names_of(field) == names


def test_particles_drop_in_biblatex_unless_it_says_otherwise() -> None:
    entry = "@book{{a, title={{T}}, author={{van Berg, J.}}{}}}"
    assert "non-dropping-particle" in csl(entry.format(", year=2000"))["author"][0]
    assert "dropping-particle" in csl(entry.format(", date=2000"))["author"][0]
    for options in ("useprefix=true", "useprefix"):
        name = csl(entry.format(f", date=2000, options={{{options}}}"))["author"][0]
        assert name["non-dropping-particle"] == "van"


@each(
    ("field", "paths"),
    [
        ("/home/a/x.pdf", ["/home/a/x.pdf"]),
        (":files/1/x.pdf:PDF", ["files/1/x.pdf"]),
        (r"Full Text PDF:files/1/A\; b.pdf:application/pdf;Page:C\:\\Users\\me\\y.html:text/html",
         ["files/1/A; b.pdf", r"C:\Users\me\y.html"]),
        (r"C:\Users\me\x.pdf", [r"C:\Users\me\x.pdf"]),
        (":C:/x.pdf:PDF", ["C:/x.pdf"]),
        (r":C$\backslash$:/x.pdf:pdf", ["C:/x.pdf"]),
        (":home/me/x.pdf:pdf", ["/home/me/x.pdf"]),
        (r"\\server\share\x.pdf", [r"\\server\share\x.pdf"]),
        ("file:///C:/my%20x.pdf", ["file:///C:/my%20x.pdf"]),
        (r"a{\_}b\_c.pdf", ["a_b_c.pdf"]),
        ("x.pdf:PDF;My title:y.pdf", ["x.pdf", "y.pdf"]),
        ("http://example.org/x.pdf;;:", []),
    ],
)  # fmt: skip
def test_files_are_named_as_programs_name_them(field: str, paths: list[str]) -> None:
    assert list(paths_of(field)) == paths


def test_languages_become_tags() -> None:
    names = ("danish", "ngerman", "langenglish", "brazil", "de-CH", "Klingon")
    assert [language_tag(name) for name in names] == ["da", "de", "en", "pt-BR", "de-CH", "Klingon"]


def test_groups_are_collections() -> None:
    (item,), _ = read_bib("@book{a, title={T}, groups={Thesis, Water}, keywords={x; y, z}}")
    assert (item.collections, item.tags) == (("Thesis", "Water"), ("x", "y, z"))
    (item,), _ = read_bib("@book{a, title={T}, mendeley-groups={A/B}, mendeley-tags={x,y}}")
    assert (item.collections, item.tags) == (("A/B",), ("x", "y"))


def test_one_bad_entry_costs_itself_only() -> None:
    text = """me@x.org
@article{a1, title = {Good}}
@book{a2, title = {never closed,
  author = "x",
}

@book{a3, abstract = {a line
@article{x, like an entry
} in a field}, title = {T3}}
@comment{ @book{c1, title={no}}
@book{c2, title={no}}
}
@misc{, title={No key}}
@book{a6, title = {x} year = 2020}
@book{a7, title = {x}} @book{a8, title={y}}
@book{Smith 2020, title={x}}
@book{a9, title={last}
"""
    found = read_entries(text)
    assert [(entry.key, entry.line) for entry in found.entries] == [
        ("a1", 2), ("a3", 7), ("", 13), ("a6", 14), ("a7", 15), ("a8", 15), ("a9", 17),
    ]  # fmt: skip
    assert warnings_of(found.remarks) == [
        "line 3, entry a2: a brace or quote is not closed; the entry is left out",
        "line 14, entry a6: '}' expected; the rest of it is left out",
        "line 16, entry Smith: '}' expected; the entry is left out",
        "line 17, entry a9: a brace or quote is not closed; the rest of it is left out",
    ]


@each(
    ("author", "names"),
    [
        ("Wilshut E, Rinkenauer G, Brookhuis KA", [("Wilshut", "E"), ("Rinkenauer", "G"),
         ("Brookhuis", "KA")]),
        ("Pardee F., Van Dam J.-P. and Whitcomb, D.", [("Pardee", "F."), ("Van Dam", "J.-P."),
         ("Whitcomb", "D.")]),
        ("O'Brien T, Müller-Lund K", [("O'Brien", "T"), ("Müller-Lund", "K")]),
        (r"Smith, J.\,R. and Ek, A.\,B.", [("Smith", "J. R."), ("Ek", "A. B.")]),
        ("King Jr., Martin L. and Ford III, Henry", [("King", "Martin L."), ("Ford", "Henry")]),
        ("McKay, Jr., John W.", [("McKay", "John W.")]),
        ("Lund A, Bertil", [("Lund A", "Bertil")]),
    ],
)  # fmt: skip
def test_names_as_other_programs_list_them(author: str, names: list[tuple[str, str]]) -> None:
    (item,), _ = read_bib(f"@book{{a, title={{T}}, author={{{author}}}}}")
    found = [(one["family"], " ".join(one["given"].split())) for one in item.csl["author"]]
    assert found == names


@pytest.mark.parametrize(
    ("head", "key"),
    [("@book{book:{421090}", "book:421090"), ("@Misc {a{b}", "ab"), ("@book({c}", "c")],
)
def test_a_key_in_braces_loses_no_field(head: str, key: str) -> None:
    end = ")" if "(" in head else "}"
    (item,), _ = read_bib(f"{head}, title = {{Moss}}{end}\n")
    assert (item.csl["id"], item.csl["title"]) == (key, "Moss")


def parsed_characters(monkeypatch: pytest.MonkeyPatch, text: str) -> int:
    """How many characters the parser is given, however often."""
    given: list[int] = []
    parse = reader._parse

    def counted(part: str, *rest: Any) -> Any:
        given.append(len(part))
        return parse(part, *rest)

    monkeypatch.setattr(reader, "_parse", counted)
    read_bib(text)
    monkeypatch.undo()
    return sum(given)


@each(
    "form, times",
    [
        ("@a{k, t={\n", 3),
        ("@a(\n", 3),
        ("@a{\n", 3),
        ('@a(k, t="x\n', 5),
        ('@a{k, t="x\n', 3),
        ("@a{k,t={\n@a{k,t={\n@a{k,t=}}}}}}\n", 4),
    ],
)
def test_an_open_entry_is_parsed_a_few_times_whatever_follows(
    monkeypatch: pytest.MonkeyPatch, form: str, times: int
) -> None:
    text = form * 300
    assert parsed_characters(monkeypatch, text) <= times * len(text)


def test_strings_that_double_are_refused_with_their_entry() -> None:
    doubling = "".join(f"@string{{a{n} = a{n - 1} # a{n - 1}}}\n" for n in range(1, 40))
    text = f"@string{{a0 = {{{'x' * 16}}}}}\n{doubling}@book{{b, title={{T}}, note=a39}}\n"
    (item,), warnings = read_bib(text + "@book{c, title={U}}")[0][:1], read_bib(text)[1]
    assert item.csl["title"] == "T"
    assert max(map(len, warnings)) < 300
    assert "note" not in item.csl
    assert any("line 41, entry b: " in warning for warning in warnings)
    assert any("are too long; shorten the @string" in warning for warning in warnings)


def test_parents_of_many_add_no_more_than_the_file_bears() -> None:
    fields = "".join(f"f{n}={{{'x' * 50}}}," for n in range(1000))
    text = f"@xdata{{p, {fields}}}\n" + "@book{k, title={T}, xdata={p}}\n" * 1000
    entries = read_entries(text).entries
    relations = reader.EntryInheritance(entries)
    total = sum(len(value) for entry in entries for value in relations.fields(entry).values())
    assert total < 1_500_000 + 5 * len(text)
    warnings = read_bib(text)[1]
    assert len(warnings) == 1
    assert "so nothing is inherited: write them into the entry" in warnings[0]


def test_entries_with_one_fault_make_one_warning() -> None:
    warnings = read_bib("@a{k, t={\n" * 30)[1]
    assert warnings == (
        "30 places (line 1, entry k; line 2, entry k; line 3, entry k; …): "
        "a brace or quote is not closed; the entry is left out",
    )
