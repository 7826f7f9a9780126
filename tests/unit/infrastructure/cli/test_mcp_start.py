"""``citeloom mcp`` says at the start which workspace it serves, and refuses one that is none."""

from pathlib import Path

import pytest
from support.command_line import inside


@pytest.mark.parametrize(
    ("name", "reason"), [("typo", "the folder does not exist"), ("file", "is not a folder")]
)
def test_a_workspace_that_is_none_is_refused(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "file").touch()
    done = inside("mcp", workspace=tmp_path / name)
    assert (done.code, done.out) == (2, "")
    assert f"{tmp_path / name}: " in done.err
    assert reason in done.err
    assert not (tmp_path / "typo").exists()
