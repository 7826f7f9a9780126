from support.cases import each
from support.pdf.page_lines import line

from citeloom.infrastructure.ingest.conversion.pdf.front_matter.people import (
    has_unread_names,
    is_byline,
    names_in,
    names_of_block,
    resolve_authors,
    stated_names,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import LinePiece


@each(
    ("text", "names"),
    [
        (
            "Philip Stutz1 , Abraham Bernstein1,2 , and William Cohen2",
            "Philip Stutz; Abraham Bernstein; William Cohen",
        ),
        ("C. A. R. HOARE", "C. A. R. HOARE"),
        ("By C. E. SHANNON", "C. E. SHANNON"),
        ("J. C. Adcock, E. Allen, M. Day*", "J. C. Adcock; E. Allen; M. Day"),
        ("Leith (Casey) Leedom*", "Leith Leedom"),
        ("Luis Damas\u2020and Robin Milner", "Luis Damas; Robin Milner"),
        ("Robbert van Renesse, Chi Ho", "Robbert van Renesse; Chi Ho"),
        (
            "Ada Loom, Diego de las Casas, Eva de los Santos",
            "Ada Loom; Diego de las Casas; Eva de los Santos",
        ),
        ("Los Angeles, California", ""),
        ("Ada Loom, PhD, RN, Bo Dent, MD, MPH, and Cy Reed, MSc", "Ada Loom; Bo Dent; Cy Reed"),
        ("Bo Dent, MD, and Cy Reed, MD", "Bo Dent; Cy Reed"),
        ("Silver Spring, MD", ""),
        ("Ada Loom et Bo Dent", "Ada Loom; Bo Dent"),
        ("Ada Loom et al.", "Ada Loom"),
        ("Jan Loom en Bo van Dent", "Jan Loom; Bo van Dent"),
        (
            "Jos\u00e9 Loom de los \u00c1ngeles y Ana Dent",
            "Jos\u00e9 Loom de los \u00c1ngeles; Ana Dent",
        ),
        ("Jos\u00e9 Loom y Dent", "Jos\u00e9 Loom y Dent"),
        ("Ada Loom e Bo Dent", "Ada Loom; Bo Dent"),
        ("Nursing Ethics", ""),
        ("Original Article", ""),
        ("Open Access", ""),
        ("Clinical Psychology", ""),
        ("Centro de Instrumentos, Laboratorio de Lineas", ""),
        ("Joey J. Lee, Teachers College Columbia University, NY", "Joey J. Lee"),
        ("Prof. Ketan Shah", "Ketan Shah"),
        (
            "Maksym Lysak[0000-0002-3723-6960] , Ahmed Nassar[0000-0002-9468-0822]",
            "Maksym Lysak; Ahmed Nassar",
        ),
        (
            "Project Jupyter1, Douglas Blank7, David Bourgin1, Alexander Brown8",
            "Douglas Blank; David Bourgin; Alexander Brown",
        ),
        ("R\u00e9mi Coulom", "R\u00e9mi Coulom"),
        ("Brandon Wiley\u00b3, and Theodore W. Hong^(4\u22c6)", "Brandon Wiley; Theodore W. Hong"),
        ("Michael A. Bender^(a;\u2217;1) , Ada Loom ^y", "Michael A. Bender; Ada Loom"),
        ("Poul Loom <poul@lines.example>", "Poul Loom"),
        ("Loom, Ada Maria; Line, Bo ; Dent, Cy W.", "Ada Maria Loom; Bo Line; Cy W. Dent"),
        ("Diego Loom and Jennifer Sun", "Diego Loom; Jennifer Sun"),
        ("Ada Loom, Fellow, IEEE, and Bo Dent, Senior Member, IEEE", "Ada Loom; Bo Dent"),
        ("Larry Page", ""),  # alone, as likely a page
        ("Ada Loom, Lines Entertainers, Ltd.", "Ada Loom"),
        ("Peter Loom __", "Peter Loom"),
        ("Menlo Park, CA", ""),
        ("Troms\u00f8, Norway", ""),
        ("Palo Alto, California", ""),
        ("Department of Computer Science", ""),
        ("Queen Mary University of London", ""),
        ("ada@lines.example", ""),
        ("A Practical Optional Type", ""),
        ("11 Mar 2003", ""),
    ],
)
def test_names_of_a_line(text: str, names: str) -> None:
    assert "; ".join(names_in(text)) == names


@each(
    ("text", "certain"),
    [
        ("R. W. Picard", True),
        ("Mark A Fisher", True),
        ("S E Robertson", True),
        ("Ada Loom, Bo Dent, Cy Dent and Di Moss", True),
        ("Privacy Search, Efficient Indexing, and Query Lines", False),
        ("C Programming", False),
        ("Liquid Types", False),
        ("Data Structures and Program Development", False),
        ("A Wait-Free Stack", False),
    ],
)
def test_a_byline_is_certain_by_initials_or_four_names(text: str, certain: bool) -> None:
    assert is_byline(text) is certain


def test_names_side_by_side_are_apart_and_affiliations_left_out() -> None:
    pieces = [("K. V. Rashmi", 50.0, 110.0), ("Dikang Gu", 200.0, 250.0)]
    lines = [
        line("K. V. Rashmi Dikang Gu", pieces=pieces),
        line("Berkeley Heights", base=112.0, font="Italic"),
        line("Kannan Ram", base=124.0),
    ]
    assert names_of_block(lines) == ("K. V. Rashmi", "Dikang Gu", "Kannan Ram")


def test_names_side_by_side_with_little_room_between_are_apart() -> None:
    names = ("Ada B. Loom", "Bo Dent", "Cy D. Moss")
    parts = tuple(LinePiece(name, 50.0 + 80 * n, 110.0 + 80 * n) for n, name in enumerate(names))
    together = line(" ".join(names))
    piece = together.pieces[0]._replace(parts=parts)
    assert names_of_block([together._replace(pieces=(piece,))]) == names


def test_a_line_of_names_only_counts_in_whatever_type() -> None:
    lines = [
        line("Ada Loom, Bo Dent,"),
        line("Berkeley Heights", base=112.0, size=12.0),
        line("Cy Moss, Di Knot", base=124.0, size=12.0),
    ]
    assert names_of_block(lines) == ("Ada Loom", "Bo Dent", "Cy Moss", "Di Knot")


def test_a_name_with_wide_spaces_is_one_name() -> None:
    pieces = [("MICHAEL", 50.0, 90.0), ("J. FISCHER", 120.0, 170.0)]
    assert names_of_block([line("MICHAEL J. FISCHER", pieces=pieces)]) == ("MICHAEL J. FISCHER",)


def test_a_name_that_a_line_breaks_is_one_name() -> None:
    lines = [
        line("Matheus Januario1,2, Jennifer P. Auler3, and Daniel"),
        line("L. Rabosky1, Thomas L.", base=112.0),
        line("Griffiths2", base=124.0),
    ]
    assert names_of_block(lines) == (
        "Matheus Januario",
        "Jennifer P. Auler",
        "Daniel L. Rabosky",
        "Thomas L. Griffiths",
    )


def test_a_place_below_a_list_of_names_is_no_part_of_the_last_one() -> None:
    lines = [line("Ada Loom, Bo Dent"), line("Troms\u00f8, Norway", base=112.0)]
    assert names_of_block(lines) == ("Ada Loom", "Bo Dent")
    lines = [line("Ada Loom, LIP6, Paris, France"), line("Bo Dent, CITI, Lisboa", base=112.0)]
    assert names_of_block(lines) == ("Ada Loom", "Bo Dent")


def test_what_is_set_like_a_name_and_was_not_read_is_noticed() -> None:
    assert not has_unread_names(
        [line("Ada Loom, Bo Dent"), line("University of Lines", base=112.0)]
    )
    assert not has_unread_names([line("Ada Loom, Google Inc."), line("Oslo, Norway", base=112.0)])
    assert has_unread_names([line("Ada Loom"), line("Bo Dent Cy Moss Di Knot", base=112.0)])


@each(
    ("values", "names"),
    [
        (["Ben Moseley and Peter Marks"], ("Ben Moseley", "Peter Marks")),
        (["Shapiro, Marc et al"], ("Marc Shapiro",)),
        (["Loom, Ada; van der Line, Bo"], ("Ada Loom", "Bo van der Line")),
        (["Loom, Ada and Line, Bo"], ("Ada Loom", "Bo Line")),
        (["jdoe"], ()),
        (["Administrator", "IBM Research"], ()),
    ],
)
def test_user_names_are_no_authors(values: list[str], names: tuple[str, ...]) -> None:
    assert stated_names(values) == names


@each(
    ("printed", "stated", "authors"),
    [
        (["Ada Loom", "Bo Line"], ["Ada Loom"], ("Ada Loom", "Bo Line")),
        (["ADA LOOM"], ["Ada Loom"], ("Ada Loom",)),
        (["A. DE LOOM-L\u00d6F", "JJ MCLINE"], [], ("A. de Loom-L\u00f6f", "JJ McLine")),
        ([], ["Ada Loom"], ("Ada Loom",)),
        ([], ["Cy Typist"], ()),  # not on the page
        (["Ada Loom"], ["Ada Loom", "Bo Line"], ("Ada Loom", "Bo Line")),
    ],
)
def test_authors_of_the_metadata_count_where_the_page_has_them(
    printed: list[str], stated: list[str], authors: tuple[str, ...]
) -> None:
    assert resolve_authors(printed, stated, frozenset({"loom", "line"})) == authors
