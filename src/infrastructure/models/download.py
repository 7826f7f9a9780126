"""Weights of fastembed's catalogues: bringing them into the cache, and finding them there."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from citeloom.domain.errors import ModelUnavailable

_OFFLINE: Final = "HF_HUB_OFFLINE"


def download(catalogue: Any, name: str, cache: Path, instead: str) -> None:
    """Ask the network for a model of ``catalogue``, one of fastembed's classes. ``instead``
    says what can be used without it. Raises ModelUnavailable."""
    without = f"copy {cache} from a machine that has it, or {instead}"
    if os.environ.get(_OFFLINE, "").strip().upper() in ("1", "TRUE", "YES", "ON"):
        raise ModelUnavailable(
            f"{name}: not fetched, because {_OFFLINE} forbids to ask the network; unset it, or "
            f"{without}"
        )
    description = catalogue._get_model_description(name)
    try:
        catalogue.download_model(description, str(cache), retries=1)
    except Exception as error:
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise ModelUnavailable(
            f"{name}: could not be fetched ({reason}); connect to the network and try again, "
            f"or {without}"
        ) from error


def cached_folder(cache: Path, description: Mapping[str, Any]) -> Path | None:
    """The snapshot in fastembed's cache (laid out as huggingface_hub does) that holds the
    weights of a model."""
    source = description["sources"]["hf"]
    if not source:
        return None
    snapshots = cache / f"models--{source.replace('/', '--')}" / "snapshots"
    for snapshot in sorted(snapshots.glob("*")):
        if (snapshot / description["model_file"]).is_file():
            return snapshot
    return None
