"""reStructuredText, AsciiDoc and plain text: sections and blocks with their lines."""

from pathlib import Path

import pytest
from support.files.mapped_files import map_text, node, outline

from citeloom.domain.errors import ConversionFailed
from citeloom.infrastructure.maps.mappers import node_building as text_lines
from citeloom.infrastructure.maps.mappers.text import TextMapper

RST = """\
=====
Looms
=====

.. note:: none of its prose

Weaving is old. Very.

Warp
----

    Indented
    --------

Weft
----
text

Again
=====
"""
ASCIIDOC = """\
= Looms

:author: x

== Warp
Threads run along. Others across.

----
== in a listing
----

=== Deep
== Weft ==
"""


def test_restructured_text_levels_are_in_the_order_of_their_rules(tmp_path: Path) -> None:
    found = map_text(TextMapper(), tmp_path / "a.rst", RST)
    assert outline(found) == [
        ("looms", "section", (1, 20)),
        ("looms.warp", "subsection", (9, 13)),
        ("looms.weft", "subsection", (15, 20)),
        ("looms.weft.again", "subsection", (19, 20)),
    ]
    assert node(found, "looms").summary == "Weaving is old."


def test_asciidoc_headings_outside_listings(tmp_path: Path) -> None:
    found = map_text(TextMapper(), tmp_path / "a.adoc", ASCIIDOC)
    assert outline(found) == [
        ("looms", "section", (1, 13)),
        ("looms.warp", "subsection", (5, 12)),
        ("looms.warp.deep", "subsection", (12, 12)),
        ("looms.weft", "subsection", (13, 13)),
    ]
    assert node(found, "looms.warp").summary == "Threads run along."


def test_plain_text_is_cut_at_empty_lines(tmp_path: Path) -> None:
    text = "\n\n".join(f"Paragraph {n}. It goes on\nfor two lines." for n in range(40))
    found = map_text(TextMapper(), tmp_path / "a.txt", f"\n{text}\n\n")
    places = [node.location.lines for node in found.nodes]
    assert places == [(2, 42), (44, 84), (86, 120)]
    assert (found.nodes[0].title, found.nodes[0].summary) == (
        "Paragraph 0. It goes on",
        "Paragraph 0.",
    )


def test_a_long_text_without_empty_lines_has_no_endless_block(tmp_path: Path) -> None:
    found = map_text(TextMapper(), tmp_path / "a.txt", "word\n" * 10_000)
    sizes = [b - a + 1 for a, b in (n.location.lines or (0, 0) for n in found.nodes)]
    assert sum(sizes) == 10_000
    assert max(sizes) <= 400
    assert len(sizes) <= 50


@pytest.mark.parametrize("name", ["a.rst", "a.adoc"])
def test_markup_without_headings_has_blocks(tmp_path: Path, name: str) -> None:
    found = map_text(TextMapper(), tmp_path / name, "One.\n\nTwo.\n")
    assert outline(found) == [("block-1", "block", (1, 3))]


@pytest.mark.parametrize("text", ["", "\n\n  \n"])
def test_an_empty_file_has_no_nodes(tmp_path: Path, text: str) -> None:
    assert map_text(TextMapper(), tmp_path / "a.txt", text).nodes == ()


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        ("é".encode(), "é"),
        ("\ufeffé".encode(), "é"),
        ("é".encode("utf-16"), "é"),
        ("é – €".encode("cp1252"), "é – €"),
        (b"\x81", "\x81"),
    ],
)
def test_texts_are_read_in_any_encoding(tmp_path: Path, raw: bytes, line: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(raw)
    assert text_lines.read_lines(path) == (line,)


def test_what_is_no_text_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConversionFailed, match="binary"):
        map_text(TextMapper(), tmp_path / "a.txt", b"\x89PNG\0\0")
    monkeypatch.setattr(text_lines, "MAX_BYTES", 3)
    with pytest.raises(ConversionFailed, match="too many"):
        map_text(TextMapper(), tmp_path / "b.txt", "four")


def test_programs_without_a_grammar_have_blocks_and_say_so(tmp_path: Path) -> None:
    found = map_text(TextMapper(), tmp_path / "a.r", "f <- function(x) x\n")
    assert outline(found) == [("block-1", "block", (1, 1))]
    assert "no grammar" in str((found.metadata or {})["note"])
