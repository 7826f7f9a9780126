"""Labels of entailment models, as their ``config.json`` names them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from citeloom.domain.errors import ModelUnavailable

_SUPPORT: Final = frozenset(
    {
        "entailment",
        "entail",
        "entails",
        "entailed",
        "support",
        "supports",
        "supported",
        "consistent",
    }
)
_CONTRADICT: Final = frozenset(
    {"contradiction", "contradict", "contradicts", "contradictory", "refute", "refutes", "refuted"}
)
_NEITHER: Final = frozenset(
    {
        "neutral",
        "neither",
        "nei",
        "not_enough_info",
        "not_enough_information",
        "not_entailment",
        "not_supported",
        "unsupported",
        "inconsistent",
        "not",
    }
)


class LabelPlaces(NamedTuple):
    """Which outputs of a model mean support and contradiction; of how many ``outputs``."""

    support: int
    contradict: int | None
    outputs: int


def label_places(folder: Path) -> LabelPlaces:
    """Read from ``id2label``. Raises ModelUnavailable naming the labels that are not known."""
    path = folder / "config.json"
    labels = _labels(path)
    unknown = [name for name in labels if _plain(name) not in _SUPPORT | _CONTRADICT | _NEITHER]
    supporting = [n for n, name in enumerate(labels) if _plain(name) in _SUPPORT]
    contradicting = [n for n, name in enumerate(labels) if _plain(name) in _CONTRADICT]
    if unknown or len(labels) < 2 or len(supporting) != 1 or len(contradicting) > 1:
        named = ", ".join(labels) or "no labels"
        raise ModelUnavailable(
            f"{path}: the labels of this model ({named}) are not those of a judge of claims; use a "
            "model with the labels entailment, neutral and contradiction, or with two, entailment "
            "and not_entailment; if it is one and only the names differ, rename them in id2label"
        )
    return LabelPlaces(supporting[0], contradicting[0] if contradicting else None, len(labels))


def _labels(path: Path) -> Sequence[str]:
    try:
        config: Any = json.loads(path.read_text(encoding="utf-8"))
        names: Mapping[str, str] = config["id2label"]
        return [str(names[str(place)]) for place in range(len(names))]
    except OSError as error:
        raise ModelUnavailable(
            f"{path}: cannot be read ({error.strerror}); copy the config.json of the model there"
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ModelUnavailable(
            f"{path}: holds no list of labels (id2label); copy the config.json of the model there"
        ) from error


def _plain(name: str) -> str:
    return name.strip().lower().replace(" ", "_").replace("-", "_")
