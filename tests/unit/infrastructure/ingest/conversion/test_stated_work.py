import json

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.infrastructure.ingest.conversion.formats.source_text import parse_xml
from citeloom.infrastructure.ingest.conversion.formats.stated_work import (
    front_matter_work,
    html_work,
    jats_work,
    properties_work,
)
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.stated import StatedWork


def _html(head: str) -> StatedWork:
    return html_work(BeautifulSoup(f"<head>{head}</head>", "html.parser"))


def _meta(**tags: str | list[str]) -> str:
    pairs = ((k, v) for k, vs in tags.items() for v in (vs if isinstance(vs, list) else [vs]))
    return "".join(
        f'<meta name="{key.replace("__", ".")}" content="{value}">' for key, value in pairs
    )


HIGHWIRE = _meta(
    citation_title="On Lines",
    citation_author=["Loom, Ada", "Bo Dent"],
    citation_publication_date="2019/03/01",
    citation_journal_title="Journal of Lines",
    citation_volume="3",
    citation_issue="2",
    citation_firstpage="1",
    citation_lastpage="20",
    citation_doi="10.1000/x1",
    citation_pmid="123456",
)
WORK = StatedWork("On Lines", ("Ada Loom", "Bo Dent"), 2019, "Journal of Lines", "3", "2", "1-20")


def test_highwire_tags_are_read_whole() -> None:
    assert _html(HIGHWIRE) == WORK._replace(identifiers=("10.1000/x1", "pmid:123456"))


def test_dublin_core_and_prism_are_read_and_fill_what_is_missing() -> None:
    head = _meta(DC__title="On Pages", DCTERMS__issued="2020-05", dc__creator="Loom, Ada")
    assert _html(head) == StatedWork("On Pages", ("Ada Loom",), 2020)
    both = _html(_meta(citation_title="On Lines") + head)
    assert (both.title, both.year) == ("On Lines", 2020)


ARTICLE = {
    "@type": "ScholarlyArticle",
    "headline": "On Lines",
    "author": [{"@type": "Person", "name": "Ada Loom"}, "Bo Dent"],
    "datePublished": "2019-01-02",
    "isPartOf": {
        "@type": "PublicationIssue",
        "issueNumber": "2",
        "isPartOf": {"@type": ["Periodical"], "name": "Journal of Lines", "volumeNumber": 3},
    },
    "pageStart": "1",
    "pageEnd": "20",
    "sameAs": "https://doi.org/10.1000/x1",
}


