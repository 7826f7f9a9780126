"""Port: cutting a converted document into passages."""

from collections.abc import Sequence
from typing import Protocol

from citeloom.application.ports.embedder import TokenCounter
from citeloom.domain.chunk import Chunk
from citeloom.domain.conversion import ConversionResult
from citeloom.domain.project import EmbeddingModel


class Chunker(Protocol):
    @property
    def fingerprint(self) -> str:
        """Version and settings: the same fingerprint, model and conversion, the same chunks."""

    def chunk(
        self, document: ConversionResult, model: EmbeddingModel, tokens: TokenCounter
    ) -> Sequence[Chunk]:
        """The document's passages in reading order, together holding all of its text."""
