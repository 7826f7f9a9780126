"""Passages on the web page: as much of them as is read at a glance."""

from types import SimpleNamespace
from typing import Any

import pytest

from citeloom.domain.documents.spans import BBox
from citeloom.domain.search.request import HitPicture
from citeloom.infrastructure.http.page.ask import AskAddress, byline, marked, printed_pages
from citeloom.infrastructure.http.reports import TEMPLATES

PARTS: Any = TEMPLATES.get_template("sheet.html").module
BEST = "The cooling falls with distance."
LONG = " ".join(f"word{n}" for n in range(200))


def test_a_passage_is_whole_whatever_is_cut_of_it() -> None:
    for text, best in (
        (f"{LONG} {BEST} {LONG}", BEST),
        (LONG, ""),
        (BEST, BEST),
        ("x" * 999, ""),
    ):
        assert "".join(marked(text, best)) == text


def test_what_is_near_the_best_sentence_is_kept() -> None:
    shown = marked(f"{LONG} {BEST} {LONG}", BEST)
    assert shown.best == BEST
    assert shown.before.endswith("word199 ")
    assert shown.after.startswith(" word0")
    assert 100 < len(shown.before) <= 180
    assert 100 < len(shown.after) <= 180


def test_a_short_passage_is_not_cut() -> None:
    shown = marked(f"Ponds. {BEST} So.", BEST)
    assert (shown.before_cut, shown.after_cut) == ("", "")


def test_many_authors_are_counted() -> None:
    assert byline(["A B", "C D", "E F"]) == "A B, C D, E F"
    assert byline(["A B", "C D", "E F", "G H"]) == "A B, C D and 2 more"


def test_pages_are_named_as_they_are_printed() -> None:
    assert printed_pages(["xii"], None) == "p. xii"
    assert printed_pages(["3", "4"], None) == "pp. 3–4"
    assert printed_pages([], "para. 3") == "para. 3"


def test_a_table_has_its_heads_and_no_markup_of_the_paper() -> None:
    rows = str(
        PARTS.rows("<b>Pond</b> | K", marked("North | 1\nA & B | 2\n<i>all</i>", "A & B | 2"))
    )
    assert "<tr><td>&lt;b&gt;Pond&lt;/b&gt;</td><td>K</td></tr>" in rows
    assert "<tr><td>North</td><td>1</td></tr>" in rows
    assert "<td><mark>A &amp; B</mark></td><td><mark>2</mark></td>" in rows
    assert '<td colspan="99">&lt;i&gt;all&lt;/i&gt;</td>' in rows


@pytest.mark.parametrize(
    ("box", "size"),
    [((0, 0, 100, 50), (130, 65)), ((0, 0, 100, 480), (50, 240)), ((0, 5, 100, 5), (130, 1))],
)
def test_a_picture_of_a_hit_has_its_size_before_it_is_loaded(
    box: BBox, size: tuple[int, int]
) -> None:
    shown = HitPicture(page=1, bbox=box, uri="ndk://file/p/d/page/1.png")
    item = SimpleNamespace(picture=shown, rank=1, project="thesis", document_id="d")
    part = str(PARTS.part(item, AskAddress("thesis")))
    assert 'width="{}" height="{}"'.format(*size) in part
