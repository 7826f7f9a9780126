"""Datasets in BEIR layout.

``corpus.jsonl`` (``_id``, ``title``, ``text``), ``queries.jsonl`` (``_id``, ``text``), and
judgments as ``qrels.tsv`` or ``qrels/SPLIT.tsv``: question id, document id and relevance
(an integer) with tabs between them and a header line (Thakur et al. 2021, BEIR).
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from citeloom.domain.errors import InvalidSource
from citeloom_evaluation.domain.dataset import Dataset, Judgments, Question, Record

_LAYOUT: Final = "a dataset has corpus.jsonl, queries.jsonl and qrels.tsv or qrels/SPLIT.tsv"
_DEFAULT_SPLIT: Final = "test"


class BeirReader:
    """Reads a whole dataset; about 2 kB of memory per document of 200 words."""

    def read(self, folder: Path, split: str | None = None) -> Dataset:
        folder = folder.expanduser().absolute()
        if not folder.is_dir():
            raise InvalidSource(f"{folder}: no such folder; {_LAYOUT}", source=str(folder))
        corpus = folder / "corpus.jsonl"
        # What is quick to read and to get wrong comes first.
        judged = _judgments(_qrels(folder, split))
        questions = {id: _text(row, where) for id, row, where in _rows(folder / "queries.jsonl")}
        records = tuple(
            Record(id, _text(row, where, "title", default=""), _text(row, where))
            for id, row, where in _rows(corpus)
        )
        if not records:
            raise InvalidSource(f"{corpus}: holds no documents; check the file")
        judgments, warnings = _usable_judgments(
            judged, questions, {record.id for record in records}
        )
        if not judgments:
            raise InvalidSource(
                f"{folder}: no question has a relevant document; check that the ids in the "
                "judgments are those of queries.jsonl and corpus.jsonl"
            )
        return Dataset(
            name=folder.name,
            path=str(corpus),
            records=records,
            questions=tuple(Question(id, questions[id]) for id in judgments),
            judgments=judgments,
            warnings=warnings,
        )


def _qrels(folder: Path, split: str | None) -> Path:
    """The file of judgments: of the given split, else qrels.tsv, else of the default or only
    split."""
    splits = {path.stem: path for path in sorted((folder / "qrels").glob("*.tsv"))}
    unsplit = folder / "qrels.tsv"
    if split is None:
        if unsplit.is_file():
            return unsplit
        split = (
            _DEFAULT_SPLIT if _DEFAULT_SPLIT in splits or len(splits) != 1 else next(iter(splits))
        )
    if split in splits:
        return splits[split]
    if not splits:
        missing = "qrels.tsv" if split == _DEFAULT_SPLIT else f"qrels/{split}.tsv"
        raise InvalidSource(f"{folder}: holds no {missing}; {_LAYOUT}", source=str(folder))
    raise InvalidSource(
        f"{folder}: no judgments qrels/{split}.tsv; name one of these with --split: "
        + ", ".join(splits),
        splits=list(splits),
    )


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """Id, object and location of each line; empty lines are skipped."""
    seen: set[str] = set()
    for number, line in _lines(path):
        where = f"{path}, line {number}"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InvalidSource(f"{where}: not JSON ({error}); correct the line") from None
        if not isinstance(row, dict):
            raise InvalidSource(f'{where}: no JSON object; write {{"_id": …, "text": …}}')
        id = row.get("_id")
        if not isinstance(id, str | int) or isinstance(id, bool) or not str(id):
            raise InvalidSource(f"{where}: it has no _id; give each line a name of its own")
        if str(id) in seen:
            raise InvalidSource(f"{where}: the _id {id} stands in an earlier line too; rename one")
        seen.add(str(id))
        yield str(id), row, where


def _text(
    row: Mapping[str, Any], where: str, name: str = "text", *, default: str | None = None
) -> str:
    value = row.get(name, default)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise InvalidSource(f"{where}: {name} is missing or no string; correct the line")
    # Half surrogates are allowed in JSON, and cannot be stored.
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _judgments(path: Path) -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    for number, line in _lines(path):
        fields = line.rstrip("\r\n").split("\t")
        try:
            question, record, relevance = fields
            judged.setdefault(question, {})[record] = int(relevance)
        except ValueError:
            if number == 1 and len(fields) == 3:  # the header
                continue
            raise InvalidSource(
                f"{path}, line {number}: not QUERY-ID, CORPUS-ID and an integer with tabs "
                "between them; correct the line"
            ) from None
    return judged


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line
    except FileNotFoundError:
        raise InvalidSource(f"{path}: no such file; {_LAYOUT}", source=str(path)) from None
    except UnicodeDecodeError as error:
        raise InvalidSource(f"{path}: not UTF-8 ({error.reason}); convert the file") from None
    except OSError as error:
        raise InvalidSource(f"{path}: {error.strerror or error}; check the file") from error


def _usable_judgments(
    judged: Judgments, questions: Mapping[str, str], records: set[str]
) -> tuple[dict[str, dict[str, int]], tuple[str, ...]]:
    """Judgments of known questions on known documents, and warnings about the others."""
    usable: dict[str, dict[str, int]] = {}
    unknown_questions = unknown_records = fruitless = empty = 0
    for question, relevant in judged.items():
        if question not in questions:
            unknown_questions += 1
        elif not questions[question].strip():
            empty += 1
        else:
            judged_records = {id: relevance for id, relevance in relevant.items() if id in records}
            unknown_records += len(relevant) - len(judged_records)
            if any(relevance > 0 for relevance in judged_records.values()):
                usable[question] = judged_records
            else:
                fruitless += 1
    counts = (
        (unknown_questions, "judged questions are not in queries.jsonl"),
        (unknown_records, "judgments name documents that are not in corpus.jsonl"),
        (empty, "judged questions are empty"),
        (fruitless, "judged questions have no relevant document here"),
    )
    return usable, tuple(f"{count} {what}: left out" for count, what in counts if count)
