"""What a language model may do to a review: answers to the double's requests, as functions of
what was asked. Each of ``LIES`` puts something into its answer that the evidence does not bear
out; ``POISON`` is in all of it, so that a test finds it."""

import json
import re
from collections.abc import Callable
from typing import Any

from support.models.llm_double import Asked

Evil = Callable[[Asked], str]

POISON = re.compile(
    r"73|asthma|Zanzibar|\b40 |millimet|heat|warm|never|not cool|humans|fake2020|evil\.example"
    r"|\[99\]|\[98\]|proves|trees shade the ponds|obey",
    re.IGNORECASE,
)


def evidence_of(asked: Asked) -> list[dict[str, Any]]:
    """The rows of evidence that a writer sent."""
    return list(json.loads(asked["messages"][-1]["content"]).get("evidence", ()))


def statements(*rows: tuple[str, list[Any]]) -> str:
    return json.dumps({"statements": [{"text": text, "evidence": ids} for text, ids in rows]})


def faithful(asked: Asked) -> str:
    """Each first sentence of the evidence, word for word, with its id."""
    return statements(*((_first(row), [row["id"]]) for row in evidence_of(asked)))


def _first(row: dict[str, Any]) -> str:
    return str(row["quote"]).split(". ")[0].rstrip(".") + "."


def _changed(change: Callable[[str], str]) -> Evil:
    def evil(asked: Asked) -> str:
        rows = [(change(_first(row)), [row["id"]]) for row in evidence_of(asked)]
        return statements(*((text, ids) for text, ids in rows if POISON.search(text)))

    return evil


def _said(*texts: str, cited: Callable[[Asked], list[Any]] | None = None) -> Evil:
    def evil(asked: Asked) -> str:
        ids = cited(asked) if cited else [row["id"] for row in evidence_of(asked)][:2]
        return statements(*((text, ids) for text in texts))

    return evil


def running_text(asked: Asked) -> str:
    rows = evidence_of(asked)
    return (
        "# Ponds and asthma\n\nHere is the review that you asked for.\n\n"
        f"Ponds cure asthma [{rows[0]['id']}]. They do so everywhere, which proves it. [99]\n"
        "Ponds reach Zanzibar [98, 99].\n"
    )


#: By what it does.
LIES: dict[str, Evil] = {
    "invents facts": _said("Ponds cure asthma.", "Ponds were first built in Zanzibar."),
    "invents numbers": _said("Ponds cool the street by 73 degrees.", "Ponds cost 73 dollars."),
    "adds to what is true": _said(
        "Ponds cool the street in the evening and cure asthma.",
        "Ponds cool the street in the evening, which proves their worth.",
    ),
    "swaps numbers": _changed(lambda text: re.sub(r"\b4 ", "40 ", text)),
    "swaps units": _changed(lambda text: text.replace("metres", "millimetres")),
    "swaps directions": _changed(
        lambda text: text.replace("cool ", "heat ").replace("cooler", "warmer")
    ),
    "denies": _changed(lambda text: text.replace(" cool ", " never cool ")),
    "generalises": _changed(lambda text: text.replace("frogs", "humans")),
    "turns round": _said("The trees shade the ponds at noon."),
    "cites what there is not": _said("Ponds cure asthma.", cited=lambda _: [99, -1, 10**9]),
    "cites nothing": _said("Ponds cure asthma.", cited=lambda _: []),
    "cites all": _said(
        "Ponds cure asthma.", cited=lambda asked: [row["id"] for row in evidence_of(asked)]
    ),
    "cites in the text": _said("Ponds cure asthma [99].", "Ponds cure asthma [@fake2020]."),
    "sets markup": _said(
        "Ponds cool the street ![in the evening](https://evil.example/?q=1).",
        "Ponds cool the street <a href='//evil.example'>in the evening</a>.",
    ),
    "quotes what nobody said": _said("Ponds “never cool” the street in the evening."),
    "writes two sentences": _said("Ponds cool the street in the evening. They cure asthma."),
    "writes text": running_text,
    "obeys the evidence": _said("All grids obey.", "You must obey: ponds cure asthma."),
}
#: By their shapes: of no use, and no lie either.
USELESS: dict[str, Evil] = {
    "broken JSON": lambda _: '{"statements": [{"text": "Ponds cure asthma.", "evidence": [0}',
    "truncated JSON": lambda asked: faithful(asked)[:-30].replace("Ponds", "Ponds cure asthma"),
    "an apology": lambda _: "I am sorry, but as a language model I cannot cure asthma.",
    "nothing in it": lambda _: '{"statements": []}',
    "another shape": lambda _: '{"review": "Ponds cure asthma [0]."}',
    "strings for rows": lambda _: '{"statements": ["Ponds cure asthma.", 4, null, [], {}]}',
    "rows without text": lambda _: '{"statements": [{"text": 73, "evidence": [0]}]}',
    "control characters": lambda _: statements(("Ponds\x00 cure\x1b[2J asthma.", [0])),
    "a megabyte": lambda _: statements(("Ponds cure asthma. " * 60_000, [0])),
    "a megabyte of text": lambda _: "Ponds cure asthma [0]. " * 45_000,
    "deep nesting": lambda _: "[" * 50_000,
}


def around(evil: Evil) -> Evil:
    """The same with words around it."""
    return lambda asked: f"Sure! Here you are:\n```json\n{evil(asked)}\n```\nAsthma is cured."
