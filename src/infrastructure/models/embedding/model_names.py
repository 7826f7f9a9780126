"""Canonical names of embedding models."""

from pathlib import Path

from citeloom.infrastructure.models.embedding import bundled
from citeloom.infrastructure.models.model_catalogue import LOCAL


def canonical_name(name: str) -> str:
    """One name for each model: the bundled one has several, and a folder is named by its absolute
    path."""
    if name.lower() in bundled.ALIASES:
        return bundled.NAME
    folder = Path(name).expanduser()
    return str(folder.resolve()) if folder.is_dir() else name


def is_folder(name: str) -> bool:
    """Whether a canonical name is the path of a folder."""
    return Path(name).is_absolute() and Path(name).is_dir()


def registered_name(folder: str) -> str:
    """Name of a folder's model in the registry of fastembed."""
    return f"{LOCAL}{folder}"
