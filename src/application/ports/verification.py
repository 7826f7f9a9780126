"""Ports of verification: draft reader, judge of claims, entailment model, store of findings."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from citeloom.domain.choices import DraftMarkup as DraftMarkup
from citeloom.domain.value import Value
from citeloom.domain.verification.claims.judgement import Judgement, SourceSentence
from citeloom.domain.verification.drafts.draft import Draft, Finding


class DraftText(Value):
    """A draft given as text; ``name`` stands for its path in results."""

    text: str
    markup: DraftMarkup = DraftMarkup.MARKDOWN
    name: str = "text"


class DraftReader(Protocol):
    """Reads drafts in the supported formats."""

    def read(self, path: Path) -> Draft:
        """Raises InvalidSource for a file that is missing, unreadable, damaged or not text, and
        UnsupportedFormat, which names the supported formats."""

    def parse(self, draft: DraftText) -> Draft: ...


class FindingCache(Protocol):
    """Findings by a digest of all inputs. A cache: its loss costs only time."""

    def load(self) -> Mapping[str, Finding]:
        """The stored findings; unreadable ones are left out."""

    def save(self, findings: Mapping[str, Finding]) -> None:
        """Atomically replace all stored findings. Raises StorageFailed."""


class Judge(Protocol):
    """Judges whether evidence supports a claim."""

    @property
    def fingerprint(self) -> str:
        """Name and version; equal fingerprints give equal judgements."""

    @property
    def sentences(self) -> int:
        """How many of the most relevant sentences of a work it is given, beside those next to
        them and with the numbers of the claim."""

    def judge(self, claim: str, evidence: Sequence[SourceSentence]) -> Judgement:
        """``evidence`` are sentences of one document, the most relevant first; without any the
        verdict is UNSUPPORTED."""


class Entailment(NamedTuple):
    """Probabilities, 0..1, that a premise entails a claim and that it contradicts it; the rest is
    that it does neither."""

    support: float
    contradict: float


class EntailmentModel(Protocol):
    """Reads a claim together with text of a source (natural language inference)."""

    @property
    def fingerprint(self) -> str:
        """Digest of weights, tokenizer and labels; equal fingerprints give equal readings."""

    def read(self, claim: str, premises: Sequence[str]) -> Sequence[Entailment]:
        """One reading a premise, in their order; the others do not change it. A premise too long
        for the model is cut at its end. Raises ModelUnavailable."""
