"""Which library is read, by the settings."""

from pathlib import Path

import pytest
from support.zotero.library import attachment, key, work, write_database

from citeloom.domain.library import LibraryRef, LibraryScope
from citeloom.infrastructure.composition.application import open_application
from citeloom.infrastructure.library.snapshot import RawLibrary


def test_folder_and_base_of_linked_files_are_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked = attachment(1, key(1, "W"), linkMode="linked_file", path="attachments:a.pdf")
    raw = RawLibrary(LibraryRef(), [work(1), linked])
    database = write_database(tmp_path / "Zotero" / "zotero.sqlite", [raw])
    monkeypatch.setenv("CITELOOM_ZOTERO__DATA_DIR", str(database.parent))
    monkeypatch.setenv("CITELOOM_ZOTERO__API_KEY", "secret-key")
    flags = {"zotero": {"linked_files": str(tmp_path / "papers")}}
    opened = open_application(tmp_path / "w", flags)
    library = opened.library.source
    assert opened.library.source is library
    assert library.status().place == str(database)
    (found,) = library.snapshot(LibraryScope()).attachments
    assert found.path == str(tmp_path / "papers" / "a.pdf")
    assert not library.asks_network
    rows = {name: (value, origin) for name, value, origin in opened.configuration.rows()}
    assert rows["zotero.source"] == ("database", "default")
    assert rows["zotero.data_dir"] == (str(database.parent), "environment")
    assert rows["zotero.api_key"] == ("***", "environment")
    opened.close()
