"""Names of embedding models, their endpoint, and the prefixes that they expect.

fastembed embeds texts unchanged. The prefixes are those of the models' cards (Hugging Face, 2023 to
2026); those of a folder are in ``config_sentence_transformers.json``, where sentence-transformers
writes them.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.models.model_catalogue import LOCAL

from . import bundled_embedder as bundled

#: Before the name of a model whose vectors come from an endpoint: ``tei:BAAI/bge-m3``.
OPENAI: Final = "openai"
TEI: Final = "tei"


@dataclass(frozen=True, slots=True)
class EndpointOptions:
    """``url`` is the base of the protocol's paths. ``tokenizer`` is a folder with the model's
    tokenizer.json; None estimates tokens. A request has at most ``batch`` texts; at most
    ``parallel`` are under way, and ``per_second`` begin in a second (0: no limit). ``seconds`` is
    the time limit of an attempt. Inputs have at most ``max_tokens``, fewer where the server says
    that the model takes fewer."""

    url: str
    api_key: str = ""
    tokenizer: Path | None = None
    max_tokens: int = 512
    batch: int = 32
    parallel: int = 4
    per_second: float = 0.0
    seconds: float = 60.0


def endpoint_name(name: str) -> tuple[str, str] | None:
    """Protocol and model of a name such as ``tei:BAAI/bge-m3``; None for models of this
    machine."""
    protocol, colon, model = name.partition(":")
    return (protocol, model) if colon and model and protocol in (OPENAI, TEI) else None


def canonical_name(name: str) -> str:
    """One name for each model: the bundled one has several, and a folder is named by its absolute
    path."""
    if name.lower() in bundled.ALIASES:
        return bundled.NAME
    folder = Path(name).expanduser()
    return str(folder.resolve()) if folder.is_dir() else name


def is_folder(name: str) -> bool:
    """Whether a canonical name is the path of a folder."""
    return Path(name).is_absolute() and Path(name).is_dir()


def registered_name(folder: str) -> str:
    """Name of a folder's model in the registry of fastembed."""
    return f"{LOCAL}{folder}"


@dataclass(frozen=True, slots=True)
class Prefixes:
    query: str = ""
    passage: str = ""


NONE: Final = Prefixes()
_SEARCHING: Final = Prefixes("Represent this sentence for searching relevant passages: ")
_TASK: Final = "Given a web search query, retrieve relevant passages that answer the query"
# By pattern of the lower-case name; the first match counts.
_KNOWN: Final = (
    (r"intfloat/.*e5-", Prefixes("query: ", "passage: ")),
    (r"baai/bge-\w+-en(-v1\.5)?$", _SEARCHING),
    (r"baai/bge-\w+-zh(-v1\.5)?$", Prefixes("为这个句子生成表示以用于检索相关文章：")),
    (r"snowflake/snowflake-arctic-embed-(xs|s|m|m-long|l)$", _SEARCHING),
    (r"mixedbread-ai/mxbai-embed-large-v1$", _SEARCHING),
    (r"nomic-ai/nomic-embed-text-v1", Prefixes("search_query: ", "search_document: ")),
    (
        r"google/embeddinggemma-",
        Prefixes("task: search result | query: ", "title: none | text: "),
    ),
    (r"qwen/qwen3-embedding-", Prefixes(f"Instruct: {_TASK}\nQuery:")),
    (r"qdrant/stella-en-400m-v5-doc", Prefixes(f"Instruct: {_TASK}.\nQuery: ")),
)
# Names of the passage prompt in sentence-transformers.
_PASSAGE: Final = ("document", "passage")


def prefixes_of(name: str) -> Prefixes:
    """The prefixes of a model of fastembed's catalogue, empty by default."""
    matching = (prefixes for pattern, prefixes in _KNOWN if re.match(pattern, name.lower()))
    return next(matching, NONE)


def prefixes_in(folder: Path) -> Prefixes:
    """The prefixes of a model in a folder. Raises ModelUnavailable if its configuration is
    invalid."""
    path = folder / "config_sentence_transformers.json"
    if not path.is_file():
        return NONE
    try:
        prompts = json.loads(path.read_text(encoding="utf-8")).get("prompts") or {}
        passage = next((prompts[name] for name in _PASSAGE if prompts.get(name)), "")
        return Prefixes(str(prompts.get("query") or ""), str(passage))
    except (OSError, ValueError, AttributeError) as error:
        raise ModelUnavailable(f"{path}: not readable ({error}); correct it or delete it") from None
