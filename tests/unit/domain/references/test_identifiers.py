"""DOIs, arXiv ids and titles are recognised in every dress, and nothing else is."""

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.references.identifiers import (
    file_names_of,
    find_arxiv_ids,
    find_dois,
    is_distinctive,
    main_title,
    normalise_arxiv,
    normalise_doi,
    normalise_title,
    same_title,
    versionless,
)

_SICI = "10.1002/(SICI)1097-0258(19980815)17:15/16<1661::AID-SIM968>3.0.CO;2-2"

suffixes = st.text("abcdefghijklmnopqrstuvwxyz0123456789-._", min_size=1, max_size=30).filter(
    lambda text: text[-1].isalnum() and not text.endswith(("pdf", "html", "meta", "full"))
)
dois = st.builds("10.{}/{}".format, st.integers(1000, 999999999), suffixes)
arxiv_ids = st.one_of(
    st.builds(
        "{:02}{:02}.{:05}".format, st.integers(7, 40), st.integers(1, 12), st.integers(0, 99999)
    ),
    st.builds("hep-th/{:02}{:02}{:03}".format, st.integers(91, 99), st.integers(1, 12),
              st.integers(1, 999)),
)  # fmt: skip


@each(
    ("dressed", "bare"),
    [
        ("10.1000/xyz123", "10.1000/xyz123"),
        ("doi:10.1000/XYZ123", "10.1000/xyz123"),
        ("https://doi.org/10.1000/xyz123", "10.1000/xyz123"),
        ("http://doi.org/10.1000/xyz123", "10.1000/xyz123"),
        ("dx.doi.org/10.1000/xyz123", "10.1000/xyz123"),
        ("https://dx.doi.org/10.1000/xyz123", "10.1000/xyz123"),
        ("  DOI:10.1000/xyz123  ", "10.1000/xyz123"),
        ("https://doi.org/10.1000%2FXyz.123.", "10.1000/xyz.123"),
        ("https://doi.org/10.1000/a%28b%29c", "10.1000/a(b)c"),
        ("10.1000%2Fxyz", "10.1000/xyz"),
        ("https://doi.org/10.1234/x?locatt=mode:legacy", "10.1234/x"),
        ("https://doi-org.proxy.example.edu/10.1234/x", "10.1234/x"),
        ("info:doi/10.1234/x", "10.1234/x"),
        ("10.1016/0039-3681(82)90012-7).", "10.1016/0039-3681(82)90012-7"),
        (_SICI, _SICI.lower()),
        ("10.1234/a\u2010b", "10.1234/a-b"),
        ("", None),
        ("hello", None),
        ("10.1000/", None),
        ("https://example.com/clean-arch", None),
        ("see 10.1234/x and more", None),
    ],
)
def test_a_doi_is_bare_and_lower_case(dressed: str, bare: str | None) -> None:
    assert normalise_doi(dressed) == bare


@given(dois, st.sampled_from(["{}", "doi:{}", "DOI: {}", "https://doi.org/{}", "<{}>", "{}."]))
def test_the_dress_of_a_doi_makes_no_difference(doi: str, dress: str) -> None:
    assert normalise_doi(dress.format(doi)) == doi
    assert normalise_doi(dress.format(doi.upper())) == doi


@given(st.text())
def test_a_normalised_doi_stays_as_it_is(text: str) -> None:
    doi = normalise_doi(text)
    assert doi is None or normalise_doi(doi) == doi


@given(dois, st.sampled_from(["see {}.", "({})", "doi:{}, and", "[{}]", "https://doi.org/{}; x"]))
def test_a_doi_is_found_in_a_sentence(doi: str, sentence: str) -> None:
    assert find_dois(sentence.format(doi)) == (doi,)


@given(st.text("10.1234/abc-_()<>&?#%\n \\u00ad"))
def test_what_is_found_is_a_doi(text: str) -> None:
    assert all(normalise_doi(doi) == doi for doi in find_dois(text))


def test_a_doi_that_is_broken_over_lines_is_joined_only_where_it_must_be() -> None:
    assert find_dois("10.1016/j.landurbplan.\n2008.10.007 x") == (
        "10.1016/j.landurbplan.2008.10.007",
    )
    assert find_dois("10.1234/foo1-\nbar2 x") == ("10.1234/foo1-bar2",)
    assert find_dois("doi 10.1234/foo1.\n2 Methods") == ("10.1234/foo1",)


def test_publishers_addresses_and_markup_leave_the_doi() -> None:
    assert find_dois("https://example.org/doi/10.1111/j.123.x/full?x=y") == ("10.1111/j.123.x",)
    assert find_dois("<a>10.1234/k1</a>, 10.1234/K1") == ("10.1234/k1",)


