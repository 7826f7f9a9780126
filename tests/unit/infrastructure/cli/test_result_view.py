"""The line that names a passage: its citation key, or what the file itself says."""

from support.cases import each
from support.stores.catalogues import a_project
from support.stores.passages import passage

from citeloom.application.search.selection import result_item
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.search.request import QueryResult, QueryResultItem
from citeloom.infrastructure.cli.search.hits_view import as_markdown, place_line

CITED = CitationMeta(citekey="okafor2021", title="Ponds", authors=("Okafor, Ada",), year=2021)


def _item(citation: CitationMeta | None = None, **own: object) -> QueryResultItem:
    found = passage("d", 0, citation=citation).model_copy(update={"title": "Cooling Ponds", **own})
    return result_item(a_project(), found, rank=1, score=0.5)


@each(
    ("own", "line"),
    [
        ({}, "(Cooling Ponds, from the PDF, PDF p. 1, Methods)"),
        ({"year": 1994}, "(Cooling Ponds, 1994, from the PDF, PDF p. 1, Methods)"),
        (
            {"authors": ("Ada Okafor", "Per Lindqvist"), "year": 1994},
            "(Cooling Ponds, Ada Okafor and Per Lindqvist 1994, from the PDF, PDF p. 1, Methods)",
        ),
        (
            {"authors": ("Ada Okafor", "Per Lindqvist", "Tom Brown")},
            "(Cooling Ponds, Ada Okafor et al., from the PDF, PDF p. 1, Methods)",
        ),
        ({"source_path": "/notes.docx"}, "(Cooling Ponds, from the file, PDF p. 1, Methods)"),
        ({"title": None}, "(PDF p. 1, Methods)"),
    ],
)
def test_a_document_without_reference_is_named_by_what_its_file_says(
    own: dict[str, object], line: str
) -> None:
    assert place_line(_item(**own)) == line


def test_a_citation_replaces_what_the_file_says() -> None:
    item = _item(CITED, authors=("Tom Brown",), year=1994)
    assert place_line(item) == "(okafor2021, PDF p. 1, Methods)"
    assert (item.title, item.authors, item.year) == ("Ponds", ("Okafor, Ada",), 2021)


def test_the_title_is_not_printed_again_as_section() -> None:
    found = passage("d", 0, section=("COOLING PONDS",)).model_copy(
        update={"title": "Cooling Ponds"}
    )
    item = result_item(a_project(), found, rank=1, score=0.5)
    assert place_line(item) == "(Cooling Ponds, from the PDF, PDF p. 1)"


def test_a_document_of_which_nothing_is_known_is_named_by_its_file() -> None:
    found = passage("d", 0, pages=None, section=()).model_copy(update={"title": None})
    assert place_line(result_item(a_project(), found, rank=1, score=0.5)) == "(d.pdf)"


def test_a_quotation_in_markdown_is_text_alone() -> None:
    text = "# <script>x</script>\n\n[a](javascript:x) ![b](http://e.org)"
    hit = result_item(a_project(), passage("d", 0, text=text), rank=1, score=0.5)
    quote, place = as_markdown(QueryResult.model_construct(items=(hit,))).split("\n>\n> (")
    assert quote == ("> \\# \\<script>x\\</script>\n>\n> [a\\](javascript:x) ![b\\](http://e.org)")
    assert place.endswith(")")
