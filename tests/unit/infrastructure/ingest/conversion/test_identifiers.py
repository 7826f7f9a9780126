"""Identifiers of a converted document, and headings of its references."""

from support.cases import each

from citeloom.infrastructure.ingest.conversion.formats.docling_formats import (
    identifiers_of,
    is_reference_heading,
)


def test_own_identifiers_come_first_and_citations_never() -> None:
    text = "arXiv:1706.03762v5 and https://doi.org/10.1234/AB.(1)2. Then 10.9999/x"
    found = identifiers_of(["doi:10.5555/Meta"], text, text.index("Then"))
    assert found == ("10.5555/meta", "10.1234/ab.(1)2", "arXiv:1706.03762")
    assert identifiers_of([], "a" * 3000 + " 10.1234/late", None) == ()


@each("title", ["References", "7. REFERENCES", "Literatur", "参考文献"])
def test_headings_of_references_are_known_only_by_their_whole_title(title: str) -> None:
    assert is_reference_heading(title)
    assert not is_reference_heading(f"{title} to earlier work")


@each(
    ("stated", "names"),
    [
        (["pmid:32479262"], ("pmid:32479262",)),
        (["urn:isbn:978-0-306-40615-7"], ("isbn:9780306406157",)),
        (["isbn: 0-306-40615-2"], ("isbn:9780306406157",)),
        (["ISBN 0-8044-2957-X"], ("isbn:9780804429573",)),
        (["isbn:978-0-306-40615-8"], ()),  # the check digit is wrong
        (["https://books.example/9780306406157"], ()),
        (["isbn:9780306406157", "10.1000/x"], ("10.1000/x", "isbn:9780306406157")),
    ],
)
def test_pmid_and_isbn_of_the_metadata_come_after_dois(
    stated: list[str], names: tuple[str, ...]
) -> None:
    assert identifiers_of(stated, "PMID: 11, ISBN 978-0-306-40615-7", None) == names
