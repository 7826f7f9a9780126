"""Options of an embedding endpoint."""

from dataclasses import dataclass
from pathlib import Path


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
