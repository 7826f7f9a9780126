"""Titles spelled by the name of a file, for papers whose first page is misread."""

import re
from pathlib import PurePosixPath

from citeloom.domain.references.identifiers import folded, normalise_title

# A title must be distinctive without its light words, and all but one in five of them named.
_LEAST_WORDS, _COVERAGE = 3, 0.8
_LIGHT = frozenset(
    "a an and at by for from in into of on or the to und der die das et la le".split()
)
# Words that make another work of the same title: parts, replies, supplements.
_OTHER_WORK = re.compile(
    r"(?:supplement\w*|supporting|corrigendum|erratum|corrections?|reply|response|comments?|"
    r"commentary|rejoinder|appendix|retraction|part|volume|follow|revisited|review|slides|poster|"
    r"extended|short|[ivx]+|\d{1,3})"
)


def name_words(text: str) -> frozenset[str]:
    """The words of a title or of a file name without its ending, folded, no light words."""
    return frozenset(normalise_title(folded(text)).split()) - _LIGHT


def stem_words(file_name: str) -> frozenset[str]:
    return name_words(PurePosixPath(file_name.replace("\\", "/")).stem)


def spells_title(named: frozenset[str], wanted: frozenset[str], printed: frozenset[str]) -> bool:
    """Whether the words of a file name spell the title with the words ``wanted``.

    ``printed`` are those of the title found in the document, which may be misread or cut: half
    of them must be wanted, and neither they nor the file name may tell of another part, version
    or reply.
    """
    if len(wanted) < _LEAST_WORDS or len(wanted & named) < _COVERAGE * len(wanted):
        return False
    if 2 * len(printed & wanted) < len(printed):
        return False
    differing = (wanted ^ named) | (printed - wanted)
    return not any(_OTHER_WORK.fullmatch(word) for word in differing)
