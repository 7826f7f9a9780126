"""Several sources of one library: who is asked, and in which order."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from support.cases import each
from support.paths import cases

from citeloom.application.ports.library import LibrarySource, LibraryStatus
from citeloom.domain.errors import InvalidRequest, LibraryUnavailable
from citeloom.domain.library import (
    LibraryAttachment,
    LibraryRef,
    LibraryScope,
    LibrarySnapshot,
    LinkMode,
)
from citeloom.infrastructure.library.source import FallbackSource

ALL = LibraryScope()
PDF = LibraryAttachment(key="PDFAAAAA", library=LibraryRef(), link_mode=LinkMode.IMPORTED_FILE)
HERE = Path(__file__)


@dataclass
class Source:
    name: str
    asks_network: bool = False
    fails: str = ""
    complete: bool = True
    path: Path | None = HERE
    asked: list[str] = field(default_factory=list)
    closed: bool = False

    def _answer(self, what: str) -> None:
        self.asked.append(what)
        if self.fails:
            raise LibraryUnavailable(f"{self.name}: {self.fails}")

    def status(self) -> LibraryStatus:
        self._answer("status")
        return LibraryStatus(name=self.name, place="here", state="1")

    def snapshot(self, scope: LibraryScope) -> LibrarySnapshot:
        self._answer("snapshot")
        if scope.collections:
            raise InvalidRequest("Thesis: no such collection")
        return LibrarySnapshot(source=self.name, state="1", scope=scope, complete=self.complete)

    def file(self, attachment: LibraryAttachment) -> Path | None:
        self._answer("file")
        return self.path

    def close(self) -> None:
        self.closed = True


def pair(first: Source, second: Source) -> LibrarySource:
    return FallbackSource([first, second])


def test_the_first_is_used_if_it_answers_and_the_second_not_asked() -> None:
    local, web = Source("local"), Source("web", asks_network=True)
    both = pair(local, web)
    assert (both.snapshot(ALL).source, both.status().name, both.file(PDF)) == (
        "local", "local", HERE,
    )  # fmt: skip
    assert not web.asked
    assert both.asks_network
    assert both.name == "local, else web"


def test_the_second_is_used_if_the_first_does_not_answer_and_it_is_told() -> None:
    both = pair(Source("web", fails="rate limited"), Source("local"))
    assert both.snapshot(ALL).source == "local"
    assert both.snapshot(ALL).warnings == ("web: rate limited",)
    assert both.status().notices == ("web: rate limited",)
    assert both.file(PDF) == HERE


def test_a_missing_file_is_looked_for_in_the_other_alone() -> None:
    web = Source("web")
    both = pair(Source("local", path=None), web)
    assert both.snapshot(ALL).source == "local"
    assert both.file(PDF) == HERE
    assert web.asked == ["file"]


def test_a_file_that_nobody_has_is_none_unless_somebody_may_have_it() -> None:
    assert pair(Source("local", path=None), Source("web", path=None)).file(PDF) is None
    with pytest.raises(LibraryUnavailable, match="rate limited"):
        pair(Source("local", path=None), Source("web", fails="rate limited")).file(PDF)


def test_half_an_answer_stands_back_behind_a_whole_one() -> None:
    half = Source("web", complete=False)
    whole = pair(half, Source("local")).snapshot(ALL)
    assert (whole.source, whole.complete) == ("local", True)
    assert any("not the whole library" in warning for warning in whole.warnings)
    for second in (Source("local", fails="off"), Source("local", complete=False)):
        alone = pair(half, second).snapshot(ALL)
        assert (alone.source, alone.complete) == ("web", False)


def test_none_that_answers_is_an_error_with_each_reason() -> None:
    both = pair(Source("local", fails="off"), Source("web", fails="rate limited"))
    for ask in (both.status, lambda: both.snapshot(ALL)):
        with pytest.raises(LibraryUnavailable, match="local: off; web: rate limited"):
            ask()


def test_a_wrong_request_is_not_tried_elsewhere() -> None:
    web = Source("web")
    with pytest.raises(InvalidRequest):
        pair(Source("local"), web).snapshot(LibraryScope(collections=("Thesis",)))
    assert not web.asked


def test_why_one_is_not_among_them_is_told() -> None:
    source = FallbackSource([Source("local")], absent=["no database"])
    assert source.snapshot(ALL).warnings == source.status().notices == ("no database",)


def test_closing_closes_every_source() -> None:
    local, web = Source("local"), Source("web")
    pair(local, web).close()
    assert (local.closed, web.closed) == (True, True)


def rows() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = cases("zotero_sources")["source_router"]
    return found


@each("row", rows(), ids=str)
def test_rows_of_the_reference(row: dict[str, str]) -> None:
    local = Source(
        "local",
        fails="" if row.get("local", "ok") in ("ok", "missing file") else row["local"],
        path=None if row.get("local") == "missing file" else HERE,
    )
    web = Source("web", fails="" if row.get("web", "ok") == "ok" else row["web"])
    order = {"web-first": [web, local], "web-only": [web], "local-only": [local]}
    source = FallbackSource(order.get(row["mode"], [local, web]))
    if "error" in row:
        with pytest.raises(LibraryUnavailable, match="local"):
            source.snapshot(ALL)
        assert not web.asked
        return
    used = row["used"].partition(",")[0]
    if "file" in row.get("local", ""):
        assert source.snapshot(ALL).source == "local"
        assert source.file(PDF) == HERE
        assert web.asked == ["file"]
    else:
        assert source.snapshot(ALL).source == used
        assert "never called" not in row["used"] or not local.asked
