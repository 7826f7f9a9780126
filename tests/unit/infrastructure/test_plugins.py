"""Plugins that are installed."""

from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

from citeloom.infrastructure.plugins import GROUP, Plugin, plugins


@pytest.fixture(autouse=True)
def asked_again() -> Iterator[None]:
    plugins.cache_clear()
    yield
    plugins.cache_clear()


def test_one_that_cannot_be_loaded_is_named_and_the_others_are_there(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    points = [
        EntryPoint("broken", "nowhere_to_be_found.plugin:Broken", GROUP),
        EntryPoint("own", "citeloom.infrastructure.plugins:Plugin", GROUP),
    ]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points)
    assert [type(one) for one in plugins()] == [Plugin]
    assert "the plugin broken of nowhere_to_be_found.plugin:Broken cannot be loaded" in caplog.text
