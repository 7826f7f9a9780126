"""Stores of documents: catalogue, bundles and source files."""

from dataclasses import dataclass

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.ingest import BundleStore, SourceFiles


@dataclass(frozen=True, slots=True)
class DocumentStores:
    """Where documents of projects are: their records, their conversions, their files."""

    catalogue: Catalogue
    bundles: BundleStore
    files: SourceFiles
