"""Labelled claims in JSON lines: ``claim``, ``evidence`` (sentences, or one text), ``label``."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from citeloom.domain.errors import InvalidSource
from citeloom.domain.text.sentences import sentence_spans
from citeloom_evaluation.domain.claim_quality import ClaimLabel, LabelledClaim

_SHAPE: Final = '{"claim": "…", "evidence": ["…"], "label": "SUPPORT"}'
_NAMES: Final[Mapping[ClaimLabel, str]] = {
    ClaimLabel.SUPPORT: "SUPPORT SUPPORTS SUPPORTED ENTAILMENT",
    ClaimLabel.CONTRADICT: "CONTRADICT CONTRADICTS CONTRADICTED CONTRADICTION "
    "REFUTE REFUTES REFUTED",
    ClaimLabel.NEI: "NEI NOT_ENOUGH_INFO NEUTRAL NOT_ESTABLISHED UNSUPPORTED PARTIAL",
}
_LABELS: Final = {name: label for label, names in _NAMES.items() for name in names.split()}


class ClaimFile:
    """Reads a file of labelled claims."""

    def read(self, path: Path) -> tuple[LabelledClaim, ...]:
        path = path.expanduser().absolute()
        found = tuple(_claim(row, where) for row, where in _rows(path))
        if not found:
            raise InvalidSource(f"{path}: holds no claims; a line is {_SHAPE}", source=str(path))
        return found


def _rows(path: Path) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The object of each line and its place; empty lines are skipped."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise InvalidSource(f"{path}: no such file; check the path", source=str(path)) from None
    except UnicodeDecodeError as error:
        raise InvalidSource(f"{path}: not UTF-8 ({error.reason}); convert the file") from None
    except OSError as error:
        raise InvalidSource(f"{path}: {error.strerror or error}; check the file") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InvalidSource(f"{where}: not JSON ({error}); correct the line") from None
        if not isinstance(row, dict):
            raise InvalidSource(f"{where}: no JSON object; write {_SHAPE}")
        yield row, where


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
    """Sentences as given, or those of a text."""
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
