"""Encodings of texts: byte order marks, and bytes that no encoding has."""

from support.cases import each

from citeloom.infrastructure.ingest.conversion.formats.source_text import (
    declared_or_utf8,
    decode,
    is_binary,
)


@each("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides(encoding: str) -> None:
    raw = "Слово\r\n漢字\r".encode(encoding)
    assert decode(raw) == ("Слово\n漢字\n", None)
    assert not is_binary(raw)


def test_every_byte_stands_for_something() -> None:
    text, warning = decode(bytes(range(256)))
    assert len(text) == 256
    assert warning is not None
    assert is_binary(b"a\x00b")


def test_a_page_is_in_the_encoding_that_it_declares_else_marked_as_utf_8() -> None:
    declared = '<meta charset="koi8-r"><p>Слово</p>'.encode("koi8-r")
    assert declared_or_utf8(declared) == (declared, None)
    assert declared_or_utf8(b"<p>caf\xc3\xa9</p>") == (b"\xef\xbb\xbf<p>caf\xc3\xa9</p>", None)
    marked = '<meta charset="koi8-r"><p>café</p>'.encode("utf-8-sig")
    assert declared_or_utf8(marked) == (marked, None)
    old, warning = declared_or_utf8(b"<p>caf\xe9</p>")
    assert old == b"\xef\xbb\xbf<p>caf\xc3\xa9</p>"
    assert "Windows-1252" in str(warning)
