"""Reasons in words: nothing of a library's own names, digests and addresses is passed on."""

import json
import zipfile
from io import BytesIO

from lxml import etree
from support.cases import each

from citeloom.infrastructure.ingest.conversion.worker import failure_reason


def _raised(make: object) -> Exception:
    try:
        make()  # type: ignore[operator]
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def _archive() -> zipfile.ZipFile:
    content = BytesIO()
    zipfile.ZipFile(content, "w").close()
    return zipfile.ZipFile(content)


@each(
    ("inner", "reason"),
    [
        (_raised(lambda: etree.fromstring("<a>\n<b></a>")), "its XML is damaged in line 2"),
        (_raised(lambda: zipfile.ZipFile(BytesIO(b"no"))), "its archive is damaged"),
        (_raised(lambda: _archive().read("word/styles.xml")),
         "a part of it is missing: word/styles.xml"),
        (_raised(lambda: json.loads("{")), "its JSON is damaged"),
        (_raised(lambda: b"\xff".decode()), "its encoding is unknown"),
        (RecursionError(), "it is nested too deeply"),
        (OSError(28, "No space left on device"), "no space left on device"),
        (RuntimeError("File format not allowed: document.xml"),
         "its kind or version is not supported"),
        (AttributeError("'lxml.etree._Element' object has no attribute 'x'"),
         "a part of it is missing or damaged"),
        (TypeError("<class '_cython_3_2_9.x'> at 0x7f3fa0"), "a part of it is missing or damaged"),
    ],
)  # fmt: skip
def test_the_innermost_known_error_is_the_reason(inner: Exception, reason: str) -> None:
    def convert() -> None:
        try:
            raise inner
        except Exception as error:
            raise RuntimeError(f"Backend could not load document with hash {'ab' * 32}") from error

    assert failure_reason(_raised(convert)) == reason
