"""What commands of a page leave for the next ones."""

from pathlib import Path

import pytest

pytest.importorskip("pty", reason="the commands are run in a POSIX terminal")

from specs.transcripts.folder import Folder


def test_variables_that_a_command_sets_are_there_for_the_next_one(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert folder.run("""said='two words, "quoted"'""") == (0, [])
    assert folder.run('echo "$said"; exit 3') == (3, ['two words, "quoted"'])
    assert folder.run('said=other; echo "$said" $PATH | wc -l') == (0, ["1"])
    assert folder.run("echo $said; false") == (1, ["other"])
