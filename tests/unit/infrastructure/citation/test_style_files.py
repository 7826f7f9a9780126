"""Styles by name and from files."""

from pathlib import Path

import pytest

from citeloom.domain.errors import InvalidRequest
from citeloom.infrastructure.citation.csl.processor import Processor, Reference
from citeloom.infrastructure.citation.csl.rendering.rich_text import plain
from citeloom.infrastructure.citation.csl.style import load_style

OWN = """<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0"
    page-range-format="minimal" {options}>
  <info><title>Our own</title></info>
  <citation><layout prefix="(" suffix=")" delimiter="; ">
    <names variable="author"><name form="short"/></names>
    <date variable="issued" prefix=" "><date-part name="year"/></date>
    <group prefix=", "><label variable="locator" form="short" suffix=" "/>
      <text variable="locator"/></group>
  </layout></citation>
</style>"""
WORK = {
    "type": "book",
    "author": [{"family": "Doe", "given": "Ann"}],
    "issued": {"date-parts": [[2020]]},
}


def cited(path: Path) -> str:
    processor = Processor(load_style(str(path)), [("k", WORK)])
    return plain(processor.cite([Reference("k", ("127-129", "page"))]))


def test_any_style_file_is_followed_in_its_language(tmp_path: Path) -> None:
    path = tmp_path / "own.csl"
    path.write_text(OWN.format(options=""))
    assert cited(path) == "(Doe 2020, pp. 127–9)"
    path.write_text(OWN.format(options='default-locale="de-DE"'))
    assert cited(path) == "(Doe 2020, S. 127–9)"
    assert load_style(str(path)).title == "Our own"


def test_a_style_without_a_bibliography_has_no_entries(tmp_path: Path) -> None:
    path = tmp_path / "own.csl"
    path.write_text(OWN.format(options=""))
    assert Processor(load_style(str(path)), [("k", WORK)]).bibliography() == []


LISTED = OWN.replace(
    "</style>",
    """<bibliography subsequent-author-substitute="———">
    <layout suffix="."><names variable="author"><name name-as-sort-order="all"/></names>
      <text variable="title" prefix=", "/><number variable="edition" form="ordinal" prefix=", "/>
    </layout></bibliography></style>""",
)


def test_repeated_authors_are_replaced_and_ordinals_are_those_of_the_language(
    tmp_path: Path,
) -> None:
    path = tmp_path / "own.csl"
    works = [("a", {**WORK, "title": "A"}), ("b", {**WORK, "title": "B", "edition": "2"})]
    path.write_text(LISTED.format(options=""))
    entries = Processor(load_style(str(path)), works).bibliography()
    assert [plain(text) for _, text in entries] == ["Doe, Ann, A.", "———, B, 2nd."]
    path.write_text(LISTED.format(options='default-locale="de-DE"'))
    entries = Processor(load_style(str(path)), works).bibliography()
    assert plain(entries[1][1]) == "———, B, 2."


def test_given_names_are_added_only_where_they_tell_works_apart(tmp_path: Path) -> None:
    path = tmp_path / "own.csl"
    path.write_text(OWN.format(options="").replace(
        "<citation>", '<citation disambiguate-add-givenname="true">'
    ))  # fmt: skip
    other = {**WORK, "author": [{"family": "Doe", "given": "Bea"}]}
    later = {**WORK, "issued": {"date-parts": [[2021]]}}
    works = [("a", WORK), ("b", other), ("c", later)]
    processor = Processor(load_style(str(path)), works)
    cited = [plain(processor.cite([Reference(key)])) for key in "abc"]
    assert cited == ["(Ann Doe 2020)", "(Bea Doe 2020)", "(Doe 2021)"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "not well-formed XML"),
        ("<html/>", "its root is <html>"),
        ("<style xmlns='http://purl.org/net/xbiblio/csl'/>", "has no <citation>"),
        (
            "<style xmlns='http://purl.org/net/xbiblio/csl'><info><link href='http://x/apa' "
            "rel='independent-parent'/></info></style>",
            "only names another style",
        ),
        (
            "<style xmlns='http://purl.org/net/xbiblio/csl'><citation/><macro name='a'><group>"
            "<text macro='b'/></group></macro><macro name='b'><text macro='a'/></macro></style>",
            "its macro . uses itself",
        ),
        (
            "<!DOCTYPE s [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><style "
            "xmlns='http://purl.org/net/xbiblio/csl'><info><title>&a;</title></info></style>",
            "has no <citation>",
        ),
    ],
)
def test_what_is_no_style_is_refused_with_the_reason(
    tmp_path: Path, content: str, reason: str
) -> None:
    path = tmp_path / "style.csl"
    path.write_text(content)
    with pytest.raises(InvalidRequest, match=reason):
        load_style(str(path))


def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(InvalidRequest, match="apa, chicago, ieee, nature, vancouver"):
        load_style("harward")
    with pytest.raises(InvalidRequest, match="cannot be read"):
        load_style("missing.csl")


def test_bundled_styles_have_other_names() -> None:
    assert load_style("Chicago-Author-Date").title == load_style("chicago").title
    assert load_style("nlm").title == load_style("vancouver").title
