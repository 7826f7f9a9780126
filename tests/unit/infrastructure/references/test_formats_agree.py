"""The same items in every format give the same citations."""

from pathlib import Path
from typing import Any

import pytest
from support.files.reference_writers import WRITERS

from citeloom.infrastructure.references.reader import FileReferenceReader

ITEMS: list[dict[str, Any]] = [
    {
        "id": "berg2020:a+b/ü", "type": "article-journal",
        "title": "Ponds & lakes: what 5% of DNA tells",
        "author": [
            {"family": "van den Berg", "given": "Jan"}, {"family": "Núñez", "given": "José"},
            {"literal": "World Health Organization"},
        ],
        "issued": {"date-parts": [[2020, 5]]}, "container-title": "Journal of Water",
        "volume": "7", "issue": "2", "page": "12-19", "DOI": "10.1234/pond_1",
        "URL": "https://example.org/a_b?c=d&e=%20f",
    },
    {
        "id": "doe1999", "type": "book", "title": "A Book of Öl",
        "author": [{"family": "Doe", "given": "Jane A."}], "issued": {"date-parts": [[1999]]},
    },
]  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
def test_each_format_says_the_same(name: str, tmp_path: Path) -> None:
    path = tmp_path / "library"
    path.write_bytes(WRITERS[name](ITEMS).encode())
    library = FileReferenceReader().read(path)
    assert library.warnings == ()
    lakes, book = library.items
    assert (lakes.citekey, lakes.title, lakes.year, lakes.doi, lakes.url) == (
        "berg2020:a+b/ü", "Ponds & lakes: what 5% of DNA tells", 2020, "10.1234/pond_1",
        "https://example.org/a_b?c=d&e=%20f",
    )  # fmt: skip
    assert lakes.authors == ("Jan van den Berg", "José Núñez", "World Health Organization")
    assert (lakes.type, lakes.container_title) == ("article-journal", "Journal of Water")
    assert (lakes.page or "").replace("–", "-") == "12-19"
    assert [lakes.csl[part] for part in ("volume", "issue")] == ["7", "2"]
    assert lakes.csl["issued"] == {"date-parts": [[2020, 5]]}
    assert (book.citekey, book.title, book.year, book.type) == (
        "doe1999", "A Book of Öl", 1999, "book",
    )  # fmt: skip
    assert book.authors == ("Jane A. Doe",)
