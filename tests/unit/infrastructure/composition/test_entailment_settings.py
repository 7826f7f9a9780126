"""Which entailment model is used, by the settings."""

from pathlib import Path

import pytest
from support.models.onnx_file import word_model

from citeloom.domain.errors import ConfigurationError
from citeloom.infrastructure.composition.application import open_application
from citeloom.infrastructure.models.judging.entailment import BundledEntailmentModel


def test_rules_need_no_model(tmp_path: Path) -> None:
    opened = open_application(tmp_path, {"verify": {"judge": "rules"}})
    assert opened.models.entailment is None
    opened.close()


@pytest.mark.parametrize("judge", ["bundled", "language-model"])
def test_the_bundled_model_is_named(tmp_path: Path, judge: str) -> None:
    opened = open_application(tmp_path, {"verify": {"judge": judge}})
    assert isinstance(opened.models.entailment, BundledEntailmentModel)
    assert opened.models.second_reader is None
    opened.close()


def test_a_model_of_a_folder_is_read_beside_the_bundled_one(tmp_path: Path) -> None:
    folder = word_model(tmp_path / "nli", {"statins": (0.0, 9.0, 0.0)})
    flags = {"verify": {"judge": "local", "judge_folder": str(folder)}}
    opened = open_application(tmp_path / "w", flags)
    assert isinstance(opened.models.entailment, BundledEntailmentModel)
    assert opened.models.second_reader is not None
    (reading,) = opened.models.second_reader.read("Fewer.", ["Statins."])
    assert reading.support > 0.9
    opened.close()


def test_a_model_of_no_folder_is_refused(tmp_path: Path) -> None:
    opened = open_application(tmp_path, {"verify": {"judge": "local"}})
    with pytest.raises(ConfigurationError, match=r"verify\.judge_folder: .*no folder is named"):
        opened.models.second_reader  # noqa: B018
    opened.close()
