"""An entailment model from a folder: its labels, its files, and what is wrong with them."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.models.onnx_file import word_model

from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.models.judging.entailment import LocalEntailmentModel

PREMISE = "Statins lower the risk of stroke."


@pytest.mark.parametrize(
    ("labels", "support", "contradict"),
    [
        (("contradiction", "entailment", "neutral"), 1, 0),
        (("ENTAILMENT", "NEUTRAL", "CONTRADICTION"), 0, 2),
        (("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"), 0, 1),
        (("entailment", "not_entailment"), 0, None),
        (("NOT_SUPPORTED", "SUPPORTED"), 1, None),
    ],
)
def test_labels_are_found_by_their_names(
    tmp_path: Path, labels: Sequence[str], support: int, contradict: int | None
) -> None:
    one, other = ([0.0] * len(labels) for _ in range(2))
    one[support] = 20.0
    if contradict is not None:
        other[contradict] = 20.0
    folder = word_model(tmp_path, {"statins": one, "aspirin": other}, labels)
    first, second = LocalEntailmentModel(folder).read("Fewer.", ["Statins.", "Aspirin."])
    assert first.support > 0.99
    assert second.contradict == pytest.approx(0.0 if contradict is None else 1.0, abs=0.01)


def test_premise_and_claim_are_both_read(tmp_path: Path) -> None:
    words = {"statins": (0.0, 9.0, 0.0), "never": (20.0, 0.0, 0.0)}
    model = LocalEntailmentModel(word_model(tmp_path, words))
    assert model.read("Stroke is rarer.", [PREMISE])[0].support > 0.9
    assert model.read("Stroke is never rarer.", [PREMISE])[0].contradict > 0.9


def test_a_model_without_segments_is_read(tmp_path: Path) -> None:
    folder = word_model(tmp_path, {"statins": (0.0, 9.0, 0.0)}, token_types=False)
    assert LocalEntailmentModel(folder).read("Fewer.", [PREMISE])[0].support > 0.9


def test_the_window_of_the_model_is_kept(tmp_path: Path) -> None:
    folder = word_model(tmp_path, {"statins": (0.0, 0.1, 0.0)})
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["max_position_embeddings"] = 34
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    short, long = LocalEntailmentModel(folder).read("Fewer.", ["statins " * 27, "statins " * 90])
    assert short == long


def test_the_file_of_a_repository_is_found(tmp_path: Path) -> None:
    folder = word_model(tmp_path, {"statins": (0.0, 9.0, 0.0)})
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    (folder / "onnx" / "model_int8.onnx").write_bytes(b"not read")
    assert LocalEntailmentModel(folder).read("Fewer.", [PREMISE])[0].support > 0.9


def test_other_labels_or_weights_have_another_fingerprint(tmp_path: Path) -> None:
    words = {"statins": (0.0, 9.0, 0.0)}
    folders = [
        word_model(tmp_path / "a", words),
        word_model(tmp_path / "b", words, ("entailment", "contradiction", "neutral")),
        word_model(tmp_path / "c", {"statins": (0.0, 8.0, 0.0)}),
    ]
    assert len({LocalEntailmentModel(folder).fingerprint for folder in folders}) == 3


@pytest.mark.parametrize("labels", [("LABEL_0", "LABEL_1"), ("neutral", "contradiction"), ("1",)])
def test_unknown_labels_are_refused_with_what_to_do(tmp_path: Path, labels: Sequence[str]) -> None:
    folder = word_model(tmp_path, {"statins": (1.0,) * len(labels)}, labels)
    with pytest.raises(ModelUnavailable, match=rf"config\.json.*{labels[0]}.*rename them"):
        LocalEntailmentModel(folder).read("Fewer.", [PREMISE])


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.onnx"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    folder = word_model(tmp_path, {"statins": (0.0, 9.0, 0.0)})
    (folder / name).unlink()
    what = "no ONNX file; export" if name == "model.onnx" else rf"{name}.*copy"
    with pytest.raises(ModelUnavailable, match=what):
        LocalEntailmentModel(folder).read("Fewer.", [PREMISE])


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.onnx"])
def test_a_damaged_file_is_named(tmp_path: Path, name: str) -> None:
    folder = word_model(tmp_path, {"statins": (0.0, 9.0, 0.0)})
    (folder / name).write_bytes(b"\x00 damaged")
    with pytest.raises(ModelUnavailable, match=name):
        LocalEntailmentModel(folder).read("Fewer.", [PREMISE])


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="nowhere: no such folder; name the folder"):
        LocalEntailmentModel(tmp_path / "nowhere").read("Fewer.", [PREMISE])


def test_several_models_are_not_chosen_from(tmp_path: Path) -> None:
    folder = word_model(tmp_path, {"statins": (0.0, 9.0, 0.0)})
    (folder / "model.onnx").rename(folder / "a.onnx")
    (folder / "b.onnx").write_bytes(b"")
    with pytest.raises(ModelUnavailable, match=r"several ONNX files.*rename"):
        LocalEntailmentModel(folder).read("Fewer.", [PREMISE])


def test_as_many_numbers_as_labels_are_wanted(tmp_path: Path) -> None:
    folder = word_model(tmp_path, {"statins": (0.0, 9.0)})
    with pytest.raises(ModelUnavailable, match="gives 2 numbers for 3 labels"):
        LocalEntailmentModel(folder).read("Fewer.", [PREMISE])
