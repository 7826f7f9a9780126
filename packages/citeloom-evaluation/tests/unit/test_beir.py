"""Datasets in BEIR layout: what is read, what is left out, what is refused."""

from pathlib import Path

import pytest

from citeloom.domain.errors import InvalidSource
from citeloom_evaluation.domain.dataset import Record
from citeloom_evaluation.infrastructure import read_beir

CORPUS = '{"_id": "d1", "title": "One", "text": "First."}\n\n{"_id": 2, "text": "Second."}\n'
QUERIES = '{"_id": "a", "text": "first?"}\n{"_id": "b", "text": "second?"}\n'
QRELS = "query-id\tcorpus-id\tscore\na\td1\t1\nb\t2\t2\n"


def dataset(folder: Path, corpus: str = CORPUS, queries: str = QUERIES, **qrels: str) -> Path:
    (folder / "corpus.jsonl").write_text(corpus, encoding="utf-8")
    (folder / "queries.jsonl").write_text(queries, encoding="utf-8")
    for name, text in (qrels or {"qrels": QRELS}).items():
        path = folder / "qrels.tsv" if name == "qrels" else folder / "qrels" / f"{name}.tsv"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_documents_questions_and_judgments(tmp_path: Path) -> None:
    read = read_beir(dataset(tmp_path))
    assert read.records == (Record("d1", "One", "First."), Record("2", "", "Second."))
    assert [(q.id, q.text) for q in read.questions] == [("a", "first?"), ("b", "second?")]
    assert read.judgments == {"a": {"d1": 1}, "b": {"2": 2}}
    assert read.warnings == ()


def test_judgments_need_no_header(tmp_path: Path) -> None:
    read = read_beir(dataset(tmp_path, qrels="a\td1\t1\n"))
    assert read.judgments == {"a": {"d1": 1}}


@pytest.mark.parametrize(
    ("there", "asked", "expected"),
    [
        (("qrels", "train", "test"), None, "qrels"),
        (("train", "test"), None, "test"),
        (("dev",), None, "dev"),
        (("qrels", "train"), "train", "train"),
    ],
)
def test_the_judgments_of_a_split(
    tmp_path: Path, there: tuple[str, ...], asked: str | None, expected: str
) -> None:
    marks = {name: n for n, name in enumerate(there, start=1)}
    folder = dataset(tmp_path, **{name: f"a\td1\t{mark}\n" for name, mark in marks.items()})
    assert read_beir(folder, asked).judgments == {"a": {"d1": marks[expected]}}


def test_what_is_unknown_is_left_out_and_counted(tmp_path: Path) -> None:
    qrels = "a\td1\t1\na\tgone\t1\nz\td1\t1\nb\t2\t0\n"
    read = read_beir(dataset(tmp_path, qrels=qrels))
    assert read.judgments == {"a": {"d1": 1}}
    assert [question.id for question in read.questions] == ["a"]
    assert read.warnings == (
        "1 judged questions are not in queries.jsonl: left out",
        "1 judgments name documents that are not in corpus.jsonl: left out",
        "1 judged questions have no relevant document here: left out",
    )


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"corpus": CORPUS + "{'_id': 3}\n"}, "corpus.jsonl, line 4: not JSON"),
        ({"corpus": CORPUS + "[1]\n"}, "corpus.jsonl, line 4: not a JSON object"),
        ({"corpus": CORPUS + '{"text": "x"}\n'}, "corpus.jsonl, line 4: it has no _id"),
        ({"corpus": CORPUS + '{"_id": "d1", "text": "x"}\n'}, "line 4: the _id d1 stands"),
        ({"corpus": CORPUS + '{"_id": "d3", "title": 5, "text": "x"}\n'}, "line 4: title is"),
        ({"corpus": ""}, "holds no documents"),
        ({"queries": '{"_id": "a"}\n'}, "queries.jsonl, line 1: text is missing"),
        ({"qrels": "a\td1\t1\na d1 1\n"}, "qrels.tsv, line 2: not QUERY-ID"),
        ({"qrels": "a\td1\thigh\nb\t2\thigh\n"}, "qrels.tsv, line 2: not QUERY-ID"),
        ({"qrels": "z\td1\t1\n"}, "no question has a relevant document"),
        ({"train": QRELS, "dev": QRELS}, "name one of these with --split: dev, train"),
    ],
)
def test_what_is_wrong_is_named_with_file_and_line(
    tmp_path: Path, changed: dict[str, str], reason: str
) -> None:
    with pytest.raises(InvalidSource, match=reason.replace("{", r"\{")):
        read_beir(dataset(tmp_path, **changed))


@pytest.mark.parametrize("missing", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_missing_file_is_named_with_the_layout(tmp_path: Path, missing: str) -> None:
    (dataset(tmp_path) / missing).unlink()
    with pytest.raises(InvalidSource, match=f"{missing}.*a dataset has"):
        read_beir(tmp_path)
