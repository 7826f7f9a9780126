"""Stores of documents (catalogue, bundles, source files), and passwords of files."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.ingest import BundleStore, SourceCopies, SourceFiles


@dataclass(frozen=True, slots=True)
class DocumentStores:
    """The stores of documents: records, conversions, files, and copies of these."""

    catalogue: Catalogue
    bundles: BundleStore
    files: SourceFiles
    copies: SourceCopies


def password_for(name: str, passwords: Mapping[str, str], general: str | None) -> str | None:
    """The password of this file name, else of the first matching pattern, else ``general``."""
    if name in passwords:
        return passwords[name]
    fitting = (word for pattern, word in passwords.items() if fnmatchcase(name, pattern))
    return next(fitting, general)
