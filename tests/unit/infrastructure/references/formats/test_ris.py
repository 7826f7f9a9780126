"""RIS as Zotero, EndNote and publishers write it."""

from typing import Any

from support.cases import each

from citeloom.infrastructure.references.formats.ris import read_ris


def csl(text: str) -> dict[str, Any]:
    (item,) = read_ris(text)
    return item.csl


@each(
    ("lines", "families"),
    [
        (["AU  - Sánchez-Cordón, Pedro J.; Montoya, Maria; Dixon, Linda K."],
         ["Sánchez-Cordón", "Montoya", "Dixon"]),
        (["A1  - Ek, A.;Lund, B.", "A1  - Moss, C."], ["Ek", "Lund", "Moss"]),
        (["AU  - Ek, A.; Lund, B.; "], ["Ek", "Lund"]),
        (["AU  - M&uuml;ller, A.; Lund, B."], ["Müller", "Lund"]),
    ],
)  # fmt: skip
def test_authors_of_one_line_are_apart(lines: list[str], families: list[str]) -> None:
    text = "\n".join(["TY  - JOUR", "TI  - Ponds", *lines, "ER  - ", ""])
    assert [name["family"] for name in csl(text)["author"]] == families


def test_authors_who_are_not_listed() -> None:
    text = "TY  - JOUR\nTI  - Ponds\nAU  - Ek, A.\nAU  - et al.\nER  - \n"
    assert csl(text)["author"] == [{"family": "Ek", "given": "A."}, {"literal": "others"}]


def test_zoteros_dialect_is_read() -> None:
    text = """TY  - JOUR
TI  - Ponds & lakes
AU  - King, Martin Luther, Jr.
AU  - World Health Organization
T2  - Journal of Water
J2  - J Water
AB  - One line
and another.
DA  - 2020/03/15/
PY  - 2020
DO  - 10.1234/POND
SP  - 12
EP  - 19
VL  - 7
IS  - 2
SN  - 1234-5678
UR  - https://example.org/a;b
Y2  - 2021/01/02/10:00:00
L1  - files/12/King.pdf
L1  - https://example.org/x.pdf
KW  - water
KW  - ponds
ID  - king2020
ER  -
"""
    (item,) = read_ris(text)
    assert (item.files, item.tags, item.line) == (("files/12/King.pdf",), ("water", "ponds"), 1)
    assert item.csl == {
        "type": "article-journal", "id": "king2020", "citation-key": "king2020",
        "title": "Ponds & lakes", "container-title": "Journal of Water",
        "container-title-short": "J Water", "abstract": "One line and another.",
        "issued": {"date-parts": [[2020, 3, 15]]}, "accessed": {"date-parts": [[2021, 1, 2]]},
        "DOI": "10.1234/POND", "page": "12–19", "volume": "7", "issue": "2", "ISSN": "1234-5678",
        "URL": "https://example.org/a;b",
        "author": [
            {"family": "King", "given": "Martin Luther", "suffix": "Jr."},
            {"literal": "World Health Organization"},
        ],
    }  # fmt: skip


def test_endnotes_dialect_is_read() -> None:
    text = """
TY  - CPAPER
A1  - de Vries, Jan
A2  - Editor, Ed
T1  - A talk
T2  - Conference on Water
C3  - Proceedings of Water
Y1  - 2019///Summer
CY  - Bonn
KW  - water
ponds
AN  - 123
DB  - PubMed
L1  - internal-pdf://0123/x.pdf
ID  - 17
ER  -"""
    (item,) = read_ris(text)
    csl = item.csl
    assert (csl["title"], csl["container-title"]) == ("A talk", "Proceedings of Water")
    assert (csl["event-title"], csl["publisher-place"]) == ("Conference on Water", "Bonn")
    assert csl["issued"] == {"date-parts": [[2019]], "season": 2}
    assert csl["author"] == [{"family": "Vries", "given": "Jan", "non-dropping-particle": "de"}]
    assert csl["editor"] == [{"family": "Editor", "given": "Ed"}]
    assert (csl["PMID"], item.tags, item.files) == ("123", ("water", "ponds"), ())
    assert "id" not in csl  # a running number is not a citation key


@each(
    ("lines", "expected"),
    [
        ("TY  - BOOK\nA2  - Roe, R\nSN  - 978-0-415-55664-4\nSP  - 214\nM1  - 3",
         {"editor": [{"family": "Roe", "given": "R"}], "ISBN": "978-0-415-55664-4",
          "number-of-pages": "214", "number": "3"}),
        ("TY  - BOOK\nAU  - A\nA3  - Ed, E\nA2  - Ser, S",
         {"editor": [{"family": "Ed", "given": "E"}],
          "collection-editor": [{"family": "Ser", "given": "S"}]}),
        ("TY  - CHAP\nT2  - Book\nT3  - Series\nSP  - 1-9",
         {"type": "chapter", "container-title": "Book", "collection-title": "Series",
          "page": "1-9"}),
        ("TY  - JOUR\nPY  - 2020/05//", {"issued": {"date-parts": [[2020, 5]]}}),
        ("TY  - JOUR\nPY  - 2020\nDA  - 2019/01/01", {"issued": {"date-parts": [[2020]]}}),
        ("TY  - JOUR\nPY  - in press", {"issued": {"literal": "in press"}}),
        ("TY  - JOUR\nM3  - 10.1/x\nC2  - PMC12", {"DOI": "10.1/x", "PMCID": "PMC12"}),
        ("TY  - NOPE", {"type": "document"}),
        ("TY  - JOUR\nSN  - 00251496", {"ISSN": "00251496"}),
        ("TY  - BOOK\nSN  - 1-84520-067-5 978-1-84520-067-1",
         {"ISBN": "1-84520-067-5 978-1-84520-067-1"}),
        ("TY  - ELEC\nT2  - A site", {"container-title": "A site"}),
    ],
)  # fmt: skip
def test_tags_mean_what_their_type_says(lines: str, expected: dict[str, Any]) -> None:
    assert expected.items() <= csl(f"{lines}\nTI  - T\nER  - ").items()


def test_records_without_an_end_and_loose_tags_are_read() -> None:
    loose = "remark\nTY - JOUR\nTI - One\nTY - JOUR\nTI - Two"
    assert [item.csl["title"] for item in read_ris(loose)] == ["One", "Two"]
    assert [item.line for item in read_ris(loose)] == [2, 4]
    strict = "TY  - JOUR\nTI  - One\nAB  - begins\nAI - goes on\nER  -"
    assert csl(strict)["abstract"] == "begins AI - goes on"


@each("year", ["0000///", "0000", "0", "0000/01/01/"])
def test_a_year_of_zeros_is_none(year: str) -> None:
    assert "issued" not in csl(f"TY  - JOUR\nTI  - Ponds\nPY  - {year}\nER  - \n")


@each(
    "line",
    [
        "M3  - doi: 10.5555/pond.1",
        "L3  - 10.5555/pond.1",
        "UR  - https://doi.org/10.5555/pond.1",
        "UR  - http://dx.doi.org/10.5555/pond.1",
    ],
)
def test_a_doi_is_found_where_publishers_write_it(line: str) -> None:
    assert csl(f"TY  - JOUR\nTI  - Ponds\n{line}\nER  - \n")["DOI"] == "10.5555/pond.1"
