"""Glyph names of the codes of a simple font: /Differences and the font program's own encoding."""

import re
import zlib

from pikepdf import Array, Dictionary, Name, Object, Stream

from citeloom.infrastructure.ingest.conversion.pdf.fonts.cff_programs import CffProgram, read_cff

_ENTRY = re.compile(rb"dup\s+(\d{1,3})\s*/([^\s/\[\](){}<>%]+)\s+put")
_ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")


def encoded_names(font: Dictionary) -> dict[int, str]:
    """Glyph names by code, from FirstChar to LastChar; those of a predefined encoding left out.

    What a predefined encoding says pdfium knows.
    """
    encoding = font.get("/Encoding")
    names = differences(encoding)
    if not isinstance(encoding, Name) and not _has_base(encoding):
        descriptor = font.get("/FontDescriptor")
        if isinstance(descriptor, Dictionary):
            names = _built_in_names(descriptor) | names
    first, last = int(font.get("/FirstChar", 0)), int(font.get("/LastChar", 255))
    return {code: name for code, name in names.items() if first <= code <= last}


def blank_names(font: Dictionary) -> frozenset[str]:
    """Names of glyphs that show nothing, if the font program is a CFF one."""
    descriptor = font.get("/FontDescriptor")
    program = descriptor.get("/FontFile3") if isinstance(descriptor, Dictionary) else None
    return _cff(program).blank if isinstance(program, Stream) else frozenset()


def differences(encoding: Object | None) -> dict[int, str]:
    """Glyph names by code of an encoding's /Differences, without .notdef."""
    entries = encoding.get("/Differences") if isinstance(encoding, Dictionary) else None
    names: dict[int, str] = {}
    code = 0
    for entry in entries.as_list() if isinstance(entries, Array) else ():
        if isinstance(entry, Name):
            names[code] = plain_name(entry)
            code += 1
        else:
            code = int(entry)
    return _named(names)


def plain_name(name: Name) -> str:
    """A name without its slash and escapes, one character a byte."""
    written = bytes(name.unparse())[1:]
    return _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), written).decode("latin-1")


def type1_encoding(program: bytes) -> dict[int, str]:
    """Glyph names by code, from the array /Encoding in the clear text of a Type 1 program.

    Empty when the program says StandardEncoding.
    """
    clear = program.partition(b"eexec")[0]
    at = clear.find(b"/Encoding")
    entries = _ENTRY.findall(clear, at) if at >= 0 else []
    return _named({int(code): name.decode("latin-1") for code, name in entries})


def _named(names: dict[int, str]) -> dict[int, str]:
    return {code: name for code, name in names.items() if code < 256 and name != ".notdef"}


def _has_base(encoding: Object | None) -> bool:
    return isinstance(encoding, Dictionary) and "/BaseEncoding" in encoding


def _built_in_names(descriptor: Dictionary) -> dict[int, str]:
    if isinstance(program := descriptor.get("/FontFile"), Stream):
        return type1_encoding(_beginning(program))
    program = descriptor.get("/FontFile3")
    return _cff(program).encoding if isinstance(program, Stream) else {}


def _cff(program: Stream) -> CffProgram:
    if program.get("/Subtype") != "/Type1C":
        return CffProgram((), {}, frozenset())
    return read_cff(program.read_bytes())


def _beginning(program: Stream) -> bytes:
    """The clear text of a Type 1 program, without decoding the rest where that is easy."""
    length = int(program.get("/Length1", 0))
    if program.get("/Filter") != "/FlateDecode" or "/DecodeParms" in program or length <= 0:
        return program.read_bytes()
    return zlib.decompressobj().decompress(program.read_raw_bytes(), length)