def _script(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def test_an_article_in_json_ld_is_read_with_its_issue_and_journal() -> None:
    stated = WORK._replace(identifiers=("https://doi.org/10.1000/x1",))
    assert _html(_script({"@graph": [{"@type": "WebSite", "name": "Site"}, ARTICLE]})) == stated
    assert _html(_script([ARTICLE])) == stated
    assert _html(_script({"@type": "WebSite", "name": "Site"})) == StatedWork()
    assert _html('<script type="application/ld+json">{broken</script>') == StatedWork()


def test_a_page_with_two_titles_or_a_later_change_is_uncertain_in_that() -> None:
    page = {"@type": "Article", "name": "Duck", "headline": "common name for birds"}
    found = _html(_script({**page, "datePublished": "2002-02-01", "dateModified": "2024-07-01"}))
    assert (found.title, found.year, found.uncertain) == ("Duck", 2002, ("title", "year"))


def test_the_plain_author_of_a_page_is_uncertain_and_a_login_is_none() -> None:
    assert _html(_meta(author="Ada Loom")).authors == ("Ada Loom",)
    assert _html(_meta(author="Ada Loom")).uncertain == ("authors",)
    assert _html(_meta(author="admin")).authors == ()


JATS = b"""<article><front><journal-meta><journal-title-group><journal-title>Lines</journal-title>
</journal-title-group></journal-meta><article-meta>
<article-id pub-id-type="doi">10.1/x</article-id><article-id pub-id-type="pmid">77</article-id>
<article-id pub-id-type="publisher-id">9</article-id><title-group>
<article-title>On <italic>Lines</italic><xref>*</xref></article-title><subtitle>A study</subtitle>
</title-group><contrib-group>
<contrib contrib-type="author"><name><surname>Loom</surname><given-names>Ada</given-names></name>
</contrib><contrib contrib-type="author"><collab>The Line Group</collab></contrib>
<contrib contrib-type="editor"><name><surname>Dent</surname><given-names>Bo</given-names></name>
</contrib></contrib-group><pub-date pub-type="epub"><year>2018</year></pub-date>
<pub-date pub-type="ppub"><year>2019</year></pub-date><volume>3</volume><issue>2</issue>
<fpage>12</fpage><lpage>19</lpage></article-meta></front></article>"""


def test_the_front_of_a_jats_file_is_read_whole() -> None:
    assert jats_work(parse_xml(JATS)) == StatedWork(
        "On Lines: A study",
        ("Ada Loom", "The Line Group"),
        2019,
        "Lines",
        "3",
        "2",
        "12-19",
        identifiers=("10.1/x", "pmid:77"),
    )
    online = JATS.replace(b"<fpage>12</fpage><lpage>19</lpage>", b"<elocation-id>e5</elocation-id>")
    assert jats_work(parse_xml(online)).pages == "e5"
    assert jats_work(parse_xml(b"<article><front/></article>")) == StatedWork()


OPF = """<package xmlns="http://www.idpf.org/2007/opf"><metadata
xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">
<dc:title>Poems</dc:title><dc:creator id="a">Loom, Ada</dc:creator>
<dc:creator id="b">Bo Dent</dc:creator><dc:creator opf:role="trl">Cy Moss</dc:creator>
<meta property="role" refines="#b">ill</meta><dc:date>1998-02-03</dc:date>
<dc:identifier opf:scheme="ISBN">978-0-306-40615-7</dc:identifier></metadata></package>"""


def test_an_epub_states_its_authors_and_not_its_illustrators() -> None:
    found = properties_work(parse_xml(OPF.encode()))
    assert (found.title, found.authors, found.year) == ("Poems", ("Ada Loom",), 1998)
    assert (found.uncertain, found.identifiers) == (("year",), ("isbn:978-0-306-40615-7",))


@pytest.mark.parametrize(
    ("title", "creator", "read"),
    [
        ("On Lines", "Ada Loom", ("On Lines", ("Ada Loom",))),
        ("Microsoft Word - x.doc", "user1", (None, ())),
        ("untitled", "Microsoft Office User", (None, ())),
    ],
)
def test_office_properties_are_uncertain_and_what_programs_write_is_none(
    title: str, creator: str, read: tuple[str | None, tuple[str, ...]]
) -> None:
    core = f"""<c xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:t="http://purl.org/dc/terms/">
    <dc:title>{title}</dc:title><dc:creator>{creator}</dc:creator><t:created>2024-01-01</t:created></c>"""
    found = properties_work(parse_xml(core.encode()))
    assert ((found.title, found.authors), found.year) == (read, None)
    assert found.uncertain == ("title", "authors")


@each(
    ("text", "work"),
    [
        ("title: On Lines\nauthor: Ada Loom\ndate: 2021-05-03", ("On Lines", ("Ada Loom",), 2021)),
        ("author: [Ada Loom, Bo Dent]\ndate: today", (None, ("Ada Loom", "Bo Dent"), None)),
        (
            "author:\n  - name: Ada Loom\n    orcid: 1\n  - Bo Dent",
            (None, ("Ada Loom", "Bo Dent"), None),
        ),
        ("- a list", (None, (), None)),
        ("title: [broken", (None, (), None)),
    ],
)
def test_front_matter_of_markdown_is_read(text: str, work: tuple[object, ...]) -> None:
    assert front_matter_work(text)[:3] == work


@given(st.text(max_size=200))
def test_any_script_and_front_matter_can_be_read(text: str) -> None:
    assert isinstance(_html(_script(text)), StatedWork)
    assert isinstance(front_matter_work(text), StatedWork)
