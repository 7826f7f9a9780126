"""Which sources ``zotero.source`` of the settings means."""

from pathlib import Path

import pytest
from support.cases import each
from support.zotero.library import work, write_database

from citeloom.domain.errors import LibraryUnavailable
from citeloom.domain.library import LibraryRef
from citeloom.infrastructure.composition.library import library_source
from citeloom.infrastructure.library.snapshot import RawLibrary
from citeloom.infrastructure.settings.sections import ZoteroSettings
from citeloom.infrastructure.system.http_client import on_this_machine


def settings(data_dir: Path, **more: object) -> ZoteroSettings:
    return ZoteroSettings.model_validate({"data_dir": str(data_dir)} | more)


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    write_database(tmp_path / "Zotero" / "zotero.sqlite", [RawLibrary(LibraryRef(), [work(1)])])
    return tmp_path / "Zotero"


@pytest.mark.parametrize(
    ("source", "key", "name", "network"),
    [
        ("database", "secret", "zotero.sqlite", False),
        ("local-api", "secret", "local API", False),
        ("web-api", "secret", "web API", True),
        ("auto", "", "zotero.sqlite, else local API", False),
        ("auto", "secret", "zotero.sqlite, else local API, else web API", True),
        ("local-first", "", "zotero.sqlite, else local API, else web API", True),
        ("web-first", "secret", "web API, else zotero.sqlite, else local API", True),
    ],
)
def test_each_source_of_the_settings_opens_its_adapter(
    source: str, key: str, name: str, network: bool, data_dir: Path, tmp_path: Path
) -> None:
    found = library_source(settings(data_dir, source=source, api_key=key), tmp_path / "kept")
    assert (found.name, found.asks_network) == (name, network)
    assert not (tmp_path / "kept").exists()
    found.close()


def test_a_local_api_on_another_machine_asks_the_network(data_dir: Path, tmp_path: Path) -> None:
    desk = "http://desk.example.org:23119"
    found = library_source(settings(data_dir, source="local-api", local_url=desk), tmp_path)
    assert found.asks_network
    assert getattr(found, "place", "") == f"{desk}/api"
    found = library_source(settings(data_dir, source="local-api", better_bibtex=desk), tmp_path)
    assert found.asks_network


def test_without_a_database_the_others_are_left_and_it_is_told(tmp_path: Path) -> None:
    wanted = settings(tmp_path / "nothing", source="auto", local_url="http://127.0.0.1:9")
    found = library_source(wanted, tmp_path)
    assert found.name == "local API"
    with pytest.raises(LibraryUnavailable, match=r"nothing.*no response"):
        found.status()
    with pytest.raises(LibraryUnavailable, match="nothing"):
        library_source(settings(tmp_path / "nothing"), tmp_path)


@each(
    ("url", "here"),
    [
        ("http://localhost:23119/api", True),
        ("http://127.0.0.1:23119", True),
        ("http://[::1]:23119", True),
        ("http://127.example.org:23119", False),
        ("https://api.zotero.org", False),
        ("", False),
    ],
)
def test_loopback_addresses_are_on_this_machine(url: str, here: bool) -> None:
    assert on_this_machine(url) is here
