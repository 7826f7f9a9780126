"""Entries of reference lists in the common styles: label, author, year, title, DOI, arXiv id."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.references.entries.entry import label_of, parse_entry
from citeloom.domain.references.identifiers import find_dois

# Entry, author, year, title.
STYLES = [
    # APA, and what pandoc makes of it
    (
        "Szélkuti, O., & Brandweer, P. de. (2016, May). Ponds cool the street at night. Journal "
        "of Urban Water, 39(1), 218–230. https://doi.org/10.5555/juw.39.1.218",
        "Szélkuti", 2016, "Ponds cool the street at night",
    ),
    (
        "Weir, R.S.J.d., Mill, A.T., & Lock, K.R. (2006,June). Adapting to floods. Weirs, 8, 39.",
        "Weir", 2006, "Adapting to floods",
    ),
    (
        "De Weir,A.,Mill,S.,Lock,P.,& Tide,A. (2006,April). Adapting to floods. Weirs, 8, 39.",
        "De Weir", 2006, "Adapting to floods",
    ),
    (
        "van Oosterzee, K. L. (2018a). Grid or transect? Two ways to count. Field Methods, 3, 62.",
        "van Oosterzee", 2018, "Grid or transect? Two ways to count",
    ),
    (
        "Harris, K., & Vititow, F. (2021). Could tides explain it? The University of Weirs. "
        "https://weirs.example/racas/26710",
        "Harris",
        2021,
        "Could tides explain it?",
    ),
    (
        "Quill Development Team. (2018). QuillHub. https://quill.example/hub",
        "Quill Development Team", 2018, "QuillHub",
    ),
    (
        "Harrow, D., & Wormwood, D. N. (1997). Guide to weirs (2nd ed.). Stonebridge Press.",
        "Harrow", 1997, "Guide to weirs",
    ),
    (
        "Bell, R., Moor, T., et al. (2015). Facts vs. stories in St. Ives. eTides, 10, e63711.",
        "Bell", 2015, "Facts vs. stories in St. Ives",
    ),
    (
        "Gravel, A. (n.d.). Megaparsec: a primer. https://gravel.example/m",
        "Gravel", None, "Megaparsec: a primer",
    ),
    ("The oldest tide mill. (2008). In Mills Quarterly. Weir Press.", None, 2008,
     "The oldest tide mill"),
    (
        "Pause, T. (2020). Networks of canals [Bachelor's thesis, Institute for Water (IW)]. IW.",
        "Pause", 2020, "Networks of canals",
    ),
    # Chicago, author-date
    (
        "Lowater, Eric, Tam Oliphaunt, and others. 2001. “SluicePy: Open Tools for Weirs.” "
        "http://www.sluice.example/.",
        "Lowater", 2001, "SluicePy: Open Tools for Weirs",
    ),
    (
        "Rookwood, Ariel, and Ayelet Nina Landing. 2016. Surround Suppression. London: Weir Press.",
        "Rookwood", 2016, "Surround Suppression",
    ),
    # Harvard as Elsevier sets it
    (
        "Aalto, R., et al. (LHCq), 2017a. Observation of five narrow states. Phys. Rev. Lett. 118, "
        "182001. doi:10.5555/PhysRevLett.118.182001, arXiv:1703.04639.",
        "Aalto", 2017, "Observation of five narrow states",
    ),
    (
        "Mazurka, L., 2023. SIMULATE: a simple lattice code arXiv:2306.01098.",
        "Mazurka", 2023, "SIMULATE: a simple lattice code",
    ),
    # Vancouver
    (
        "12. Petrie KJ, Muller JT, Schirm FW. Effect of a text message programme on adherence. "
        "Br J Water Psychol. 2012 Feb;17(1):74-84.",
        "Petrie", 2012, "Effect of a text message programme on adherence",
    ),
    # IEEE
    (
        "[3] J. K. Authoress, A. Boatman and C. Ferry, “Tight bounds on tides,” in Proc. 4th "
        "Workshop Hydraulics, 1996, pp. 36–43.",
        "Authoress", 1996, "Tight bounds on tides",
    ),
    # LNCS
    (
        "7. Lime, M., Cue, L., Huang, S.: Tidebank: a dataset for tides (2019)",
        "Lime", 2019, "Tidebank: a dataset for tides",
    ),
    (
        "2. Chenin, B., Peng, D.: Weirs in the wild. In: Porter, U., Fornas, A. (eds.) Frontiers "
        "in Weirs. pp. 545–561. Springer, Cham (2022)",
        "Chenin", 2022, "Weirs in the wild",
    ),
    # BibTeX's plain and alpha
    (
        "[1] Jimmy Lei Bank, Jamie Ryan Kayros, and Geoffrey E Hintern. Layered sediments. arXiv "
        "preprint arXiv:1607.06450, 2016.",
        "Bank", 2016, "Layered sediments",
    ),
    (
        "[BPV84] W. Barth, C. Peters, and A. van de Ven. Compact Complex Surfaces. Springer, 1984.",
        "Barth", 1984, "Compact Complex Surfaces",
    ),
    (
        "[38] Yonghui Wharf, Mike Shoal, Zhifeng Chenin, et al. A neural tide table. CoRR, "
        "abs/1609.08144, 2016.",
        "Wharf", 2016, "A neural tide table",
    ),
    (
        "[12] Sepp Hochwasser and Paolo Frasca. Gradient flow in nets: the difficulty, 2001.",
        "Hochwasser", 2001, "Gradient flow in nets: the difficulty",
    ),
    (
        "[9] Axel Becker. Density and thermochemistry. III. The role of exact exchange. J. Chem. "
        "Tides, 98(7):5648–5652, 1993.",
        "Becker", 1993, "Density and thermochemistry. III. The role of exact exchange",
    ),
    (
        "[OO96] H. Ohtake and K. Ono. Notes on symplectic weirs with b+ = 1. II. Internat. J. "
        "Math., 7:755–70, 1996.",
        "Ohtake", 1996, "Notes on symplectic weirs with b+ = 1. II",
    ),
]  # fmt: skip


@each(("text", "author", "year", "title"), STYLES)
def test_an_entry_says_who_when_and_what(
    text: str, author: str | None, year: int | None, title: str
) -> None:
    read = parse_entry(text)
    assert (read.author, read.year, read.title) == (author, year, title)


@each(
    "text",
    [
        "[DJ92] D. Deutscher and R. Jozwiak, Proc. R. Soc. Lond. A 439, pp. 553–558, 1992.",
        "[Bu97] H. Buhrow, untitled manuscript, 1997.",
        "[37] Vinyard & Kayser, Koopman, Petrov, and Hintern. Grammar as a foreign tide, 2015.",
        "Weir, A., Lock, B., . Crossover at Finite Depth 125, 052001. doi:10.5555/w.125.052001",
        "[4] see https://weirs.example/list for the complete list, 2011.",
    ],
)
def test_a_doubtful_title_is_none(text: str) -> None:
    assert parse_entry(text).title is None


@each(
    ("text", "doi"),
    [
        ("Weir, A. (2016). Title. doi:10.1177/\n0160017607301605", "10.1177/0160017607301605"),
        ("Weir, A. (2016). Title. https://doi.org/10.\n1038/nature06713", "10.1038/nature06713"),
        ("Weir, A. (2016). Title. doi:10.1103/PhysRevD.\n106.034504, arXiv:2205.08517.",
         "10.1103/physrevd.106.034504"),
        ("Weir, A. (2003). Title. https://doi.org/10.1890/0012-9658(2003)084%5B1412:\n"
         "TETTWU%5D2.0.CO;2", "10.1890/0012-9658(2003)084[1412:tettwu]2.0.co;2"),
        ("Weir, A. (1980). Title. https://doi.org/10.1016/0009-2614(80)\n80396-4",
         "10.1016/0009-2614(80)80396-4"),
        ("Weir, A. (2013). Title. https:\n//doi.org/10.5555/weir.2013.05", "10.5555/weir.2013.05"),
        ("Weir, A. Title. doi:10.5555/weir.77.\n2016", "10.5555/weir.77"),
        ("Weir, A. (2016). Title. doi:10.5555/weir.77.\nhttps://weirs.example", "10.5555/weir.77"),
        ("Weir, A. (2016). Title. doi:10.5555/weir.77. Accepted.", "10.5555/weir.77"),
        ("Weir, A. (2016). Title. Weirs, 10.5.", None),
    ],
)  # fmt: skip
def test_a_doi_is_whole_though_a_line_ends_in_it(text: str, doi: str | None) -> None:
    assert parse_entry(text).doi == doi


@each(
    ("text", "arxiv_id"),
    [
        ("[1] A. Weir. Title. arXiv preprint arXiv:1607.06450v2, 2016.", "arXiv:1607.06450"),
        ("[1] A. Weir. Title. CoRR, abs/1409.0473, 2014.", "arXiv:1409.0473"),
        ("[1] A. Weir. Title. available at math.SG/0007115.", "arXiv:math/0007115"),
        ("[1] A. Weir, “Title”, LANL quant-ph archive 9802049, 1998.", "arXiv:quant-ph/9802049"),
        ("Weir, A. (2022). Title. https://doi.org/10.48550/ARXIV.\n2212.07005", "arXiv:2212.07005"),
        ("Weir, A., 2024. Title,\narXiv:2401.01194.", "arXiv:2401.01194"),
        ("Weir, A. (2016). Title. Report 1607.06450.", None),
    ],
)
def test_arxiv_ids_in_every_dress(text: str, arxiv_id: str | None) -> None:
    assert parse_entry(text).arxiv_id == arxiv_id


@each(
    ("text", "year"),
    [
        (
            "[1] H. Weir, Studies of mills. York: Tide, 1967. Accessed: Sep. 25, 2014. [Online].",
            1967,
        ),
        ("Weir, A. Sluices of 1900–1950. Stonebridge, 1987.", 1987),
        ("Weir, A. 2011. Sluices. Retrieved May 2019 from https://weirs.example/2020/", 2011),
        ("A. Weir, “Sluices,” Weirs, vol. 2012, pp. 1999–2004, Mar. 2013.", 2013),
        ("Weir, A. Sluices. doi:10.5555/weirs.2018.77", None),
        ("Weir, A. (in press). Sluices. Weirs.", None),
    ],
)
def test_pages_addresses_and_visits_are_no_years(text: str, year: int | None) -> None:
    assert parse_entry(text).year == year


@each(
    ("text", "label"),
    [
        ("[12] A. Weir", "12"),
        ("12. Weir, A.", "12"),
        ("(3) Weir, A.", "3"),
        ("[BBBV97] C. Weir", "BBBV97"),
        ("[A+85] E. Weir et al.", "A+85"),
        ("[Weir et al., 2016] A. Weir", "Weir et al., 2016"),
        ("3D printing of weirs. 2016.", None),
        ("Weir, A. (2016)", None),
    ],
)
def test_numbers_and_keys_are_labels(text: str, label: str | None) -> None:
    assert label_of(text)[0] == label


# Entry, authors, title, container, pages; the styles of the ACM, of Elsevier and of the AMS.
OLD_STYLES = [
    (
        "2. Deutsch, L.P., and Lampson, B.W. An online editor. Comm. ACM 10, 12 (Dec. 1967), "
        "793-799, 803.",
        ("Deutsch, L.P.", "Lampson, B.W."), "An online editor", "Comm. ACM", "793-799, 803",
    ),
    (
        "5. Weir. A.D. The M6 tide engine. Tech. Rep. #2, Weir Laboratories, 1969.",
        ("Weir. A.D.",), "The M6 tide engine", None, None,
    ),
    (
        "[1] WEIR, D. J., LOCK, S. R., AND VAN GATE, M. C. Tides in columns. In Proc. of the 3rd "
        "TIDES (Feb. 1999), pp. 45–58.",
        ("WEIR, D. J.", "LOCK, S. R.", "VAN GATE, M. C."), "Tides in columns",
        "Proc. of the 3rd TIDES", "45-58",
    ),
    (
        "[3] O. Weir, U. Lock, Finding gates in rivers, J. Comput. Weirs Sci. 48 (2) (1994) "
        "214–230.",
        ("O. Weir", "U. Lock"), "Finding gates in rivers", "J. Comput. Weirs Sci.", "214-230",
    ),
    (
        "[2] K.P. Weir and T.A. Lock, Reliable Sluices in an Unreliable River, ACM Transactions "
        "on Weirs 5, 1 (Feb. 1987), 47-76.",
        ("K.P. Weir", "T.A. Lock"), "Reliable Sluices in an Unreliable River",
        "ACM Transactions on Weirs", "47-76",
    ),
    (
        "4. Louis J. Weir, Susan P. Lock, and Karen Gate, The space of trees, Adv. in Appl. "
        "Math. 27 (2001), no. 4, 733–767.",
        ("Louis J. Weir", "Susan P. Lock", "Karen Gate"), "The space of trees",
        "Adv. in Appl. Math.", "733-767",
    ),
    (
        "[4] R. S. Weir, Emotion & Rivers. New York, NY: Weir Press, 1991.",
        ("R. S. Weir",), "Emotion & Rivers", None, None,
    ),
    (
        "Weir, Alvin and Lock, Marilda. Two-Sided Rivers, Cambridge: Weir Press, 1990.",
        ("Weir, Alvin", "Lock, Marilda"), "Two-Sided Rivers", None, None,
    ),
    (
        "[1] Giuseppe DeWeir, Deniz Lock, and Werner Gate. Streams. In Rivers and Weirs, 2007.",
        ("Giuseppe DeWeir", "Deniz Lock", "Werner Gate"), "Streams", "Rivers and Weirs", None,
    ),
    (
        "[8] Weir S E and Lock S. On the choice of rivers. In: Gate W B (ed) Rivers 46 Dec 1990 "
        "p359–364.",
        ("Weir S E", "Lock S"), "On the choice of rivers", "Rivers", "359-364",
    ),
]  # fmt: skip


@each(("text", "authors", "title", "container", "page"), OLD_STYLES)
def test_an_entry_of_an_old_style_has_its_parts(
    text: str, authors: tuple[str, ...], title: str, container: str | None, page: str | None
) -> None:
    read = parse_entry(text)
    assert (read.authors, read.title, read.container_title, read.page) == (
        authors, title, container, page,
    )  # fmt: skip


def test_a_misread_name_ends_the_list_of_authors_and_is_no_author() -> None:
    read = parse_entry("6. W~IR, D., AND LOCK, H. R. Bounded waiting. Weirs 52, 3 (1983), 57-74.")
    assert (read.author, read.authors, read.title) == (None, (), "Bounded waiting")


@each(
    ("text", "title"),
    [
        (
            "21. Weir, C. and Lock, M. V-Buffer: Visible Tides. Weirs 22, 4 (August 1988), 59-64.",
            "V-Buffer: Visible Tides",
        ),
        (
            "[12] Weir, Paul, et al., ‘‘Sluices and Tides,’’ Weir World, March 2004.",
            "Sluices and Tides",
        ),
        (
            "[BB94] A. Weir and G. Lock, Rivers of time, Journal of Modern Weirs, Vol.41, no. 12, "
            "December 1994, pp. 2521-2535.",
            "Rivers of time",
        ),
        (
            "[Jon99] Vaughan F. R. Weir, Planar rivers, Tech. report, Weir Press, September 1999.",
            "Planar rivers",
        ),
        ("[1] Weir, Lock-Gate, Moor, and Reed. Tides in rivers. In 28th Weirs, 1987.", None),
        ("9. Weir, E.W. Verbal communication, Marktoberdorf, Aug. 1975.", None),
    ],
)
def test_neither_names_nor_containers_are_part_of_a_title(text: str, title: str | None) -> None:
    assert parse_entry(text).title == title


def test_an_institution_is_named_in_full() -> None:
    read = parse_entry("1. Weir Equipment Corporation. TIDE-11 Handbook. Weirs, 1972.")
    assert (read.author, read.title) == ("Weir Equipment Corporation", "TIDE-11 Handbook")


@pytest.mark.parametrize(
    "text",
    ["[32] B. Weir, 1995. Personal Communication.", "[28] A. Weir, Private communication, 1993."],
)
def test_a_communication_has_no_title(text: str) -> None:
    assert parse_entry(text).title is None


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    read = parse_entry(text)
    assert read.title is None or read.title.strip() == read.title != ""
    assert read.author is None or read.author


@given(st.from_regex(r"10\.[1-9]\d{3}/[a-z]{2,8}\.\d{4}\.\d{2,9}", fullmatch=True), st.data())
def test_a_doi_broken_behind_a_mark_is_found_as_if_it_were_not(
    doi: str, data: st.DataObject
) -> None:
    marks = [at + 1 for at, char in enumerate(doi) if char == "/"]
    at = data.draw(st.sampled_from(marks))
    read = parse_entry(f"Weir, A. (2016). Title. Weirs, 3, 1. doi:{doi[:at]}\n{doi[at:]}.")
    assert (read.doi,) == find_dois(doi)
