"""Catalogue of models of one kind: bundled, in fastembed, in local folders."""

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol

from citeloom.application.ports.models import Availability, KnownModel, ModelKind
from citeloom.domain.errors import ModelUnavailable
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.text.phrasing import first_line


def silence() -> None:
    """Let fastembed log nothing."""
    from loguru import logger

    logger.disable("fastembed")


#: How names of folders begin that are made known to fastembed.
LOCAL: Final = "local/"
_OFFLINE: Final = "HF_HUB_OFFLINE"


class ModelShare(Protocol):
    """Models that machines share, by the name of their folder in the cache."""

    def keep(self, folder: Path) -> None:
        """Keep the files of a model. Raises StorageFailed, OSError."""

    def take(self, folder: Path) -> bool:
        """Make the folder of a shared model; False where it is not shared. Raises
        StorageFailed."""


class LocalModelCatalogue(ABC):
    """Models of one kind. ``cache`` is the folder of downloaded models; ``share`` provides and
    receives models too."""

    kind: ClassVar[ModelKind]
    bundled_model: ClassVar[KnownModel]
    #: What can be used without the network.
    instead: ClassVar[str]

    def __init__(self, cache: Path, share: ModelShare | None = None) -> None:
        self._cache = cache
        self._share = share

    def models(self) -> Sequence[KnownModel]:
        return [self.bundled_model, *(self._known(each) for each in self._descriptions())]

    @abstractmethod
    def find(self, name: str) -> KnownModel | None: ...

    def fetch(self, name: str) -> KnownModel:
        model = self.find(name)
        if model is None:
            raise ModelUnavailable(f"{name}: no such model", NextStep(Action.LIST_MODELS))
        taken = False
        if model.availability is Availability.TO_FETCH:
            taken = self._taken(model.name)
            if not taken:
                self._download(model.name)
        max_tokens = self._load(model)
        fetched = self.find(name) or model
        if not taken and fetched.availability is Availability.FETCHED:
            self._keep(model.name)
        return fetched.model_copy(update={"max_tokens": max_tokens})

    @abstractmethod
    def _fastembed(self) -> Any:
        """The class of fastembed that has the catalogue."""

    @abstractmethod
    def _load(self, model: KnownModel) -> int | None:
        """Load a model that is there, to see that it works; how many tokens it reads."""

    def _by_name(self, name: str) -> KnownModel | None:
        same = (m for m in self._descriptions() if str(m["model"]).lower() == name.lower())
        description = next(same, None)
        return self._known(description) if description else None

    def _descriptions(self) -> list[Mapping[str, Any]]:
        """Descriptions of ONNX models, except those that we registered."""
        return [
            model
            for model in self._fastembed().list_supported_models()
            if model["model_file"].endswith(".onnx") and not model["model"].startswith(LOCAL)
        ]

    def _known(self, description: Mapping[str, Any]) -> KnownModel:
        place = _cached_folder(self._cache, description)
        return KnownModel(
            name=description["model"],
            kind=self.kind,
            availability=Availability.FETCHED if place else Availability.TO_FETCH,
            size_mb=round(float(description["size_in_GB"]) * 1000),
            licence=description["license"],
            description=description["description"],
            place=str(place) if place else None,
        )

    def _folder(self, folder: Path) -> KnownModel:
        weights = next(iter(sorted(folder.rglob("*.onnx"))), None)
        complete = weights is not None and (folder / "tokenizer.json").is_file()
        return KnownModel(
            name=str(folder),
            kind=self.kind,
            availability=Availability.FOLDER if complete else Availability.MISSING,
            size_mb=round(weights.stat().st_size / 1e6) if weights else None,
            description=None if complete else "holds no ONNX file, or no tokenizer.json",
            place=str(folder),
        )

    def _taken(self, name: str) -> bool:
        """Whether the model was taken from other machines."""
        folder = self._folder_of(name)
        return self._share is not None and folder is not None and self._share.take(folder)

    def _keep(self, name: str) -> None:
        if self._share is not None and (folder := self._folder_of(name)) is not None:
            self._share.keep(folder)

    def _folder_of(self, name: str) -> Path | None:
        """The folder in the cache of a model of the catalogue."""
        descriptions = (m for m in self._descriptions() if m["model"] == name)
        return next((_model_folder(self._cache, one) for one in descriptions), None)

    def _download(self, name: str) -> None:
        without = f"copy {self._cache} from a machine that has it, or {self.instead}"
        if os.environ.get(_OFFLINE, "").strip().upper() in ("1", "TRUE", "YES", "ON"):
            raise ModelUnavailable(
                f"{name}: not fetched, because {_OFFLINE} forbids to ask the network; unset it, or "
                f"{without}"
            )
        fastembed = self._fastembed()
        description = fastembed._get_model_description(name)
        try:
            fastembed.download_model(description, str(self._cache), retries=1)
        except Exception as error:
            raise ModelUnavailable(
                f"{name}: could not be fetched ({first_line(error)}); connect to the network and "
                f"try again, or {without}"
            ) from error


def _cached_folder(cache: Path, description: Mapping[str, Any]) -> Path | None:
    """The snapshot in fastembed's cache (laid out as huggingface_hub does) that holds the
    weights of a model."""
    if (folder := _model_folder(cache, description)) is None:
        return None
    for snapshot in sorted((folder / "snapshots").glob("*")):
        if (snapshot / description["model_file"]).is_file():
            return snapshot
    return None


def _model_folder(cache: Path, description: Mapping[str, Any]) -> Path | None:
    source = description["sources"]["hf"]
    return cache / f"models--{source.replace('/', '--')}" if source else None
