"""Token counts of the embedding model."""

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.domain.errors import ModelUnavailable

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_DEFAULT_WINDOW = 512


class HuggingFaceTokens:
    """Counts with the ``tokenizer.json`` of a model folder, without truncation."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def window(self) -> int:
        """Maximum input length in tokens, including the two special ones."""
        try:
            text = (self._folder / "tokenizer_config.json").read_text(encoding="utf-8")
            length = json.loads(text).get("model_max_length")
        except (OSError, ValueError):
            length = None
        return int(length) if isinstance(length, int | float) and length < 1e6 else _DEFAULT_WINDOW

    def count(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False))

    def ends(self, text: str) -> Sequence[int]:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return [end for _, end in encoding.offsets]

    def inputs(self, texts: Sequence[str], window: int) -> list[list[int]]:
        """Token ids of each text, cut to ``window`` including the two special tokens."""
        encoded = self._tokenizer.encode_batch(texts, add_special_tokens=True)
        return [
            ids if len(ids) <= window else [*ids[: window - 1], ids[-1]]
            for ids in (encoding.ids for encoding in encoded)
        ]

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        from tokenizers import Tokenizer

        path = self._folder / "tokenizer.json"
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:
            raise ModelUnavailable(f"{path}: not a tokenizer ({error})") from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer
