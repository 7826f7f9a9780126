"""``citeloom review --writer model`` against a server on the loopback that cannot be trusted."""

import json
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.command_line import Done, environment, inside
from support.models.evil_models import Evil, evidence_of, faithful, statements
from support.models.llm_double import Answer, Asked, LlmDouble, a_language_model, refuses, says
from support.research.command import QUESTION, make_old

KEY = "sk-no-one-may-read-this"
#: Words of what the evil models below make up.
MADE_UP = re.compile(r"Zanzibar|zebra|asthma|73 dollars|\[?99\d\]?", re.IGNORECASE)


@pytest.fixture
def double() -> Iterator[LlmDouble]:
    with a_language_model() as made:
        yield made


def settings(double: LlmDouble, seconds: float = 20.0) -> dict[str, str]:
    return {
        "CITELOOM_LLM__URL": double.url,
        "CITELOOM_LLM__MODEL": "small",
        "CITELOOM_LLM__API_KEY": KEY,
        "CITELOOM_LLM__TIMEOUT_SECONDS": str(seconds),
    }


def sections(answer: Evil | Answer) -> Any:
    """Plans are left to the rules."""

    def answered(asked: Asked) -> Answer | str:
        if "evidence" not in json.loads(asked["messages"][-1]["content"]):
            return says({"sub_questions": []})
        return answer if isinstance(answer, Answer) else answer(asked)

    return answered


def mixed(asked: Asked) -> str:
    """Of the evidence in turn: as it stands, every other one cited wrongly; with another number;
    and what nobody said."""
    rows = evidence_of(asked)
    written = []
    for place, row in enumerate(rows):
        first = str(row["quote"]).split(". ")[0].rstrip(".") + "."
        other = rows[(place + 1) % len(rows)]["id"]
        written += [
            (first, [row["id"] if place % 2 == 0 else other]),
            (re.sub(r"\d+", "73", first) + " dollars" * (not re.search(r"\d", first)), [row["id"]]),
            ("Zebras of Zanzibar invented the steam engine.", [row["id"]]),
        ]
    return statements(*written)


def body(report: str) -> str:
    """Without the notes, which name what a model did."""
    return "\n".join(line for line in report.splitlines() if not line.startswith("> "))


def holds(found: Any) -> bool:
    """Each claim stands in the report at its place, and within a passage that it cites."""
    quotes = {span["id"]: " ".join(span["quote"].split()) for span in found["spans"]}
    cited: dict[str, list[str]] = {}
    for one in found["citations"]:
        cited.setdefault(one["claim_id"], []).append(quotes[one["evidence_span_id"]])
    report = found["report"]
    return bool(found["claims"]) and all(
        report[one["position_start"] : one["position_end"]] == one["claim_text"]
        and any(" ".join(one["claim_text"].split()) in quote for quote in cited[one["id"]])
        for one in found["claims"]
    )


def test_kept_softened_cited_anew_removed_and_the_key_nowhere(
    samples: Path, double: LlmDouble, tmp_path: Path
) -> None:
    double.always = sections(mixed)
    done = inside(
        "review", QUESTION, "-p", "samples", "--depth", "light", "--writer", "model", "--json",
        workspace=samples, **settings(double),
    )  # fmt: skip
    assert done.code == 0, done.err
    found = done.json
    assert holds(found)
    assert not MADE_UP.search(body(found["report"]))
    assert "> **Warning:** " in found["report"]
    assert found["verification_summary"]["warning"] is True
    id = found["session_id"]
    recorded = inside("session", "export", id, "--format", "json", workspace=samples)
    events = [one for one in recorded.json["events"] if one["eventType"] == "citation_corrected"]
    became = Counter(one["correction"] for one in found["claims"])
    became.update(one["correction"] for one in events if one["after"] is None)
    assert set(became) >= {"keep", "soften", "replace", "remove"}
    told = [done.out, done.err, recorded.out]
    for suffix in ("md", "csv", "docx"):
        out = tmp_path / f"review.{suffix}"
        assert inside("session", "export", id, "-o", str(out), workspace=samples).code == 0
        told.append(out.read_bytes().decode("latin-1"))
    files = (one for one in (samples / ".citeloom").rglob("*") if one.is_file())
    kept = [one.read_bytes() for one in files if "index" not in one.parts]
    assert double.keys == [f"Bearer {KEY}"] * len(double.asked)
    assert not any(KEY in one for one in told)
    assert not any(KEY.encode() in one for one in kept)


