"""The verb *models*: known models, their use by projects, and download."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.models import Availability, KnownModel, ModelCatalogue, ModelKind
from citeloom.domain.errors import ModelUnavailable
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.value import Value


class ListedModel(Value):
    """A model with the projects that use it (``used_by``) and those that keep an index of it
    that is not in use (``kept_by``)."""

    model: KnownModel
    used_by: tuple[str, ...] = ()
    kept_by: tuple[str, ...] = ()


class Models:
    """Lists, shows and fetches models of all kinds."""

    def __init__(self, *, catalogue: Catalogue, catalogues: Sequence[ModelCatalogue]) -> None:
        self._catalogue = catalogue
        self._catalogues = catalogues

    def list(self) -> Sequence[ListedModel]:
        """All models: those usable offline first, then by kind and name."""
        used_by, kept_by = self._uses()
        known = {m.name: m for catalogue in self._catalogues for m in catalogue.models()}
        for name in (*used_by, *kept_by):
            if name not in known:
                known[name] = self._find(name) or _missing(name)
        ordered = sorted(
            known.values(), key=lambda m: (not m.offline, m.kind.value, m.name.casefold())
        )
        return [_listed(model, used_by, kept_by) for model in ordered]

    def show(self, name: str) -> ListedModel:
        """Raises ModelUnavailable for an unknown name."""
        used_by, kept_by = self._uses()
        model = self._find(name)
        if model is None and name in {**used_by, **kept_by}:
            model = _missing(name)
        if model is None:
            raise _unknown(name)
        return _listed(model, used_by, kept_by)

    def fetch(self, name: str) -> ListedModel:
        """Downloads the model if it is not cached. Raises ModelUnavailable."""
        for catalogue in self._catalogues:
            if catalogue.find(name) is not None:
                return _listed(catalogue.fetch(name), *self._uses())
        raise _unknown(name)

    def _find(self, name: str) -> KnownModel | None:
        matches = (catalogue.find(name) for catalogue in self._catalogues)
        return next((model for model in matches if model is not None), None)

    def _uses(self) -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
        used_by, kept_by = defaultdict(list), defaultdict(list)
        for project in self._catalogue.projects():
            used_by[project.embedding_model.name].append(project.id.value)
            for other in project.others:
                kept_by[other.model.name].append(project.id.value)
        return dict(used_by), dict(kept_by)


def _listed(
    model: KnownModel, used_by: Mapping[str, Sequence[str]], kept_by: Mapping[str, Sequence[str]]
) -> ListedModel:
    return ListedModel(
        model=model,
        used_by=tuple(used_by.get(model.name, ())),
        kept_by=tuple(kept_by.get(model.name, ())),
    )


def _missing(name: str) -> KnownModel:
    return KnownModel(name=name, kind=ModelKind.EMBEDDING, availability=Availability.MISSING)


def _unknown(name: str) -> ModelUnavailable:
    return ModelUnavailable(
        f"{name}: no such model; a folder with model.onnx and tokenizer.json can be named by its "
        "path",
        NextStep(Action.LIST_MODELS),
    )
