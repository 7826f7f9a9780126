"""Adapters of the evaluation ports: BEIR datasets, ranking measures.

Datasets in BEIR layout. ``corpus.jsonl`` (``_id``, ``title``, ``text``), ``queries.jsonl``
(``_id``, ``text``), and judgments as ``qrels.tsv`` or ``qrels/SPLIT.tsv``: question id, document id
and relevance (an integer) with tabs between them and a header line (Thakur et al. 2021, BEIR).
"""

import hashlib
import json
import re
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from citeloom.application.ports.catalogue import SourceStamp
from citeloom.application.ports.ingest import (
    ConversionJob,
    ConversionOutcome,
    FoundFile,
    FoundFiles,
    Heard,
)
from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.domain.errors import InvalidSource
from citeloom.domain.text.sentences import sentence_spans
from citeloom.infrastructure.ingest.conversion.formats.assembly import BlockPiece, assemble, clean
from citeloom_evaluation.domain.claim_quality import ClaimLabel, LabelledClaim
from citeloom_evaluation.domain.dataset import Dataset, Judgments, Question, Record

_LAYOUT: Final = "a dataset has corpus.jsonl, queries.jsonl and qrels.tsv or qrels/SPLIT.tsv"
_DEFAULT_SPLIT: Final = "test"


def read_beir(folder: Path, split: str | None = None) -> Dataset:
    """Reads a whole dataset; about 2 kB of memory per document of 200 words."""
    folder = folder.expanduser().absolute()
    if not folder.is_dir():
        raise InvalidSource(f"{folder}: no such folder; {_LAYOUT}", source=str(folder))
    corpus = folder / "corpus.jsonl"
    # What is quick to read and to get wrong comes first.
    judged = _judgments(_qrels(folder, split))
    questions = {id: _text(row, where) for id, row, where in _entries(folder / "queries.jsonl")}
    records = tuple(
        Record(id, _text(row, where, "title", default=""), _text(row, where))
        for id, row, where in _entries(corpus)
    )
    if not records:
        raise InvalidSource(f"{corpus}: holds no documents; check the file")
    judgments, warnings = _usable_judgments(judged, questions, {record.id for record in records})
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


def _entries(path: Path) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """Id, object and location of each line; empty lines are skipped."""
    seen: set[str] = set()
    for row, where in _rows(path, '{"_id": …, "text": …}', _LAYOUT):
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


