"""Port: bibliographic metadata in the formats of reference managers."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from citeloom.domain.citation import CitationMeta


class ReferenceFormat(StrEnum):
    """``BIBTEX`` is for BibTeX's own styles, ``BIBLATEX`` has the fields of biblatex."""

    BIBTEX = "bibtex"
    BIBLATEX = "biblatex"
    CSL_JSON = "csl-json"
    RIS = "ris"


class ReferenceWriter(Protocol):
    def write(self, works: Sequence[CitationMeta], format: ReferenceFormat) -> str:
        """A file of ``works`` in their order, each under its citation key, with a line break
        at its end. CSL-JSON has the items that the works were read from, unchanged but for
        ``id``, which is the citation key, and ``keyword``, the tags of items without any."""
