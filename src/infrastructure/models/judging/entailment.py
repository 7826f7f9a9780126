"""Entailment models: the bundled cross-encoder, or one from a folder.

Entailment model from a folder: any NLI or fact-checking cross-encoder exported to ONNX. Each pair
is one run on one thread, with several runs in parallel: a reading does not depend on the other
premises.

The bundled entailment model, described in ``data/MODEL_CARD.md``. Its tokenizer is that of
all-MiniLM-L6-v2, which is part of the embedding model.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from citeloom.application.ports.verification import Entailment
from citeloom.domain.errors import ModelUnavailable
from citeloom.domain.text.phrasing import first_line
from citeloom.infrastructure.models.cross_encoder import CrossEncoder
from citeloom.infrastructure.models.onnx import (
    checked,
    in_parallel,
    onnxruntime,
    open_session,
)
from citeloom.infrastructure.system.files import file_sha256

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

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


def entailment(logits: Sequence[float], labels: LabelPlaces) -> Entailment:
    """Softmax of the logits."""
    highest = max(logits)
    raw = [math.exp(value - highest) for value in logits]
    total = sum(raw)
    contradict = 0.0 if labels.contradict is None else raw[labels.contradict] / total
    return Entailment(support=raw[labels.support] / total, contradict=contradict)


# More would be read by no model of the families that are meant, and cost seconds a pair.
_MAX_TOKENS: Final = 512
_KNOWN_INPUTS: Final = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_EXPORT: Final = (
    "export the model to ONNX (optimum-cli export onnx) or copy the file of its repository"
)


class LocalEntailmentModel:
    """``folder`` has ``config.json`` with ``id2label``, ``tokenizer.json``, and the model as
    ``model.onnx``, ``onnx/model.onnx`` or its only ONNX file. Loads with the first pair;
    ``threads`` is the number of pairs read in parallel."""

    def __init__(self, folder: Path, *, threads: int = 2) -> None:
        self._folder = folder.expanduser()
        self._threads = threads

    @cached_property
    def fingerprint(self) -> str:
        # Weights over 2 GB lie in files beside the model, whose names begin with its name.
        labels = repr(self._labels)
        weights = sorted(self._weights.parent.glob(f"{self._weights.name}*"))
        files = [*weights, self._file("tokenizer.json"), self._folder / "config.json"]
        parts = [labels, *(file_sha256(path) for path in files)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def read(self, claim: str, premises: Sequence[str]) -> list[Entailment]:
        if not premises:
            return []
        # Loaded before the threads start: two threads may compute a cached property twice.
        labels, tokenizer, session = self._labels, self._tokenizer, self._session
        encoded = [tokenizer.encode(premise, claim) for premise in premises]
        threads = min(self._threads, len(encoded))
        logits = list(in_parallel(lambda one: self._run(session, one), encoded, threads))
        return [entailment(one, labels) for one in logits]

    def _run(self, session: "InferenceSession", encoded: "Encoding") -> list[float]:
        import numpy as np

        values = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
        }
        feed: dict[str, Any] = {
            one.name: np.array([values[one.name]], dtype=np.int64) for one in session.get_inputs()
        }
        try:
            logits = np.asarray(session.run(None, feed)[0], dtype=np.float64).reshape(-1)
        except Exception as error:
            raise ModelUnavailable(
                f"{self._weights}: fails on a pair of texts ({first_line(error)}); {_EXPORT}"
            ) from error
        if len(logits) != self._labels.outputs:
            raise ModelUnavailable(
                f"{self._weights}: gives {len(logits)} numbers for {self._labels.outputs} labels "
                "of config.json; take both from the same model"
            )
        return [float(value) for value in logits]

    @cached_property
    def _labels(self) -> LabelPlaces:
        if not self._folder.is_dir():
            raise ModelUnavailable(
                f"{self._folder}: no such folder; name the folder of an entailment model with "
                "config.json, tokenizer.json and model.onnx"
            )
        return label_places(self._folder)

    @cached_property
    def _weights(self) -> Path:
        named = [self._folder / "model.onnx", self._folder / "onnx" / "model.onnx"]
        found = [path for path in named if path.is_file()][:1] or sorted(
            self._folder.rglob("*.onnx")
        )
        if len(found) != 1:
            what = "several ONNX files, none of them model.onnx" if found else "no ONNX file"
            remedy = "rename the one to use to model.onnx" if found else _EXPORT
            raise ModelUnavailable(f"{self._folder}: holds {what}; {remedy}")
        return found[0]

    @cached_property
    def _session(self) -> "InferenceSession":
        options = onnxruntime().SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        session = open_session(self._weights, options, _EXPORT)
        if other := {one.name for one in session.get_inputs()} - _KNOWN_INPUTS:
            raise ModelUnavailable(
                f"{self._weights}: asks for {', '.join(sorted(other))}, which a classifier of "
                f"pairs of texts does not; {_EXPORT}"
            )
        return session

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        from tokenizers import Tokenizer

        path = self._file("tokenizer.json")
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:
            raise ModelUnavailable(
                f"{path}: not a tokenizer ({first_line(error)}); copy that of the model"
            ) from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._max_tokens, strategy="longest_first")
        return tokenizer

    @cached_property
    def _max_tokens(self) -> int:
        config: Mapping[str, Any] = json.loads(
            (self._folder / "config.json").read_text(encoding="utf-8")
        )
        places = config.get("max_position_embeddings")
        # RoBERTa's first two places are not for tokens.
        return min(_MAX_TOKENS, places - 2) if isinstance(places, int) else _MAX_TOKENS

    def _file(self, name: str) -> Path:
        path = self._folder / name
        if not path.is_file():
            raise ModelUnavailable(f"{path}: no such file; copy the {name} of the model there")
        return path


NAME: Final = "citeloom-judge-minilm"
WEIGHTS_SHA256: Final = "6c574710ea4e7caeb1cf6954d7e7b08497b0bda3feee6edece79990b96dde8b7"
MAX_TOKENS: Final = 128
CLAIM_TOKENS: Final = 64
LABELS: Final = LabelPlaces(support=1, contradict=2, outputs=3)


@cache
def weights_path() -> Path:
    """The ONNX file with verified sha256. Raises ModelUnavailable."""
    return checked(Path(__file__).parent / "data" / "model.onnx", WEIGHTS_SHA256, NAME)


class BundledEntailmentModel:
    """Loads the model with the first pair.

    ``tokenizer`` is the folder of all-MiniLM-L6-v2's ``tokenizer.json``; ``threads`` is the number
    of pairs read in parallel. The claim is cut to 64 tokens, both together to 128.
    """

    def __init__(self, tokenizer: Path, *, threads: int = 2) -> None:
        self._encoder = CrossEncoder(
            NAME,
            weights_path,
            tokenizer,
            max_tokens=MAX_TOKENS,
            first_tokens=CLAIM_TOKENS,
            threads=threads,
        )

    @cached_property
    def fingerprint(self) -> str:
        return self._encoder.fingerprint(WEIGHTS_SHA256, LABELS, MAX_TOKENS, CLAIM_TOKENS)

    def read(self, claim: str, premises: Sequence[str]) -> list[Entailment]:
        return [entailment(logits, LABELS) for logits in self._encoder.logits(claim, premises)]
