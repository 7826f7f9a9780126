"""Inputs that broke a target once."""

import json
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent / "corpus"


def found(name: str) -> list[Any]:
    """The inputs of a target: a JSON list of them, ``corpus/NAME.json``."""
    path = CORPUS / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.is_file() else []
