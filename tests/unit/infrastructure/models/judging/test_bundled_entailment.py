"""The bundled entailment model: its weights, and what it reads of a pair."""

from pathlib import Path

import pytest

from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.models.embedding.bundled_embedder import tokenizer_folder
from citeloom.infrastructure.models.judging import entailment as bundled
from citeloom.infrastructure.models.judging.entailment import BundledEntailmentModel

CLAIM = "Statins reduce the risk of stroke."


def test_the_weights_are_small_enough_to_ship() -> None:
    assert bundled.weights_path().stat().st_size <= 30_000_000


def test_a_missing_tokenizer_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"tokenizer\.json"):
        BundledEntailmentModel(tmp_path).read(CLAIM, ["Stroke was rarer with statins."])


def test_one_thread_gives_what_several_give() -> None:
    premises = ["Stroke was rarer with statins.", "Ponds cool the street.", "Statins."] * 4
    one = BundledEntailmentModel(tokenizer_folder(), threads=1).read(CLAIM, premises)
    assert BundledEntailmentModel(tokenizer_folder(), threads=4).read(CLAIM, premises) == one


def test_directions_are_told_apart() -> None:
    borne_out, opposed, other = BundledEntailmentModel(tokenizer_folder()).read(
        CLAIM,
        [
            "In this trial statins reduced the risk of stroke by a quarter.",
            "In this trial statins increased the risk of stroke by a quarter.",
            "Stroke units differ widely in how soon physiotherapy begins after admission.",
        ],
    )
    assert borne_out.support > 0.5 > borne_out.contradict
    assert opposed.contradict > 0.5 > opposed.support
    assert max(other) < 0.5
