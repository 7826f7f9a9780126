"""Labelled claims: what is read, and what is refused by line."""

import json
from pathlib import Path

import pytest

from citeloom.domain.errors import InvalidSource
from citeloom_evaluation.domain.claim_quality import ClaimLabel, LabelledClaim
from citeloom_evaluation.infrastructure import read_claims

GOOD = {"claim": "Ponds cool.", "evidence": ["The pond was cooler."], "label": "SUPPORT"}


def written(folder: Path, *lines: object) -> Path:
    path = folder / "claims.jsonl"
    texts = (one if isinstance(one, str) else json.dumps(one) for one in lines)
    path.write_text("\n".join(texts), encoding="utf-8")
    return path


def test_sentences_are_taken_as_given_and_texts_cut_into_them(tmp_path: Path) -> None:
    sentences = ["It was warm; e.g. here. And there.", " ", "Yes."]
    text = "It was warm, e.g. here. It was cold there."
    path = written(tmp_path, GOOD | {"evidence": sentences}, "", GOOD | {"evidence": text})
    assert [one.evidence for one in read_claims(path)] == [
        ("It was warm; e.g. here. And there.", "Yes."),
        ("It was warm, e.g. here.", "It was cold there."),
    ]


def test_no_evidence_is_evidence_too(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD | {"evidence": []}, GOOD | {"evidence": " "})
    assert [one.evidence for one in read_claims(path)] == [(), ()]


@pytest.mark.parametrize(
    ("written_as", "label"),
    [
        ("supports", ClaimLabel.SUPPORT),
        ("Refute", ClaimLabel.CONTRADICT),
        ("CONTRADICTED", ClaimLabel.CONTRADICT),
        ("not enough info", ClaimLabel.NEI),
        ("NOT_ESTABLISHED", ClaimLabel.NEI),
        (" NEI ", ClaimLabel.NEI),
    ],
)
def test_labels_by_their_usual_names(tmp_path: Path, written_as: str, label: ClaimLabel) -> None:
    path = written(tmp_path, GOOD | {"label": written_as})
    assert read_claims(path) == (LabelledClaim("Ponds cool.", ("The pond was cooler.",), label),)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not a JSON object"),
        (GOOD | {"claim": ""}, "claim is missing"),
        (GOOD | {"claim": 7}, "claim is missing"),
        (GOOD | {"label": "MAYBE"}, 'label is "MAYBE"; write SUPPORT, CONTRADICT, NEI'),
        (GOOD | {"label": None}, "label is null"),
        (GOOD | {"evidence": None}, "evidence is missing"),
        (GOOD | {"evidence": ["a", 1]}, "evidence is missing, or neither"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: object, reason: str) -> None:
    with pytest.raises(InvalidSource, match="line 3: ") as refused:
        read_claims(written(tmp_path, GOOD, "", line))
    assert reason in str(refused.value)


def test_half_surrogates_are_replaced(tmp_path: Path) -> None:
    path = written(tmp_path, '{"claim": "a\\ud800", "evidence": ["b\\udfff"], "label": "NEI"}')
    assert read_claims(path)[0].claim == "a�"


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xff\xfe\xfa"])
def test_a_file_without_claims_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "claims.jsonl"
    path.write_bytes(content)
    with pytest.raises(InvalidSource):
        read_claims(path)


def test_a_missing_file_and_a_folder_are_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidSource, match="no such file"):
        read_claims(tmp_path / "none.jsonl")
    with pytest.raises(InvalidSource, match="check the file"):
        read_claims(tmp_path)
