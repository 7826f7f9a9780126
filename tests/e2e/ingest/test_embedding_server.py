"""Ingest and query with the vectors of a server, on the command line."""

from pathlib import Path

import pytest
from support.command_line import Done, inside
from support.models.embedding_server import EmbeddingServer, refusal

NOTES = {
    "ponds": "Ponds cool the air in the street on summer evenings by two degrees.",
    "soil": "We measured the moisture of the soil in twelve small plots.",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    for name, text in NOTES.items():
        (tmp_path / "notes" / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    return tmp_path


def run(workspace: Path, server: EmbeddingServer | None, *arguments: str | Path) -> Done:
    env = {"CITELOOM_EMBEDDING__MODEL": "words", "CITELOOM_EMBEDDING__PROTOCOL": "tei"}
    if server is not None:
        env["CITELOOM_EMBEDDING__ENDPOINT"] = server.url
        env["CITELOOM_EMBEDDING__API_KEY"] = "sk-secret"
    return inside(*arguments, workspace=workspace, **env)


def test_a_library_is_embedded_and_searched_by_a_server(workspace: Path) -> None:
    question = "how much do ponds cool the air in the street?"
    ask = ("query", question, "-p", "p", "--json")
    with EmbeddingServer() as server:
        done = run(workspace, server, "ingest", workspace / "notes", "-p", "p")
        assert done.code == 0, done.err
        assert f"passages and questions are sent to tei:words at {server.url}" in done.err
        assert set(server.keys) == {"Bearer sk-secret"}
        sent = " ".join(text for texts in server.requests for text in texts)
        assert all(text in sent for text in NOTES.values())
        found = run(workspace, server, *ask).json
        assert "Ponds cool" in found["items"][0]["text"]
        assert found["model"] == "tei:words"
        assert server.requests[-1] == [question]

        server.script = [refusal(401, "wrong key sk-secret")]
        refused = run(workspace, server, *ask)
        assert refused.code == 4
        assert "CITELOOM_EMBEDDING__API_KEY" in refused.err
        assert "sk-secret" not in refused.out + refused.err

        assert server.info is not None
        server.info["model_sha"] = "another"
        mismatch = run(workspace, server, *ask)
        assert mismatch.code == 3
        assert "EMBEDDING_MISMATCH" in mismatch.out + mismatch.err

    away = run(workspace, server, *ask)
    assert away.code == 4
    assert "check that the server runs and that embedding.endpoint names it" in away.err
    unset = run(workspace, None, *ask)
    assert unset.code == 4
    assert "set embedding.endpoint in citeloom.toml" in unset.err
