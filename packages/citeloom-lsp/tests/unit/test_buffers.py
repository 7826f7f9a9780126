"""Text of open documents, in the units of each encoding."""

import pytest
from lsprotocol import types
from support.cases import each

from citeloom.application.ports.verification import DraftMarkup
from citeloom.domain.writing import Edit
from citeloom_lsp.infrastructure.buffers import Buffer, markup_of

# A form feed and a line separator end no line of the protocol.
TEXT = "a😀é\x0cb\u2028c\r\nsecond\rthird\n"


def buffer(text: str, encoding: str = "utf-16") -> Buffer:
    return Buffer("file:///d.md", text, 1, DraftMarkup.MARKDOWN, encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_positions_and_offsets(encoding: str) -> None:
    one = buffer(TEXT, encoding)
    for offset in range(len(TEXT) + 1):
        if TEXT[offset - 1 : offset + 1] != "\r\n":
            assert one.offset(one.position(offset)) == offset


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 5), ("utf-16", 3), ("utf-32", 2)])
def test_units_before_a_character(encoding: str, character: int) -> None:
    assert buffer(TEXT, encoding).position(2).character == character


def test_lines_end_as_the_protocol_says() -> None:
    one = buffer(TEXT)
    assert [one.position(TEXT.index(word)).line for word in ("b", "c", "second", "third")] == [
        0, 0, 1, 2,
    ]  # fmt: skip


def test_what_lies_beyond_means_the_end() -> None:
    one = buffer("ab\ncd")
    assert one.offset(types.Position(0, 99)) == 2
    assert one.offset(types.Position(9, 0)) == 5
    assert buffer("").offset(types.Position(0, 0)) == 0
    assert buffer("").position(0) == types.Position(0, 0)


def test_a_position_within_a_character_is_its_beginning() -> None:
    assert buffer("a😀b", "utf-16").offset(types.Position(0, 2)) == 1
    assert buffer("a😀b", "utf-8").offset(types.Position(0, 3)) == 1


def test_changes() -> None:
    one = buffer("😀 a\nb\n")
    span = types.Range(types.Position(0, 3), types.Position(1, 0))
    later, edit = one.edited(types.TextDocumentContentChangePartial(span, "x"), 2)
    assert (later.text, later.version, edit) == ("😀 xb\n", 2, Edit(2, 4, "x"))
    whole, edit = later.edited(types.TextDocumentContentChangeWholeDocument("new"), 3)
    assert (whole.text, edit) == ("new", Edit(0, 5, "new"))


@each(
    ("uri", "language", "markup"),
    [
        ("file:///a/d.QMD", "", DraftMarkup.MARKDOWN),
        ("file:///a/d.tex", "plaintext", DraftMarkup.LATEX),
        ("untitled:Untitled-1", "typst", DraftMarkup.TYPST),
        ("file:///a/d.py", "python", None),
        ("file:///a/d.txt", "plaintext", None),
    ],
)
def test_which_documents_are_drafts(uri: str, language: str, markup: DraftMarkup | None) -> None:
    assert markup_of(uri, language) is markup
