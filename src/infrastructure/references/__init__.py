"""Adapters of the port ``ReferenceReader``: reference files, and libraries in memory."""

from citeloom.infrastructure.references.file import FileReferenceReader
from citeloom.infrastructure.references.memory import MemoryReferenceReader

__all__ = ["FileReferenceReader", "MemoryReferenceReader"]
