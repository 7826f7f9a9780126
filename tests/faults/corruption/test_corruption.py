"""Any damage to a file of a workspace is noticed, ends no process, and is mended.

Each of 26 kinds of files is deleted, emptied, cut in half and garbled: 104 cases, of which
CITELOOM_FAULT_CORRUPTIONS are tried (40), by the seed CITELOOM_FAULT_SEED.
"""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faults.corruption.damage import KINDS, WAYS, damage, damaged_file
from faults.corruption.forked import Ended, run
from faults.kills.content import content
from support.command_line import citeloom, ingest_samples

from citeloom.infrastructure.search.edge.copies import copy_sparse

pytestmark = pytest.mark.faults
CASES = [(kind, way) for kind in KINDS for way in WAYS]
TRIED = random.Random(int(os.environ.get("CITELOOM_FAULT_SEED", "18"))).sample(
    CASES, min(len(CASES), int(os.environ.get("CITELOOM_FAULT_CORRUPTIONS", "40")))
)
PROJECT = "samples"
CITEKEY = "szelkutiEveningCoolingSmall2022"
QUESTION = "how far does a pond cool the street"
#: What a person sees of the documents: each answer comes from other files.
ASKED: tuple[tuple[str, ...], ...] = (
    ("query", QUESTION, "-p", PROJECT, "--json"),
    ("query", "rereading", "-p", PROJECT, "--mode", "sparse", "-k", "50", "--json"),
    ("query", "pond", "-p", PROJECT, "--mode", "sparse", "--filter", f"doc={CITEKEY}", "--json"),
    ("project", "show", PROJECT, "--json"),
    ("label", CITEKEY, "-p", PROJECT, "--json"),
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with four papers, a label, and a copy of the catalogue that has both."""
    workspace = tmp_path_factory.mktemp("sound") / "w"
    done = ingest_samples(workspace)
    assert done.code == 0, done.err
    for value in ("good", "good"):
        for copy in (workspace / ".citeloom" / "backups").glob("*"):
            copy.unlink()
        done = citeloom("label", CITEKEY, "rating", value, "-p", PROJECT, workspace=workspace)
        assert done.code == 0, done.err
    return workspace


@pytest.fixture(scope="module")
def documents(sound: Path) -> list[str]:
    """Ids of the documents, for their maps and texts."""
    bundles = sorted((sound / ".citeloom" / "bundles").glob("*/*.json.gz"))
    return [path.name.removesuffix(".json.gz") for path in bundles]


Answers = dict[str, Ended]


@pytest.fixture(scope="module")
def answers(documents: list[str]) -> Callable[[Path], Answers]:
    """What a workspace answers, by command."""
    asked: list[tuple[str, ...]] = list(ASKED)
    asked += [("structure", document, "-p", PROJECT, "--json") for document in documents[:1]]
    asked += [("references", document, "-p", PROJECT, "--json") for document in documents[:1]]

    def ask(workspace: Path) -> Answers:
        return {" ".join(one): run(*one, workspace=workspace) for one in asked}

    return ask


@pytest.fixture(scope="module")
def expected(sound: Path, answers: Callable[[Path], Answers]) -> dict[str, Any]:
    found = answers(sound)
    assert {command: str(one) for command, one in found.items() if one.code} == {}
    return {command: plain(one.json) for command, one in found.items()}


@pytest.fixture(scope="module")
def kept(sound: Path) -> dict[str, Any]:
    """Documents and passages of the sound workspace, vectors bit for bit."""
    return content(sound)


def copy(sound: Path, workspace: Path) -> None:
    """A copy with holes for zeros, as the engine's files are: a tenth of the time."""
    for place, _, names in os.walk(sound):
        target = workspace / Path(place).relative_to(sound)
        target.mkdir()
        for name in names:
            copy_sparse(Path(place, name), target / name)


def plain(answer: Any) -> Any:
    """An answer without times and paths of this workspace."""
    if isinstance(answer, dict):
        return {
            name: plain(value)
            for name, value in answer.items()
            if name not in ("created_at", "warnings", "map_version")
        }
    if isinstance(answer, list):
        return [plain(one) for one in answer]
    return answer


def mend(workspace: Path, kind: str) -> None:
    """As the messages say: the catalogue comes from its newest copy, all else is repaired. The
    exit code is that of the checks after it."""
    if kind == "catalogue":
        copies = sorted((workspace / ".citeloom" / "backups").glob("catalogue-*-daily.sqlite"))
        restored = run("restore", copies[-1], workspace=workspace)
        assert restored.code == 0, str(restored)
    repaired = run("validate", "--repair", "--json", workspace=workspace)
    assert repaired.code == 0, f"not mended: {repaired}"


@pytest.mark.parametrize(("kind", "way"), TRIED)
def test_damage_is_noticed_told_and_mended(
    sound: Path,
    expected: dict[str, Any],
    kept: dict[str, Any],
    answers: Callable[[Path], Answers],
    tmp_path: Path,
    kind: str,
    way: str,
) -> None:
    workspace = tmp_path / "w"
    copy(sound, workspace)
    damage(damaged_file(workspace, kind), way)

    noticed = run("validate", "--json", workspace=workspace)
    assert not noticed.crashed, str(noticed)
    assert noticed.code != 0, f"not noticed: {noticed}"

    for command, answer in answers(workspace).items():
        assert not answer.crashed, str(answer)
        if answer.code == 0:
            assert plain(answer.json) == expected[command], f"silently wrong: {command}"
        else:
            assert "citeloom" in answer.err, f"no way out is named: {answer}"

    mend(workspace, kind)
    found = {command: plain(one.json) for command, one in answers(workspace).items()}
    assert found == expected
    assert content(workspace) == kept
    shutil.rmtree(workspace)


@pytest.mark.parametrize("way", WAYS)
def test_without_its_checksums_an_index_is_as_good_as_before(
    sound: Path,
    expected: dict[str, Any],
    answers: Callable[[Path], Answers],
    tmp_path: Path,
    way: str,
) -> None:
    workspace = tmp_path / "w"
    copy(sound, workspace)
    [sums] = (workspace / ".citeloom" / "index").glob("*/sums.json")
    WAYS[way](sums)
    assert {command: plain(one.json) for command, one in answers(workspace).items()} == expected
    assert run("validate", "--deep", workspace=workspace).code == 0


def test_a_lost_conversion_whose_paper_is_lost_too_is_named_and_nothing_else_is_touched(
    tmp_path: Path, expected: dict[str, Any], answers: Callable[[Path], Answers], sound: Path
) -> None:
    workspace = tmp_path / "w"
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "a.md").write_text("# Ferns\n\nFerns grow in the shade of the northern wall.\n")
    (papers / "b.md").write_text("# Moss\n\nMoss grows on the stones of the southern wall.\n")
    assert run("ingest", papers, "-p", "p", workspace=workspace).code == 0
    before = run("query", "what grows on walls", "-p", "p", "--json", workspace=workspace).json
    damaged_file(workspace, "bundle").write_bytes(b"")
    for paper in papers.iterdir():
        paper.unlink()
    repaired = run("validate", "--repair", workspace=workspace)
    assert repaired.code == 1, str(repaired)
    assert "not repaired: " in repaired.err
    after = run("query", "what grows on walls", "-p", "p", "--json", workspace=workspace).json
    assert plain(after) == plain(before)
