"""Where settings come from."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError
from support.cases import each

from citeloom.domain.errors import ConfigurationError
from citeloom.infrastructure.settings.sections import StorageSettings
from citeloom.infrastructure.settings.settings import load_configuration


def origins(tmp_path: Path) -> dict[str, tuple[str, str]]:
    found = load_configuration(
        tmp_path / "citeloom.toml", {"query": {"top_k": 9}}, env_file=tmp_path / ".env"
    )
    return {name: (value, origin) for name, value, origin in found.rows()}


def test_the_first_source_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITELOOM_QUERY__TOP_K", "8")
    monkeypatch.setenv("citeloom_query__rerank", "true")
    monkeypatch.setenv("CITELOOM_PDF__PASSWORDS", '{"a.pdf": "open"}')
    (tmp_path / ".env").write_text("CITELOOM_QUERY__RERANK=false\nCITELOOM_INGEST__JOBS=3\n")
    (tmp_path / "citeloom.toml").write_text("[ingest]\njobs = 4\n[embedding]\nthreads = 5\n")
    found = origins(tmp_path)
    assert found["query.top_k"] == ("9", "flag")
    assert found["query.rerank"] == ("True", "environment")
    assert found["pdf.passwords"] == ("a.pdf: ***", "environment")
    assert found["ingest.jobs"] == ("3", ".env")
    assert found["embedding.threads"] == ("5", "citeloom.toml")
    assert found["query.fusion"][1] == "default"


def test_variables_of_other_programs_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("DATABASE_URL=x\nCITELOOM_INGEST__JOBS=3\nQUERY=y\n")
    assert origins(tmp_path)["ingest.jobs"] == ("3", ".env")


def test_a_bad_value_is_named_with_its_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITELOOM_INGEST__JOBS", "many")
    with pytest.raises(ConfigurationError, match=r"ingest\.jobs \(environment\)"):
        origins(tmp_path)


def test_folders_are_a_list_in_the_file_and_parted_as_in_path_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "citeloom.toml").write_text('[mcp]\nfolders = ["/a, b", "/c"]\n')
    assert load_configuration(tmp_path / "citeloom.toml").settings.mcp.folders == ("/a, b", "/c")
    monkeypatch.setenv("CITELOOM_MCP__FOLDERS", os.pathsep.join(["/x", "/y"]))
    assert load_configuration(tmp_path / "citeloom.toml").settings.mcp.folders == ("/x", "/y")
    assert origins(tmp_path)["mcp.folders"] == ("/x, /y", "environment")
    monkeypatch.setenv("CITELOOM_MCP__FOLDERS", '["/x:z"]')
    assert load_configuration(tmp_path / "citeloom.toml").settings.mcp.folders == ("/x:z",)


@pytest.mark.parametrize("name", ["PDF__PASSWORDS", "MCP__ORIGINS"])
def test_text_that_a_setting_does_not_take_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(f"CITELOOM_{name}", "no such thing")
    with pytest.raises(ConfigurationError, match=name.replace("__", ".").lower()):
        origins(tmp_path)


def test_without_variables_their_reader_is_not_imported(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; "
        "from citeloom.infrastructure.settings.settings import load_configuration; "
        "load_configuration(pathlib.Path('none')); sys.exit('pydantic_settings' in sys.modules)"
    )
    plain = {k: v for k, v in os.environ.items() if not k.upper().startswith("CITELOOM_")}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=plain, check=False)
    assert done.returncode == 0


def test_the_password_of_a_database_is_not_shown(tmp_path: Path) -> None:
    settings = tmp_path / "citeloom.toml"
    settings.write_text('[catalogue]\nurl = "postgresql://me:p/w@d@db.example.org/lib"\n')
    assert origins(tmp_path)["catalogue.url"][0] == "postgresql://me:***@db.example.org/lib"
    settings.write_text('[catalogue]\nurl = "postgresql://db/lib?password=p/w&host=/run"\n')
    assert origins(tmp_path)["catalogue.url"][0] == "postgresql://db/lib?password=***&host=/run"
    settings.write_text('[catalogue]\nurl = "library.sqlite"\n')
    with pytest.raises(ConfigurationError, match=r"catalogue\.url"):
        origins(tmp_path)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("", ""),
        (" http://LOCALHOST:11434/v1/ ", "http://localhost:11434/v1"),
        ("https://llm.example.org/v1/chat/completions", "https://llm.example.org/v1"),
    ],
)
def test_the_server_of_a_language_model(tmp_path: Path, written: str, kept: str) -> None:
    (tmp_path / "citeloom.toml").write_text(f'[llm]\nurl = "{written}"\napi_key = "sk-1"\n')
    found = origins(tmp_path)
    assert (found["llm.url"][0], found["llm.api_key"][0]) == (kept, "***")


@pytest.mark.parametrize(
    "url", ["localhost:11434", "ftp://x/v1", "http://u:p@x/v1", "http://x/v1?key=1", "http://x:y/"]
)
def test_what_is_no_server_of_a_language_model_is_refused(tmp_path: Path, url: str) -> None:
    (tmp_path / "citeloom.toml").write_text(f'[llm]\nurl = "{url}"\n')
    with pytest.raises(ConfigurationError, match=r"llm\.url"):
        origins(tmp_path)


def test_secrets_of_files_are_named_with_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toml, dotenv = tmp_path / "citeloom.toml", tmp_path / ".env"
    toml.write_text(
        '[llm]\napi_key = "k"\n[pdf.passwords]\n"a.pdf" = "open"\n[query]\ntop_k = 3\n'
        '[catalogue]\nurl = "postgresql://me:secret@db/citeloom"\n'
    )
    dotenv.write_text("CITELOOM_INDEX__API_KEY=k\n")
    monkeypatch.setenv("CITELOOM_MCP__TOKEN", "t")
    found = dict(load_configuration(toml, env_file=dotenv).secrets_in_files())
    assert found == {
        "llm.api_key": toml,
        "pdf.passwords": toml,
        "catalogue.url": toml,
        "index.api_key": dotenv,
    }


@each(
    ("given", "stored"),
    [
        ("", ""),
        (" s3://bucket/group/ ", "s3://bucket/group"),
        ("file:///mnt/group/", "/mnt/group"),
        ("/mnt/group", "/mnt/group"),
    ],
)
def test_shared_storage_is_a_folder_or_a_store(given: str, stored: str) -> None:
    assert StorageSettings(url=given).url == stored


@pytest.mark.parametrize("given", ["papers", "s3://", "s3://key:secret@bucket/group"])
def test_shared_storage_that_means_another_place_on_each_machine_is_refused(given: str) -> None:
    with pytest.raises(ValidationError):
        StorageSettings(url=given)
