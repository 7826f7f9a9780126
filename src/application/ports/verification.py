"""Ports of verification: draft reader, judge of claims, store of findings."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from citeloom.domain.value import Value
from citeloom.domain.verification.claims.judgement import Judgement, SourceSentence
from citeloom.domain.verification.drafts.draft import Draft
from citeloom.domain.verification.drafts.findings import Finding


class DraftMarkup(StrEnum):
    """What drafts that are text are written in; ``PLAIN`` has citations in pandoc's form."""

    MARKDOWN = "markdown"
    LATEX = "latex"
    TYPST = "typst"
    PLAIN = "plain"


class DraftText(Value):
    """A draft that is in no file. ``name`` is what it is called in place of a path."""

    text: str
    markup: DraftMarkup = DraftMarkup.MARKDOWN
    name: str = "text"


class DraftReader(Protocol):
    """Reads drafts of the formats that authors write in."""

    def read(self, path: Path) -> Draft:
        """Raises InvalidSource for a file that is missing, unreadable, damaged, or not text
        where text is expected, and UnsupportedFormat, naming the formats there are."""

    def parse(self, draft: DraftText) -> Draft: ...


class FindingCache(Protocol):
    """Findings by a digest of all that they depend on. Losing them costs time only."""

    def load(self) -> Mapping[str, Finding]:
        """Those that are kept; what cannot be read any more is left out."""

    def save(self, findings: Mapping[str, Finding]) -> None:
        """Keep these and no others, whole or not at all. Raises StorageFailed."""


class Judge(Protocol):
    @property
    def fingerprint(self) -> str:
        """Names what judges and its version: where it differs, judgements may."""

    def judge(self, claim: str, evidence: Sequence[SourceSentence]) -> Judgement:
        """``evidence`` are sentences of one document, the most relevant first; none gives
        UNSUPPORTED."""
