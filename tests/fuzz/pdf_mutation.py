"""PDFs changed by a seed: bytes, values of objects, content of streams.

A seed always gives the same file. pikepdf is asked to write what was changed in objects, so that
the change is what readers meet, not a broken table of references; a third of the files are changed
byte by byte.
"""

import io
import random
from collections.abc import Callable

import pikepdf

_NAMES = (
    "/FlateDecode", "/LZWDecode", "/DCTDecode", "/JBIG2Decode", "/Type0", "/Type3", "/Font",
    "/Identity-H", "/WinAnsiEncoding", "/DeviceN", "/Separation", "/Pattern", "/Form",
)  # fmt: skip
#: Values put in place of others: extremes, other types, names that mean something.
_VALUES: tuple[Callable[[random.Random], object], ...] = (
    lambda draw: draw.choice([0, -1, 1, 2, 255, 65536, 2**31 - 1, -(2**31), 10**12]),
    lambda draw: draw.choice([0.0, 1e-30, 1e30, -0.5]),
    lambda draw: draw.choice([True, False, None]),
    lambda draw: pikepdf.Name(draw.choice(_NAMES)),
    lambda draw: pikepdf.String(draw.randbytes(draw.randrange(40))),
    lambda draw: pikepdf.Array([draw.randrange(-5, 2000) for _ in range(draw.randrange(8))]),
    lambda draw: pikepdf.Dictionary(),
)
_OPERATORS = (
    b"BT", b"ET", b"q", b"Q", b"cm", b"Tm", b"Td", b"TD", b"T*", b"Tj", b"TJ", b"'", b'"', b"Tf",
    b"Tz", b"Tr", b"Ts", b"Tc", b"Do", b"re", b"W", b"n", b"f", b"BMC", b"BDC", b"EMC", b"BI",
    b"ID", b"EI", b"sh", b"gs", b"d0", b"d1", b"0", b"-1", b"1e9", b"99999999999", b"[", b"]",
    b"<<", b">>", b"(", b")", b"<", b">", b"/", b"%", b"<FFFF>", b"\x00",
)  # fmt: skip


def mutated(content: bytes, seed: int) -> bytes:
    """``content`` with one to eight changes. Files that pikepdf cannot open change byte by byte."""
    draw = random.Random(seed)
    if draw.random() < 0.33:
        return _bytes_changed(content, draw)
    try:
        with pikepdf.open(io.BytesIO(content)) as pdf:
            for _ in range(draw.randint(1, 8)):
                _object_changed(pdf, draw)
            written = io.BytesIO()
            pdf.save(written, static_id=True, compress_streams=False)
            return written.getvalue()
    except (pikepdf.PdfError, pikepdf.PasswordError, ValueError, TypeError, RuntimeError):
        return _bytes_changed(content, draw)


def _bytes_changed(content: bytes, draw: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(draw.randint(1, 8)):
        start = draw.randrange(len(changed) + 1)
        length = draw.choice([1, 1, 4, 64, 1024])
        match draw.randrange(4):
            case 0:
                changed[start : start + length] = draw.randbytes(length)
            case 1:
                del changed[start : start + length]
            case 2:
                changed[start:start] = changed[start : start + length]
            case _:
                changed[start : start + length] = b" " + draw.choice(_OPERATORS) + b" "
    return bytes(changed)


def _object_changed(pdf: pikepdf.Pdf, draw: random.Random) -> None:
    objects = [one for one in pdf.objects if isinstance(one, pikepdf.Object)]
    containers = [
        one
        for one in objects
        if isinstance(one, pikepdf.Dictionary | pikepdf.Array | pikepdf.Stream)
    ]
    if not containers:
        return
    chosen = draw.choice(containers)
    if isinstance(chosen, pikepdf.Stream) and draw.random() < 0.6:
        _stream_changed(chosen, draw)
        return
    value = draw.choice(containers) if draw.random() < 0.3 else draw.choice(_VALUES)(draw)
    if isinstance(chosen, pikepdf.Array):
        if len(chosen):
            chosen[draw.randrange(len(chosen))] = value
        return
    if keys := sorted(set(chosen.keys()) - {"/Length"}):  # pikepdf writes the length itself
        key = draw.choice(keys)
        if draw.random() < 0.2 or value is None:
            del chosen[key]
        else:
            chosen[key] = value


def _stream_changed(stream: pikepdf.Stream, draw: random.Random) -> None:
    try:
        content = stream.read_bytes()
    except pikepdf.PdfError:  # a filter that is not decoded: its coded bytes
        content = stream.read_raw_bytes()
        stream.write(_tokens_changed(content, draw), filter=stream.get("/Filter"), type_check=False)
        return
    stream.write(_tokens_changed(content, draw))


def _tokens_changed(content: bytes, draw: random.Random) -> bytes:
    if draw.random() < 0.2:
        return _bytes_changed(content, draw)
    tokens = content.split(b" ")
    for _ in range(draw.randint(1, 6)):
        place = draw.randrange(len(tokens))
        tokens[place] = draw.choice([draw.choice(_OPERATORS), tokens[draw.randrange(len(tokens))]])
    return b" ".join(tokens)