INVENTED = statements(
    ("Ponds cure asthma.", [0]),
    ("A grid costs 73 dollars.", [1]),
)


@pytest.mark.parametrize(
    ("answer", "seconds", "told"),
    [
        (lambda _: INVENTED, 20.0, "2 of 2 statements that small wrote (100%) are not supported"),
        (lambda asked: statements(*unknown(asked)), 20.0, "small cites what there is not: [990]"),
        (lambda asked: faithful(asked)[:-9], 20.0, "did not answer in the form asked for"),
        (Answer(seconds=1.0), 0.2, "no answer within 0.2 s"),
        (
            refuses(429, f"{KEY}: slow down"),
            0.2,
            "asked too often, or the quota is used up (",
        ),
    ],
    ids=["facts", "keys", "JSON", "time-out", "429"],
)
def test_nothing_unsupported_reaches_the_report_unmarked(
    samples: Path,
    double: LlmDouble,
    monkeypatch: pytest.MonkeyPatch,
    answer: Evil | Answer,
    seconds: float,
    told: str,
) -> None:
    for name, value in settings(double, seconds).items():
        monkeypatch.setenv(name, value)
    double.always = sections(answer)
    done = by_model(samples, "How does the cooling beside ponds depend on distance?")
    assert done.code == 0, done.err
    found = done.json
    assert holds(found)
    assert not MADE_UP.search(body(found["report"]))
    assert told in found["report"]
    assert KEY not in done.out + done.err


def by_model(workspace: Path, question: str) -> Done:
    chosen = ("-p", "samples", "--depth", "light", "--writer", "model", "--json")
    return inside("review", question, *chosen, workspace=workspace)


def unknown(asked: Asked) -> list[tuple[str, list[Any]]]:
    first = str(evidence_of(asked)[0]["quote"]).split(". ")[0].rstrip(".") + "."
    return [(first, [990]), ("Ponds cure asthma.", [991])]


@pytest.mark.faults
def test_killed_between_two_sections_it_does_not_ask_again(
    samples: Path, double: LlmDouble, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole, again = tmp_path / "whole.md", tmp_path / "again.md"
    two = "How far do ponds cool the evening air, and does a gap between two readings help recall?"
    command = ["review", two, "-p", "samples", "--depth", "light", "--writer", "model"]
    for name, value in settings(double).items():
        monkeypatch.setenv(name, value)
    double.always = sections(faithful)
    done = inside(*command, "-o", str(whole), workspace=samples)
    assert done.code == 0, done.err
    asked = [json.loads(prompt).get("sub_question") for prompt in double.prompts]
    assert len(asked) == 3  # the plan and two sections
    double.asked.clear()

    def killed(request: Asked) -> str:
        if len(double.asked) == len(asked):
            process.send_signal(signal.SIGKILL)
        return faithful(request)

    double.always = sections(killed)
    process = subprocess.Popen(
        [sys.executable, "-m", "citeloom", *command, "--events", "--workspace", str(samples)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        env=environment(**settings(double)),
    )
    with process:
        assert process.stdout is not None
        id = json.loads(process.stdout.readline())["sessionId"]
        process.stdout.read()
    assert process.returncode == -signal.SIGKILL
    double.asked.clear()
    double.always = sections(faithful)
    make_old(samples, id)
    resumed = inside("session", "resume", id, "-o", str(again), workspace=samples)
    assert resumed.code == 0, resumed.err
    assert [json.loads(prompt)["sub_question"] for prompt in double.prompts] == asked[-1:]
    assert again.read_text("utf-8") == whole.read_text("utf-8")
