"""A small ONNX file and a folder with it: an entailment model made of words.

The file is written in protobuf's wire format, since the package ``onnx`` is not among the
dependencies. The logits of a pair are the sums of what ``rows`` gives for its words.
"""

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

_FLOAT, _INT64 = 1, 7
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def word_model(
    folder: Path,
    rows: Mapping[str, Sequence[float]],
    labels: Sequence[str] = ("contradiction", "entailment", "neutral"),
    *,
    token_types: bool = True,
) -> Path:
    """The folder of a model with ``labels``: its config, tokenizer and ``model.onnx``."""
    folder.mkdir(parents=True, exist_ok=True)
    width = max(map(len, rows.values()))
    vocabulary = {word: place for place, word in enumerate((*_SPECIAL, *rows))}
    table = [[0.0] * width for _ in _SPECIAL] + [list(row) for row in rows.values()]
    config = {"id2label": {str(n): name for n, name in enumerate(labels)}}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    _tokenizer(vocabulary).save(str(folder / "tokenizer.json"))
    inputs = ["input_ids", "attention_mask", *(["token_type_ids"] if token_types else [])]
    (folder / "model.onnx").write_bytes(_summing(table, inputs))
    return folder


def _tokenizer(vocabulary: Mapping[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(WordLevel(dict(vocabulary), unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    return tokenizer


def _summing(table: Sequence[Sequence[float]], inputs: Sequence[str]) -> bytes:
    """Gather the rows of ``input_ids`` and sum them over the tokens: batch x width."""
    values = [value for row in table for value in row]
    rows = _tensor(
        "table", _FLOAT, (len(table), len(table[0])), struct.pack(f"<{len(values)}f", *values)
    )
    axes = _tensor("axes", _INT64, (1,), struct.pack("<q", 1))
    keep = _text(1, "keepdims") + _number(3, 0) + _number(20, 2)
    graph = b"".join(
        [
            _message(1, _node("Gather", ("table", "input_ids"), "each")),
            _message(1, _node("ReduceSum", ("each", "axes"), "logits") + _message(5, keep)),
            _text(2, "words"),
            _message(5, rows),
            _message(5, axes),
            *(_message(11, _value(name, _INT64, ("batch", "length"))) for name in inputs),
            _message(12, _value("logits", _FLOAT, ("batch", "labels"))),
        ]
    )
    opset = _text(1, "") + _number(2, 13)
    return _number(1, 8) + _message(7, graph) + _message(8, opset)


def _node(kind: str, inputs: Sequence[str], output: str) -> bytes:
    return b"".join(_text(1, name) for name in inputs) + _text(2, output) + _text(4, kind)


def _tensor(name: str, kind: int, shape: Sequence[int], raw: bytes) -> bytes:
    sizes = b"".join(_number(1, size) for size in shape)
    return sizes + _number(2, kind) + _text(8, name) + _message(9, raw)


def _value(name: str, kind: int, shape: Sequence[str]) -> bytes:
    sizes = b"".join(_message(1, _text(2, size)) for size in shape)
    return _text(1, name) + _message(2, _message(1, _number(1, kind) + _message(2, sizes)))


def _text(field: int, text: str) -> bytes:
    return _message(field, text.encode())


def _message(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])