@each(
    ("dressed", "bare"),
    [
        ("arXiv:1706.03762v5", "arXiv:1706.03762"),
        ("1706.03762", "arXiv:1706.03762"),
        ("https://arxiv.org/abs/1706.03762v2", "arXiv:1706.03762"),
        ("https://arxiv.org/pdf/1706.03762v5.pdf", "arXiv:1706.03762"),
        ("https://doi.org/10.48550/ARXIV.1706.03762", "arXiv:1706.03762"),
        ("arXiv:1706.03762v5 [cs.CL] 2 Aug 2023", "arXiv:1706.03762"),
        ("hep-th/9901001v2", "arXiv:hep-th/9901001"),
        ("math.GT/0309136", "arXiv:math/0309136"),
        ("1799.00001", None),
        ("10.1234/1706.03762", None),
        ("report 1706.03762", None),
    ],
)
def test_an_arxiv_id_has_neither_version_nor_class(dressed: str, bare: str | None) -> None:
    assert normalise_arxiv(dressed) == bare


@given(arxiv_ids, st.integers(1, 40))
def test_all_versions_of_a_paper_have_one_arxiv_id(number: str, version: int) -> None:
    assert normalise_arxiv(f"{number}v{version}") == normalise_arxiv(f"arXiv:{number}")
    assert find_arxiv_ids(f"In arXiv:{number}v{version}, we") == (f"arXiv:{number}",)


def test_only_numbers_that_are_named_arxiv_ids_are_found() -> None:
    text = "arXiv preprint arXiv:1706.03762v5; ArXiv e-prints 1801.00002; version 1806.10001"
    assert find_arxiv_ids(text) == ("arXiv:1706.03762", "arXiv:1801.00002")


def test_a_preprints_doi_loses_its_version() -> None:
    assert versionless("10.1101/2020.03.01.123456v2.full") == "10.1101/2020.03.01.123456"
    assert versionless("10.1234/abcv2") == "10.1234/abcv2"


def test_file_names_of_an_identifier() -> None:
    assert {"jose_00016", "10_21105_jose_00016"} <= file_names_of("10.21105/jose.00016")
    assert "1706_03762" in file_names_of("arXiv:1706.03762")
    assert "abc" not in file_names_of("10.1234/abc")


@each(
    ("title", "normal"),
    [
        ("Clean Architecture: A Craftsman's Guide", "clean architecture a craftsmans guide"),
        ("  Deep   Learning—A Review ", "deep learning a review"),
        ("Über Café", "über café"),
        ("C++ & Rust", "c rust"),
    ],
)
def test_titles_are_normalised(title: str, normal: str) -> None:
    assert normalise_title(title) == normal


@each(
    ("one", "other"),
    [
        ("Colour vision in behaviour studies", "Color vision in behavior studies"),
        ("Analyzing the data sets of cities", "Analysing data-sets of cities"),
        ("The efﬁcient market hypothesis", "THE EFFICIENT MARKET HYPOTHESIS"),
        (
            "Clean Architecture: A Craftsman's Guide to Software Structure and Design",
            "Clean Architecture A Craftsman Guide to Software Structure and Design",
        ),
    ],
)
def test_spelling_makes_no_other_title(one: str, other: str) -> None:
    assert same_title(one, other)
    assert same_title(other, one)


@each(
    ("one", "other"),
    [
        ("Risk factors for type 1 diabetes", "Risk factors for type 2 diabetes"),
        ("Heart disease risk in older men", "Heart disease risk in older women"),
        ("Effects of induced hypothermia on mice", "Effects of induced hyperthermia on mice"),
        ("Effective control of malaria vectors", "Ineffective control of malaria vectors"),
        ("Uptake of nitrate by young plants", "Uptake of nitrite by young plants"),
        ("A theory of everything, part I", "A theory of everything, part II"),
        ("Surgery with prior chemotherapy", "Surgery without prior chemotherapy"),
        ("deep learning", "deep reinforcement learning"),
        ("", "x"),
        ("", ""),
    ],
)
def test_titles_of_different_papers_stay_different(one: str, other: str) -> None:
    assert not same_title(one, other)
    assert not same_title(other, one)


@each(
    ("title", "telling"),
    [
        ("A short course about models", True),
        ("Four words twenty long", False),
        ("Four words twenty fives", True),
        ("Convolutional representation learning", False),
        ("深度学习在医学图像分析中的应用", True),
    ],
)
def test_a_title_is_telling_from_four_words_and_twenty_letters_or_ten_ideographs_on(
    title: str, telling: bool
) -> None:
    assert is_distinctive(title) is telling


def test_the_main_title_ends_at_the_subtitle() -> None:
    assert main_title("Game theory: an introduction") == "Game theory"
    assert main_title("SNIK Graph—Visualizing Knowledge") == "SNIK Graph"
    assert main_title("Self-made 10:30 men") is None
