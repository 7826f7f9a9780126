"""Libraries read page by page: whole, at one version, or said not to be."""

import pytest
from zotero_double import Fault, ZoteroDouble, articles, attachment, key_of

from citeloom.domain.errors import InvalidRequest, LibraryUnavailable
from citeloom.domain.library import LibraryScope

from .conftest import Open, Watch

ALL = LibraryScope()
BOTH = pytest.mark.parametrize("kind", ["local", "web"])


@BOTH
def test_each_page_of_a_library_is_read(kind: str, zotero: ZoteroDouble, opened: Open) -> None:
    zotero.user.put(*articles(250))
    snapshot = opened(kind, zotero).snapshot(ALL)
    assert snapshot.complete
    assert {item.key for item in snapshot.items} == {key_of(n) for n in range(1, 251)}
    pages = len(zotero.requests("/items?"))
    assert pages == (3 if kind == "web" else 1)
    assert snapshot.libraries[0].version == zotero.user.version
