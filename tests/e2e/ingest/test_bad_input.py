"""What a user sees when something is wrong: the thing, the reason, the next step."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.command_line import Done, citeloom, inside
from support.paths import LIBRARY, ROOT

PAPER = LIBRARY / "papers" / "spaced-rereading.pdf"
Ask = Callable[..., Done]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with one small project, ``p``."""
    folder = tmp_path_factory.mktemp("bad")
    (folder / "a.md").write_text("# Tides\n\nTides follow the moon.\n", encoding="utf-8")
    assert inside("ingest", folder / "a.md", "-p", "p", workspace=folder).code == 0
    return folder


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A folder of bad files beside good ones, and what ingest said of each."""
    folder = tmp_path_factory.mktemp("broken")
    whole = PAPER.read_bytes()
    (folder / "zero.pdf").write_bytes(b"")
    (folder / "truncated.pdf").write_bytes(whole[: len(whole) // 2])
    (folder / "garbage.pdf").write_bytes(b"%PDF-1.7\n" + bytes(range(256)) * 8)
    (folder / "locked.pdf").write_bytes(_encrypted(PAPER))
    (folder / "scanned.pdf").write_bytes(_without_text())
    (folder / "wrong.docx").write_bytes(whole)
    (folder / "blank.md").write_text("\n\n", encoding="utf-8")
    (folder / "good.md").write_text("# Good\n\nThis one is fine.\n", encoding="utf-8")
    (folder / "link.md").symlink_to(folder / "nowhere.md")
    done = inside(
        "ingest", folder, "-p", "broken", "--json", workspace=folder, CITELOOM_OCR__ENGINE="none"
    )
    assert done.code == 1
    said = {
        Path(d["source"]).name: d["error"] or " ".join(d["warnings"]) or d["status"]
        for d in done.json["documents"]
    }
    return folder, said


def _encrypted(path: Path) -> bytes:
    import io

    import pikepdf

    out = io.BytesIO()
    with pikepdf.open(path) as pdf:
        pdf.save(out, encryption=pikepdf.Encryption(owner="owner", user="open"))
    return out.getvalue()


def _without_text() -> bytes:
    """A page that is one picture."""
    import io

    from PIL import Image

    out = io.BytesIO()
    Image.effect_noise((600, 800), 90).convert("RGB").save(out, "PDF")
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("zero.pdf", ["zero.pdf", "empty (0 bytes)"]),
        ("truncated.pdf", ["truncated.pdf", "cut off", "again"]),
        ("garbage.pdf", ["garbage.pdf"]),
        ("locked.pdf", ["locked.pdf", "password needed", "--password"]),
        ("scanned.pdf", ["page 1 has no text", "ocr.engine", "ingest again"]),
        ("wrong.docx", ["wrong.docx", "PDF by its content", "must end in .pdf"]),
        ("blank.md", ["no text"]),
        ("link.md", ["link.md", "does not exist"]),
        ("good.md", ["added"]),
    ],
)
def test_each_bad_file_says_what_it_is_and_the_rest_goes_on(
    broken: tuple[Path, dict[str, str]], name: str, words: list[str]
) -> None:
    said = broken[1][name]
    assert all(word in said for word in words), said


def test_a_wrong_password_is_told_from_a_missing_one(broken: tuple[Path, dict[str, str]]) -> None:
    folder, _ = broken
    ask = ("ingest", folder / "locked.pdf", "-p", "broken", "--json")
    wrong = inside(*ask, "--password", "no", workspace=folder)
    assert wrong.code == 1
    assert "password is wrong" in wrong.json["documents"][0]["error"]
    right = inside(*ask, "--password", "open", workspace=folder)
    assert right.code == 0, right.err
    assert right.json["documents"][0]["chunks"] > 0


@pytest.mark.parametrize("place", ["environment", "citeloom.toml"])
def test_a_password_comes_from_environment_or_configuration_by_pattern(
    broken: tuple[Path, dict[str, str]], tmp_path: Path, place: str
) -> None:
    given = {}
    if place == "environment":
        given = {"CITELOOM_PDF__PASSWORDS": '{"lock*.pdf": "open"}'}
    else:
        settings = '[pdf.passwords]\n"other.pdf" = "no"\n"lock*.pdf" = "open"\n'
        (tmp_path / "citeloom.toml").write_text(settings, encoding="utf-8")
    locked = broken[0] / "locked.pdf"
    done = inside("ingest", locked, "-p", "p", "--json", workspace=tmp_path, **given)
    assert done.code == 0, done.err
    assert done.json["documents"][0]["chunks"] > 0


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        (("ingest", "/no/such/path", "-p", "p"), 2, ["/no/such/path", "no such file or folder"]),
        (("ingest", "-p", "p"), 2, ["nothing to ingest"]),
        (("ingest", "EMPTY", "-p", "p"), 2, ["no file that can be ingested", "PDF"]),
        (("ingest", "NOTE", "-p", "p", "--references", "BADJSON"), 2, ["line 1, column", "again"]),
        (("ingest", "NOTE", "-p", "p", "--references", "LATIN"), 2, ["not UTF-8", "byte"]),
        (
            ("ingest", "NOTE", "-p", "p", "--references", "/none.json"),
            2,
            ["none.json", "no such file"],
        ),
        (("ingest", "NOTE", "-p", "p", "--model", "no/model"), 4, ["no/model", "all-MiniLM-L6-v2"]),
        (("ingest", "NOTE", "-p", "a b"), 2, ["a b", "NAME or NAMESPACE/NAME"]),
        (("query", "x", "-p", "nope"), 3, ["local/nope", "projects here: local/p"]),
        (("query", "x", "-p", "p", "-k", "0"), 2, ["-k 0"]),
        (("query", "x", "-p", "p", "-k", "51"), 2, ["-k 51", "50"]),
        (("query", "  ", "-p", "p"), 2, ["query", "empty"]),
        (("query", "x" * 40_000, "-p", "p"), 2, ["query", "32000"]),
        (("query", "x", "-p", "p", "--filter", "colour=red"), 2, ["colour", "year", "author"]),
        (("query", "x", "-p", "p", "--filter", "year=soon"), 2, ["year=soon", "10..20"]),
        (("query", "x", "-p", "p", "--filter", "year=2020..2010"), 2, ["backwards"]),
        (("query", "x", "-p", "p", "--filter", "year"), 2, ["KEY=VALUE"]),
        (("query", "x", "-p", "p", "--mode", "magic"), 2, ["magic"]),
        (("map", "nothing", "-p", "p"), 3, ["nothing", "no such document"]),
        (("inspect", "-p", "p", "--sample", "few"), 2, ["few", "all"]),
        (("nonsense",), 2, ["nonsense"]),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else None,
)
def test_a_wrong_request_names_the_thing_and_the_next_step(
    workspace: Path, tmp_path: Path, command: tuple[str, ...], code: int, words: list[str]
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.json").write_text('[{"id": ', encoding="utf-8")
    (tmp_path / "latin.json").write_bytes(b'[{"id": "a\xff"}]')
    stand_ins = {
        "EMPTY": tmp_path / "empty",
        "BADJSON": tmp_path / "bad.json",
        "LATIN": tmp_path / "latin.json",
        "NOTE": workspace / "a.md",
    }
    done = inside(
        *(str(stand_ins.get(word, word)) for word in command),
        cwd=tmp_path,
        CITELOOM_WORKSPACE=str(workspace),
    )
    assert done.code == code, done.err
    assert all(word in done.err for word in words), done.err
    assert "Traceback" not in done.err


def test_an_error_as_json_is_one_document_on_stdout(workspace: Path) -> None:
    done = inside("query", "x", "-p", "nope", "--json", workspace=workspace)
    assert done.code == 3
    assert done.json["error"]["code"] == "INVALID_PROJECT"
    assert done.json["error"]["details"]["available_projects"] == ["local/p"]


def test_a_project_with_another_model_is_refused_with_the_way_to_migrate(workspace: Path) -> None:
    database = workspace / ".citeloom" / "catalogue.sqlite"
    with sqlite3.connect(database) as connection:
        connection.execute(
            "INSERT INTO projects (id, folded_id, collection, model_name, model_dimension,"
            " model_digest, model_max_tokens, sparse_model, hybrid_enabled, created_at)"
            " SELECT 'local/other', 'local/other', 'proj-local-other', model_name,"
            " model_dimension, 'another digest', model_max_tokens, sparse_model,"
            " hybrid_enabled, created_at FROM projects WHERE id = 'local/p'"
        )
    refused = inside("ingest", workspace / "a.md", "-p", "other", workspace=workspace)
    assert refused.code == 3
    assert "citeloom project migrate local/other" in refused.err
    with sqlite3.connect(database) as connection:
        connection.execute("DELETE FROM projects WHERE id = 'local/other'")


def test_no_results_and_an_empty_project_say_so(tmp_path: Path) -> None:
    assert inside("project", "create", "new", workspace=tmp_path).code == 0
    done = inside("query", "anything", "-p", "new", workspace=tmp_path)
    assert done.code == 0
    assert "No results found for query: anything" in done.out
    assert "holds no passages yet" in done.err


def test_a_workspace_of_a_newer_version_is_left_alone(workspace: Path, tmp_path: Path) -> None:
    home = tmp_path / ".citeloom"
    home.mkdir()
    source = sqlite3.connect(workspace / ".citeloom" / "catalogue.sqlite")
    with sqlite3.connect(home / "catalogue.sqlite") as copy:
        source.backup(copy)
        copy.execute("UPDATE alembic_version SET version_num = '9999'")
    source.close()
    done = inside("query", "x", "-p", "p", workspace=tmp_path)
    assert done.code == 3
    assert "newer CiteLoom" in done.err
    assert "9999" in done.err


def test_settings_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "citeloom.toml").write_text("[query]\ntop = 3\n", encoding="utf-8")
    done = inside("config", cwd=tmp_path)
    assert done.code == 2
    assert "query.top (citeloom.toml): no such setting" in done.err


def test_settings_come_from_flag_environment_file_and_default_in_this_order(
    tmp_path: Path,
) -> None:
    (tmp_path / "citeloom.toml").write_text("[query]\ntop_k = 3\n", encoding="utf-8")

    def origin(**more: str) -> tuple[str, str]:
        shown = inside("config", "--json", cwd=tmp_path, **more).json["settings"]
        return shown["query.top_k"]["value"], shown["query.top_k"]["origin"]

    assert origin() == ("3", "citeloom.toml")
    (tmp_path / ".env").write_text("CITELOOM_QUERY__TOP_K=4\n", encoding="utf-8")
    assert origin() == ("4", ".env")
    assert origin(CITELOOM_QUERY__TOP_K="5") == ("5", "environment")


@pytest.mark.faults
@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="mounting a tmpfs needs root"
)
def test_a_full_disk_is_an_error_and_what_was_stored_stays(tmp_path: Path) -> None:

    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(small)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a tmpfs here")
    try:
        done = citeloom("ingest", LIBRARY / "papers", "-p", "p", "--json", workspace=small)
        assert done.code == 4, done.err
        assert "Traceback" not in done.err
        assert str(small) in done.err
        assert "free" in done.err
    finally:
        subprocess.run(["umount", str(small)], check=False)


def test_the_default_configuration_file_says_what_the_program_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("CITELOOM_")]:
        monkeypatch.delenv(name)
    (tmp_path / "citeloom.toml").write_bytes((ROOT / "config" / "citeloom.toml").read_bytes())
    written = inside("config", "--json", cwd=tmp_path).json["settings"]
    (tmp_path / "citeloom.toml").write_text("", encoding="utf-8")
    defaults = inside("config", "--json", cwd=tmp_path).json["settings"]
    assert {k: v["value"] for k, v in written.items()} == {
        k: v["value"] for k, v in defaults.items()
    }
    listed = {k for k, v in written.items() if v["origin"] == "citeloom.toml"}
    assert listed == set(defaults), "a setting is missing from config/citeloom.toml"


def test_help_is_readable_json_free_and_complete() -> None:
    done = inside("--help")
    assert done.code == 0
    for command in ("ingest", "query", "doctor", "validate", "map", "project", "mcp", "demo"):
        assert command in done.out


def test_json_output_is_utf8_whatever_the_terminal_is(tmp_path: Path) -> None:
    (tmp_path / "ä.md").write_text("# Übersicht\n\nДобрый день, 世界.\n", encoding="utf-8")
    assert inside("ingest", tmp_path / "ä.md", "-p", "p", workspace=tmp_path).code == 0
    ask = ("export", "-p", "p", "--format", "jsonl")
    done = citeloom(*ask, workspace=tmp_path, PYTHONIOENCODING="ascii")
    assert done.code == 0, done.err
    assert json.loads(done.out)["source_path"].endswith("ä.md")
    shown = citeloom("query", "день", "-p", "p", workspace=tmp_path, PYTHONIOENCODING="ascii")
    assert shown.code == 0, shown.err


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has names that are not text")
def test_a_name_that_is_no_text_is_refused_and_the_rest_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "good.md").write_text("# Good\n\nFine.\n", encoding="utf-8")
    with open(os.fsencode(folder) + b"/bad\xff.md", "wb") as stream:
        stream.write(b"# Bad\n")
    done = inside("ingest", folder, "-p", "p", "--json", workspace=tmp_path)
    assert done.code == 1
    said = {d["status"]: d["error"] for d in done.json["documents"]}
    assert set(said) == {"added", "failed"}
    assert "not UTF-8" in said["failed"]
