"""The stand-in for Zotero, asked by pyzotero's own ways of going through a library."""

import pytest
from pyzotero.zotero import Zotero
from support.zotero.account import articles, key_of
from support.zotero.api_double import API_KEY, USER, ZoteroDouble


@pytest.fixture(params=["local", "web"])
def client(request: pytest.FixtureRequest, zotero: ZoteroDouble) -> Zotero:
    local = request.param == "local"
    found = Zotero(0 if local else USER, "user", None if local else API_KEY, local=local)
    found.endpoint = zotero.local_url if local else zotero.web_url
    return found


def test_links_lead_from_page_to_page(client: Zotero, zotero: ZoteroDouble) -> None:
    zotero.user.put(*articles(130))
    assert len(client.everything(client.items(limit=50))) == 130
    assert len(zotero.requests("/items")) == 3
    assert client.count_items() == 130


def test_changes_are_listed_since_a_version(client: Zotero, zotero: ZoteroDouble) -> None:
    first = zotero.user.put(*articles(3))
    zotero.user.trash(key_of(1))
    assert client.last_modified_version() == first + 1
    assert client.item_versions(since=first) == {}
    assert client.item_versions(since=first, includeTrashed=1) == {key_of(1): first + 1}
    assert [one["key"] for one in client.trash()] == [key_of(1)]
    assert client.item(key_of(2))["data"]["title"] == "Ponds, part 2"


def test_the_web_api_gives_a_hundred_at_most_and_tells_of_deletions(zotero: ZoteroDouble) -> None:
    client = Zotero(USER, "user", API_KEY)
    client.endpoint = zotero.web_url
    version = zotero.user.put(*articles(130))
    zotero.user.delete(key_of(5))
    assert len(client.items(limit=1000)) == 100
    assert client.deleted(since=version)["items"] == [key_of(5)]
    assert client.deleted(since=version + 1)["items"] == []
