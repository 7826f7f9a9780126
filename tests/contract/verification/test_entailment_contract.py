"""Every entailment model does the same: the bundled one, one from a folder, and the one that tests
use."""

from pathlib import Path

import pytest
from support.in_memory.entailment import OverlapEntailment
from support.models.onnx_file import word_model

from citeloom.application.ports.verification import EntailmentModel
from citeloom.infrastructure.models.embedding.bundled_embedder import tokenizer_folder
from citeloom.infrastructure.models.judging.entailment import (
    BundledEntailmentModel,
    LocalEntailmentModel,
)

CLAIM = "Ponds cool the air in the street on summer evenings."
SAME = "Ponds cool the air in the street on summer evenings."
DENIED = "Ponds do not cool the air in the street on summer evenings."
OTHER = "We measured the moisture of the soil in twelve small plots."
PREMISES = [OTHER, SAME, DENIED, "", "   \n ", "🦆", "池塘使空气变凉。", SAME * 200]
# What each word says: contradiction, entailment, neutral.
WORDS = {"ponds": (0, 1, 0), "cool": (0, 1, 0), "not": (9, 0, 0), "soil": (0, 0, 9)}


@pytest.fixture(params=["bundled", "local", "overlap"])
def model(request: pytest.FixtureRequest, tmp_path: Path) -> EntailmentModel:
    if request.param == "bundled":
        return BundledEntailmentModel(tokenizer_folder())
    if request.param == "local":
        return LocalEntailmentModel(word_model(tmp_path / "model", WORDS))
    return OverlapEntailment()


def test_each_premise_has_probabilities(model: EntailmentModel) -> None:
    readings = model.read(CLAIM, PREMISES)
    assert len(readings) == len(PREMISES)
    for support, contradict in readings:
        assert 0.0 <= support <= 1.0
        assert 0.0 <= contradict <= 1.0
        assert support + contradict <= 1.0 + 1e-9


def test_no_premises_have_no_readings(model: EntailmentModel) -> None:
    assert list(model.read(CLAIM, [])) == []


def test_support_contradiction_and_neither_are_told_apart(model: EntailmentModel) -> None:
    other, same, denied = model.read(CLAIM, [OTHER, SAME, DENIED])
    assert same.support > 0.5 > same.contradict
    assert denied.contradict > 0.5 > denied.support
    assert max(other) < 0.5


def test_a_reading_does_not_depend_on_the_other_premises(model: EntailmentModel) -> None:
    among_others = list(model.read(CLAIM, PREMISES))
    alone = [model.read(CLAIM, [premise])[0] for premise in PREMISES]
    backwards = list(model.read(CLAIM, PREMISES[::-1]))[::-1]
    assert among_others == alone == backwards


def test_a_claim_of_any_length_is_taken(model: EntailmentModel) -> None:
    for claim in ("", " ", "ponds", CLAIM * 100):
        assert len(model.read(claim, PREMISES)) == len(PREMISES)


def test_the_fingerprint_is_a_digest_and_lasts(model: EntailmentModel) -> None:
    assert len(bytes.fromhex(model.fingerprint)) == 32
    assert model.fingerprint == model.fingerprint
