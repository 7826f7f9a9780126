"""Which items are one work, and which of them is cited."""

from support.builders import a_citation

from citeloom.domain.library import KeySource, LibraryItem, LibraryRef
from citeloom.domain.references.work_versions import WorkVersions, is_preprint, preferred_item

TITLE = "Reeds in winter and how to count them"


def an_item(
    key: str,
    source: KeySource = KeySource.NATIVE,
    added: str = "2020-01-01T00:00:00Z",
    **citation: object,
) -> LibraryItem:
    given = {"title": TITLE, "doi": None, "type": "article-journal"} | citation
    return LibraryItem(
        key=key,
        library=LibraryRef(),
        digest=key,
        citation=a_citation(key.lower(), item_key=key, **given),
        key_source=source,
        added=added,
    )


def test_the_order_in_which_one_is_chosen() -> None:
    preprint = an_item("PREPRINT", doi="10.48550/arxiv.2401.00001", url="https://x.org", page="1")
    generated = an_item("GENERATE", KeySource.GENERATED, doi="10.5555/a", page="1-9")
    extra = an_item("FROMEXTR", KeySource.EXTRA)
    native = an_item("NATIVEKE", doi="10.5555/a")
    fuller = an_item("FULLERRE", doi="10.5555/a", page="1-9")
    older = an_item("OLDERONE", doi="10.5555/a", page="1-9", added="2019-01-01T00:00:00Z")
    order = [preprint, generated, extra, native, fuller, older]
    for at in range(1, len(order) + 1):
        assert preferred_item(order[:at]) is order[at - 1]
        assert preferred_item(order[:at][::-1]) is order[at - 1]


def test_preprints_are_known_by_doi_address_and_type() -> None:
    assert is_preprint(a_citation(doi="10.1101/2020.01.01.123456"))
    assert is_preprint(a_citation(doi=None, url="https://arxiv.org/abs/2401.00001"))
    assert is_preprint(a_citation(doi=None, type="manuscript"))
    assert not is_preprint(a_citation(doi="10.5555/a", url="https://arxiv.org/abs/2401.00001"))
    assert not is_preprint(a_citation(doi=None, type="book"))


def keys(items: object) -> list[str]:
    assert isinstance(items, list | tuple)
    return sorted(item.key for item in items)


def test_the_same_doi_in_any_dress_is_the_same_publication_if_the_title_is() -> None:
    one = an_item("ONEONEON", doi="10.5555/A")
    dressed = an_item("DRESSEDD", doi="https://doi.org/10.5555/a", title=f"{TITLE}: a study")
    chapter = an_item("CHAPTERR", doi="10.5555/a", title="Eels in summer and where they sleep")
    works = WorkVersions([one, dressed, chapter])
    assert keys(works.same(one)) == ["DRESSEDD"]
    assert keys(works.same(chapter)) == []


def test_records_without_doi_are_the_same_if_nothing_tells_them_apart() -> None:
    one, twin = an_item("ONEONEON"), an_item("TWINTWIN", doi="10.5555/a")
    later, elsewhere = an_item("LATERLAT", year=2021), an_item("ELSEWHER", container_title="Mires")
    part = an_item("PARTPART", container_title="Bogs")
    works = WorkVersions([one, twin, later, elsewhere, part])
    assert keys(works.same(one)) == ["ELSEWHER", "PARTPART", "TWINTWIN"]
    assert keys(works.same(elsewhere)) == ["ONEONEON", "TWINTWIN"]
    short = an_item("SHORTSHO", title="Eels")
    assert keys(WorkVersions([short, an_item("SHORTSH2", title="Eels")]).same(short)) == []


def test_versions_have_title_and_first_author_in_common() -> None:
    preprint = an_item("PREPRINT", doi="10.48550/arxiv.2401.00001", year=2018)
    article = an_item("ARTICLEA", doi="10.5555/a")
    later = an_item("MUCHLATE", doi="10.5555/b", year=2030)
    other = an_item("OTHERONE", doi="10.5555/c", authors=("Weir, A.",))
    works = WorkVersions([preprint, article, later, other])
    assert keys(works.versions(preprint)) == ["ARTICLEA"]
    assert keys(works.versions(article)) == ["PREPRINT"]
    assert keys(works.same(article)) == []
