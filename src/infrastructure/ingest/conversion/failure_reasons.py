"""Why a library could not read a file, by the kind of its error.

Messages of libraries name their own classes, digests and addresses of objects; they are not
passed on.
"""

import re
from collections.abc import Iterator
from typing import Final

_DAMAGED_XML: Final = "its XML is damaged"
# By the name of the class, since the libraries are imported where they are needed only.
_REASONS: Final = {
    "XMLSyntaxError": _DAMAGED_XML,
    "ParseError": _DAMAGED_XML,
    "ExpatError": _DAMAGED_XML,
    "BadZipFile": "its archive is damaged",
    "LargeZipFile": "its archive is damaged",
    "PackageNotFoundError": "its archive is damaged",
    "EntitiesForbidden": "it declares entities, which are not expanded",
    "DTDForbidden": "it declares entities, which are not expanded",
    "RecursionError": "it is nested too deeply",
    "UnicodeDecodeError": "its text is in no known encoding",
    "JSONDecodeError": "its JSON is damaged",
    "TimeoutError": "it took too long",
}
_MISSING_MEMBER: Final = re.compile(r"There is no item named '([\w./ -]{1,100})' in the archive")
_LINE: Final = re.compile(r"\bline (\d+)")
# docling's, of a file that its detection of formats does not know.
_NOT_READ: Final = "File format not allowed"
_OTHERWISE: Final = "a part of it is missing or damaged"


def failure_reason(error: BaseException) -> str:
    """The reason in words: of the innermost error whose kind is known."""
    for each in _innermost_first(error):
        message = str(each)
        if isinstance(each, KeyError) and (missing := _MISSING_MEMBER.search(message)):
            return f"a part of it is missing: {missing[1]}"
        if isinstance(each, OSError) and each.strerror:
            return each.strerror.lower()
        if _NOT_READ in message:
            return "it is of a kind or version that is not read here"
        kinds = (kind.__name__ for kind in type(each).__mro__)
        known = next((_REASONS[kind] for kind in kinds if kind in _REASONS), "")
        if known == _DAMAGED_XML and (line := _LINE.search(message)):
            return f"{known} in line {line[1]}"
        if known:
            return known
    return _OTHERWISE


def _innermost_first(error: BaseException) -> Iterator[BaseException]:
    chain: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in chain:
        chain.append(following)
        following = following.__cause__ or following.__context__
    return reversed(chain)