def _rows(path: Path, shape: str, hint: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The object of each line and its place."""
    for number, line in _lines(path, hint):
        where = f"{path}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InvalidSource(f"{where}: not JSON ({error}); correct the line") from None
        if not isinstance(row, dict):
            raise InvalidSource(f"{where}: not a JSON object; write {shape}")
        yield row, where


def _lines(path: Path, hint: str = _LAYOUT) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, empty ones left out; ``hint`` is the remedy for a missing file."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line
    except FileNotFoundError:
        raise InvalidSource(f"{path}: no such file; {hint}", source=str(path)) from None
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


_SHAPE: Final = '{"claim": "…", "evidence": ["…"], "label": "SUPPORT"}'
_NAMES: Final[Mapping[ClaimLabel, str]] = {
    ClaimLabel.SUPPORT: "SUPPORT SUPPORTS SUPPORTED ENTAILMENT",
    ClaimLabel.CONTRADICT: "CONTRADICT CONTRADICTS CONTRADICTED CONTRADICTION "
    "REFUTE REFUTES REFUTED",
    ClaimLabel.NEI: "NEI NOT_ENOUGH_INFO NEUTRAL NOT_ESTABLISHED UNSUPPORTED PARTIAL",
}
_LABELS: Final = {name: label for label, names in _NAMES.items() for name in names.split()}


def read_claims(path: Path) -> tuple[LabelledClaim, ...]:
    """Reads a file of labelled claims."""
    path = path.expanduser().absolute()
    found = tuple(_claim(row, where) for row, where in _rows(path, _SHAPE, "check the path"))
    if not found:
        raise InvalidSource(f"{path}: holds no claims; a line is {_SHAPE}", source=str(path))
    return found


def _claim(row: Mapping[str, Any], where: str) -> LabelledClaim:
    claim, label = row.get("claim"), row.get("label")
    if not isinstance(claim, str) or not claim.strip():
        raise InvalidSource(f"{where}: claim is missing or no string; write {_SHAPE}")
    known = _LABELS.get(label.strip().upper().replace(" ", "_")) if isinstance(label, str) else None
    if known is None:
        raise InvalidSource(
            f"{where}: label is {json.dumps(label, ensure_ascii=False)}; "
            f"write {', '.join(ClaimLabel)}"
        )
    return LabelledClaim(_clean(claim), tuple(_evidence(row.get("evidence"), where)), known)


def _evidence(value: object, where: str) -> Iterator[str]:
    """The given sentences, or those of a text."""
    if isinstance(value, str):
        text = _clean(value)
        yield from (text[start:end] for start, end in sentence_spans(text))
        return
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise InvalidSource(
            f"{where}: evidence is missing, or neither a text nor a list of sentences; "
            f"write {_SHAPE}"
        )
    yield from (_clean(one) for one in value if one.strip())


def _clean(text: str) -> str:
    # Half surrogates are allowed in JSON, and cannot be encoded.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").strip()


class RecordFiles:
    """Each record is a file ``CORPUS/ID``; ``records`` are by that path. An unchanged corpus costs
    one ``stat`` call."""

    def __init__(self, corpus: Path, records: Mapping[str, Record]) -> None:
        self._corpus = corpus
        self._records = records

    def find(self, sources: Sequence[str], accepts: Callable[[Path], bool]) -> FoundFiles:
        """All records; the corpus is the only valid source."""
        if list(sources) != [str(self._corpus)]:
            raise InvalidSource(f"{', '.join(sources)}: name the corpus, {self._corpus}")
        try:
            changed = self._corpus.stat().st_mtime_ns
        except OSError as error:
            raise InvalidSource(f"{self._corpus}: {error.strerror}; check the file") from error
        files = tuple(
            FoundFile(
                path=Path(path),
                stamp=SourceStamp(
                    path=path, size=len(record.title) + len(record.text), mtime_ns=changed
                ),
            )
            for path, record in self._records.items()
            if accepts(Path(path))
        )
        return FoundFiles(files=files, folders=(self._corpus,))

    def stamps(self, paths: Iterable[str]) -> Mapping[str, SourceStamp]:
        files = self.find([str(self._corpus)], lambda _: True).files
        names = set(paths)
        return {
            file.stamp.path: file.stamp for file in files if file.stamp and str(file.path) in names
        }

    def sha256(self, path: Path) -> str:
        """Digest of title and text: records with the same content are one document."""
        record = self._records[str(path)]
        content = json.dumps([record.title, record.text], ensure_ascii=False)
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()

    def exists(self, path: str) -> bool:
        return path in self._records

    def resolved(self, path: Path) -> Path:
        return path


_PARAGRAPH_BREAK = re.compile(r"\n[^\S\n]*\n")


class RecordConverter:
    """Converts the records whose sources are the keys of ``records``, in this process."""

    def __init__(self, records: Mapping[str, Record]) -> None:
        self._records = records

    @property
    def fingerprint(self) -> str:
        return "record rules=1"

    def is_current(self, fingerprint: str) -> bool:
        return fingerprint == self.fingerprint

    @property
    def capacity(self) -> str:
        return self.fingerprint

    @property
    def formats(self) -> Sequence[str]:
        return ["record"]

    def supports(self, source: Path) -> bool:
        return str(source) in self._records

    def convert(
        self,
        jobs: Iterable[ConversionJob],
        on_pages: Heard | None = None,  # noqa: ARG002 (it is done at once)
    ) -> Generator[ConversionOutcome, None, None]:
        for job in jobs:
            started = time.monotonic()
            result = self._convert(job)
            yield ConversionOutcome(job=job, result=result, seconds=time.monotonic() - started)

    def _convert(self, job: ConversionJob) -> ConversionResult:
        record = self._records[str(job.source)]
        assembled = assemble(_pieces(record))
        return ConversionResult(
            doc_id=job.document_id,
            structure=assembled.structure,
            plain_text=assembled.text,
            blocks=assembled.blocks,
            title=clean(record.title) or None,
            mime_type="text/plain",
            converter=self.fingerprint,
        )


def _pieces(record: Record) -> Iterator[BlockPiece]:
    yield BlockPiece(BlockLabel.TITLE, record.title)
    for paragraph in _PARAGRAPH_BREAK.split(record.text.replace("\r\n", "\n")):
        yield BlockPiece(BlockLabel.TEXT, paragraph)
