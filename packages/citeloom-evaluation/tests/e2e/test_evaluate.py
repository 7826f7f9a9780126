"""``citeloom evaluate`` on a small dataset."""

from pathlib import Path

import pytest
from support.command_line import Done, inside
from support.files.tiny_dataset import DOCUMENTS, QUESTIONS, write_dataset


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_dataset(tmp_path_factory.mktemp("data") / "tiny set")


@pytest.fixture(scope="module")
def kept(folder: Path) -> Path:
    return folder.parent / "kept"


@pytest.fixture(scope="module")
def done(folder: Path, kept: Path) -> Done:
    done = inside("evaluate", folder, "--keep", kept, "--json", workspace=folder.parent / "w")
    assert done.code == 0, done.err
    return done


def test_each_mode_has_its_figures(done: Done) -> None:
    result = done.json
    assert (result["dataset"], result["queries"]) == ("tiny set", len(QUESTIONS))
    assert result["documents"] == len(DOCUMENTS) + 1
    assert set(result["modes"]) == {"dense", "sparse", "hybrid", "hybrid+rerank"}
    for figures in result["modes"].values():
        assert set(figures) == {"ndcg@10", "recall@10", "recall@100", "mrr", "p50_ms", "p95_ms"}
        assert figures["recall@10"] == figures["recall@100"] == 1.0
        assert figures["mrr"] > 0.8
        assert 0 < figures["p50_ms"] <= figures["p95_ms"]


def test_the_workspace_itself_is_left_alone(done: Done, folder: Path) -> None:
    assert not (folder.parent / "w").exists()
    assert sorted(path.name for path in folder.iterdir()) == [
        *("corpus.jsonl", "qrels.tsv", "queries.jsonl")
    ]


def test_a_kept_project_is_not_made_again_and_can_be_asked(
    done: Done, folder: Path, kept: Path
) -> None:
    again = inside("evaluate", folder, "--keep", kept, "--json", "--modes", "hybrid")
    assert again.code == 0, again.err
    assert (done.json["ingest"]["added"], done.json["ingest"]["unchanged"]) == (13, 0)
    assert (again.json["ingest"]["added"], again.json["ingest"]["unchanged"]) == (0, 13)
    assert again.json["modes"]["hybrid"]["ndcg@10"] == done.json["modes"]["hybrid"]["ndcg@10"]
    asked = inside("query", "moths", "-p", done.json["project"], "--json", workspace=kept)
    assert asked.json["items"][0]["title"] == "Moths and lamps"


def test_weights_are_searched_on_half_of_the_questions(done: Done, folder: Path) -> None:
    kept = folder.parent / "tuned"
    tuned = inside("evaluate", folder, "--keep", kept, "--modes", "hybrid", "--tune", "--json")
    assert tuned.code == 0, tuned.err
    tuning = tuned.json["tuning"]
    assert (tuning["train_queries"], tuning["held_out_queries"]) == (3, 3)
    assert tuning["train_after"] >= tuning["train_before"]
    assert sum(tuning["after"].values()) == pytest.approx(1, abs=1e-3)
    assert tuned.json["rerank_tuning"] is None


def test_what_reranking_counts_is_searched_where_it_is_measured(folder: Path, kept: Path) -> None:
    modes = ("--modes", "hybrid+rerank")
    tuned = inside("evaluate", folder, "--keep", kept, *modes, "--tune", "--json")
    assert tuned.code == 0, tuned.err
    tuning = tuned.json["rerank_tuning"]
    assert tuning["before"] == {"rerank_weight": 0.1}
    assert tuning["train_after"] >= tuning["train_before"]


def test_a_person_gets_a_table(folder: Path, kept: Path) -> None:
    done = inside("evaluate", folder, "--keep", kept, "--modes", "sparse", "--limit-queries", "2")
    assert done.code == 0, done.err
    assert "nDCG@10" in done.out
    assert "2 questions" in done.out
    assert "sparse" in done.out
    assert "dense" not in done.out


def test_what_is_wrong_is_said_before_anything_is_done(folder: Path, tmp_path: Path) -> None:
    for arguments, reason in (
        ((tmp_path / "nowhere",), "no such folder"),
        ((tmp_path,), "holds no qrels.tsv"),
        ((folder, "--modes", "magic"), "choose from dense, sparse, hybrid"),
        ((folder, "--split", "train"), "holds no qrels/train.tsv"),
    ):
        done = inside("evaluate", *arguments, "--json")
        assert (done.code, reason in done.json["error"]["message"]) == (2, True), done.out


def test_the_judge_is_measured_on_labelled_claims(tmp_path: Path) -> None:
    claims = tmp_path / "claims.jsonl"
    claims.write_text(
        '{"claim": "The pond was 1.7 K cooler.", "evidence": "The pond was 1.7 K cooler.", '
        '"label": "SUPPORT"}\n'
        '{"claim": "Owls hunt moths at night.", "evidence": [], "label": "NEI"}\n'
    )
    done = inside("evaluate", "--claims", claims, "--json", workspace=tmp_path / "w")
    assert done.code == 0, done.err
    assert (done.json["claims"], done.json["macro_f1"]) == (2, 1.0)
    assert not (tmp_path / "w").exists()
    shown = inside("evaluate", "--claims", claims, workspace=tmp_path / "w")
    assert "macro-F1 1.000; by chance: " in shown.out
    mixed = inside("evaluate", tmp_path, "--claims", claims)
    assert (mixed.code, "measures only the judge" in mixed.err) == (2, True)
    nothing = inside("evaluate")
    assert (nothing.code, "nothing to measure" in nothing.err) == (2, True)
    claims.write_text('{"claim": "x", "evidence": [], "label": "MAYBE"}\n')
    wrong = inside("evaluate", "--claims", claims)
    assert (wrong.code, "line 1: label is" in wrong.err) == (2, True)
