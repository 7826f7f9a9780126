"""JSON in the answer of a language model."""

import json
import re

_FENCED = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)


def extract_json(text: str) -> object:
    """The JSON value in a model's answer, also fenced or within other text; None without one."""
    fenced = _FENCED.search(text)
    tries = [text, fenced[1] if fenced else "", _between(text, "{", "}"), _between(text, "[", "]")]
    for one in tries:
        try:
            return json.loads(one)
        except (ValueError, RecursionError):
            continue
    return None


def _between(text: str, first: str, last: str) -> str:
    return text[text.find(first) : text.rfind(last) + 1] if first in text else ""
