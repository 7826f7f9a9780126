"""What is said of a database server that cannot be used."""

from pathlib import Path

import pytest

from citeloom.domain.errors import ConfigurationError, StorageFailed
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom_server.infrastructure.database.postgresql import ServerDatabase


def test_a_database_that_is_not_there_is_told(tmp_path: Path) -> None:
    database = ServerDatabase(f"sqlite+pysqlite:///{tmp_path / 'none' / 'x.sqlite'}")
    with (
        pytest.raises(StorageFailed, match=r"unable to open.*`catalogue\.url` is right"),
        database.writing(),
    ):
        pass


def test_a_server_s_password_is_never_printed() -> None:
    """With a driver the server does not answer; without one, its command is told."""
    with pytest.raises((StorageFailed, ConfigurationError)) as raised:
        SqlCatalogue("postgresql://u:secret@localhost:1/x").projects()
    assert "secret" not in raised.value.message + str(raised.value.details)
    if isinstance(raised.value, ConfigurationError):
        assert '`pip install "citeloom[postgresql]"`' in raised.value.message
