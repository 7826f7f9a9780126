"""Reports and parts of the page as HTML."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.http.page.ask import marked
from citeloom.infrastructure.http.reports import TEMPLATES, file_link


@pytest.mark.parametrize("name", ["pond 1.pdf", "gone.pdf", f"{'a' * 300}.pdf"])
def test_a_place_is_a_link_to_a_file_that_is_there(tmp_path: Path, name: str) -> None:
    (tmp_path / "pond 1.pdf").touch()
    stored = SimpleNamespace(document_id="d" * 64, path=str(tmp_path / name), citation=None)
    catalogue = SimpleNamespace(documents=lambda _: [stored])
    application: Any = SimpleNamespace(stores=SimpleNamespace(catalogue=catalogue))
    link = file_link(application, ProjectId.parse("thesis"))
    url = (tmp_path / name).as_uri() if name == "pond 1.pdf" else None
    assert link(f"doc://{'d' * 16}#pages=3-4") == (url and f"{url}#page=3")
    assert link(f"doc://{'e' * 16}") is None
    assert link(f"https://{'d' * 16}.org") is None


def test_the_rows_of_a_table_stand_below_all_its_heads() -> None:
    sheet: Any = TEMPLATES.get_template("sheet.html").module
    shown = sheet.rows("| Pond | Air | |\n| | mean | most |", marked("| Mill | 1 | 2 |"))
    assert re.findall("<tr>(.*)</tr>", shown) == [
        "<td>Pond</td><td>Air</td><td></td>",
        "<td></td><td>mean</td><td>most</td>",
        "<td>Mill</td><td>1</td><td>2</td>",
    ]
