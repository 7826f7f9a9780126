"""Encodings of texts: byte order marks, and bytes that no encoding has."""

import pytest

from citeloom.infrastructure.ingest.conversion.formats.text_encoding import decode, is_binary


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides(encoding: str) -> None:
    raw = "Слово\r\n漢字\r".encode(encoding)
    assert decode(raw) == ("Слово\n漢字\n", None)
    assert not is_binary(raw)


def test_every_byte_stands_for_something() -> None:
    text, warning = decode(bytes(range(256)))
    assert len(text) == 256
    assert warning is not None
    assert is_binary(b"a\x00b")
