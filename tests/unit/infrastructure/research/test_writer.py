"""Each format of a review that is handed over; what it looks like is in ``golden/``."""

import csv
import io
import re
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from docx import Document
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import each
from support.research.finished_review import (
    COOLER,
    REPORT,
    a_citation,
    a_claim,
    a_source,
    a_span,
    recorded,
    review,
)

from citeloom.application.ports.research import FinishedReview, ReviewFormat
from citeloom.domain.research.session import ClaimVerdict
from citeloom.infrastructure.research.provenance import sanitized
from citeloom.infrastructure.research.text_files import COLUMNS, MOST
from citeloom.infrastructure.research.writer import review_file

GOLDEN = Path(__file__).parent / "golden"
HOSTILE = [
    "=HYPERLINK(\"http://x\";\"y\")", "+1", "-0.3 K in July", "@SUM(1)", "\t=1", "'=1", "＝1",
    "a | b\nc", "\x00\x01\x1b[31mred", "\x0bpage\x0c", "\r\nnew", "שלום = peace", "\u202eabc",
    "<script>alert(1)</script>", "`code` ``` ![](x)", "[a](javascript:alert(1))", "$x_1$ \\alpha",
    "x" * 100_000, "\ufffe\uffff", '"quoted", and; more', "e\u0301 𝔘 👩‍👩‍👧", " ", "\u2028line",
]  # fmt: skip
TEXT = st.text(max_size=60).filter(lambda text: text.strip() != "")


def written(made: FinishedReview, format: ReviewFormat) -> bytes:
    return review_file(made, format)


def rows(content: bytes) -> list[dict[str, str]]:
    text = content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def opened(content: bytes) -> Any:
    return Document(io.BytesIO(content))


def saying(text: str) -> FinishedReview:
    """A review in which everything that is free text is ``text``."""
    source = a_source("s", title=text[:500], exclusion_reason=text)
    span = a_span("e", source, text, section_heading=text[:500], citation=text, address=text)
    claim = a_claim("c", text, ClaimVerdict.PARTIAL, verification_reasoning=text)
    made = recorded(
        sources=(source,), spans=(span,), claims=(claim,), citations=(a_citation(claim, span),)
    )
    made = made.model_copy(
        update={
            "session": made.session.model_copy(update={"question": text}),
            "report": made.report.model_copy(update={"content": text}),
        }
    )
    return review(made, links={span.id: text}, warnings=(text,), works={})


@pytest.mark.parametrize(
    ("format", "name"),
    [
        (ReviewFormat.MARKDOWN, "review.md"),
        (ReviewFormat.CSV, "review.csv"),
        (ReviewFormat.PRISMA, "search_record.md"),
    ],
)
def test_the_file_is_the_one_that_was_looked_at(format: ReviewFormat, name: str) -> None:
    assert written(review(), format) == (GOLDEN / name).read_bytes()


def test_the_word_document_is_the_one_that_was_looked_at() -> None:
    content = written(review(), ReviewFormat.DOCX)
    with ZipFile(io.BytesIO(content)) as parts:
        body = parts.read("word/document.xml").decode()
    lines = body.replace("<w:p>", "\n<w:p>").replace("<w:tbl>", "\n<w:tbl>") + "\n"
    assert lines == (GOLDEN / "review.document.xml").read_text("utf-8")


@each("format", ReviewFormat)
def test_the_same_review_gives_the_same_bytes(format: ReviewFormat) -> None:
    assert written(review(), format) == written(review(), format)


def test_a_word_document_has_headings_quotations_lists_links_and_properties() -> None:
    document = opened(written(review(), ReviewFormat.DOCX))
    styles = [(p.style.name, p.text) for p in document.paragraphs]
    assert styles[0] == ("Title", "Do small ponds cool the street?")
    assert ("Heading 1", "How large is the effect?") in styles
    assert any(name == "Quote" and COOLER in text for name, text in styles)
    assert ("List Number", "It reaches farther.") in styles
    assert ("List Bullet 2", "downwind") in styles
    targets = [r.target_ref for r in document.part.rels.values() if r.is_external]
    assert targets
    assert set(targets) == {"https://doi.org/10.5555/ponds"}
    claims = document.tables[-1]
    assert [c.text for c in claims.rows[0].cells] == [
        "No.", "Claim", "Verdict", "Confidence", "Source"
    ]  # fmt: skip
    assert [row.cells[2].text for row in claims.rows[1:]] == [
        "exact quotation", "contradicted", "not supported"
    ]  # fmt: skip
    assert document.core_properties.title == "Do small ponds cool the street?"
    assert document.core_properties.created.isoformat() == "2026-03-01T12:03:00+00:00"


def test_two_numbered_lists_each_begin_with_their_own_number() -> None:
    made = review(report="1. one\n2. two\n\ntext\n\n5. five\n")
    document = opened(written(made, ReviewFormat.DOCX))
    ids = [p._p.pPr.numPr.numId.val for p in document.paragraphs if p.style.name == "List Number"]
    assert len(ids) == 3
    assert ids[0] == ids[1] != ids[2]


def test_the_report_stands_in_markdown_as_it_is() -> None:
    assert written(review(), ReviewFormat.MARKDOWN).decode().startswith(REPORT.strip())


def test_a_csv_row_tells_a_claim_and_its_evidence() -> None:
    table = rows(written(review(), ReviewFormat.CSV))
    assert tuple(table[0]) == COLUMNS
    assert [(row["verdict"], row["role"], row["page_label"]) for row in table] == [
        ("SUPPORTED", "primary", "127"),
        ("CONTRADICTED", "primary", ""),
        ("CONTRADICTED", "alternate", "128"),
        ("UNSUPPORTED", "", ""),
    ]
    assert table[0]["quote"] == COOLER
    assert table[0]["year"] == "2022"


def cell_text(cell: str) -> str:
    """What was written into a cell, without the apostrophe before what looks like a formula."""
    return cell[1:] if re.match(r"'['\s]*[=+\-@＝＋－＠]", cell) else cell


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_survives(text: str) -> None:
    made = saying(text)
    (row,) = rows(written(made, ReviewFormat.CSV))
    whole = sanitized(text)
    for name in ("claim", "quote", "reasoning"):
        kept = cell_text(row[name])
        assert kept == whole or (len(row[name]) == MOST and whole.startswith(kept[:-1]))
        assert not re.match(r"\s*[=+\-@＝]", row[name])
    document = opened(written(made, ReviewFormat.DOCX))
    words = " ".join(sanitized(" ".join(text.split())).split())
    assert words in " ".join(document.tables[-1].rows[1].cells[1].text.split())
    assert not any(
        r.target_ref.lower().startswith("javascript")
        for r in document.part.rels.values()
        if r.is_external
    )
    markdown = written(made, ReviewFormat.MARKDOWN).decode()
    assert "\x00" not in markdown
    assert "\x1b" not in markdown
    prisma = written(made, ReviewFormat.PRISMA).decode()
    assert "<script>" not in prisma


@settings(max_examples=40, deadline=None)
@given(TEXT)
def test_a_csv_cell_is_read_back(text: str) -> None:
    (row,) = rows(written(saying(text), ReviewFormat.CSV))
    assert cell_text(row["claim"]) == sanitized(text)
    assert cell_text(row["quote"]) == sanitized(text)


@settings(max_examples=8, deadline=None)
@given(TEXT)
def test_a_word_document_is_made_of_any_text(text: str) -> None:
    document = opened(written(saying(text), ReviewFormat.DOCX))
    assert document.tables[-1].rows[1].cells[2].text == "supported in part"


def test_words_from_right_to_left_are_set_so() -> None:
    document = opened(written(saying("שלום עולם"), ReviewFormat.DOCX))
    (quoted,) = [p for p in document.paragraphs if p.style.name == "Quote"]
    assert any(run.font.rtl for run in quoted.runs)
    assert quoted._p.pPr.find(f"{{{quoted._p.nsmap['w']}}}bidi") is not None


def test_what_turns_the_direction_of_writing_ends_with_its_text() -> None:
    assert sanitized("a\u202eb") == "a\u202eb\u202c"
    assert sanitized("a\u2067b\u202ec\u2069d") == "a\u2067b\u202ec\u2069d"
    assert sanitized("a\u2066b") == "a\u2066b\u2069"


def test_words_of_a_claim_that_its_evidence_lacks_are_bold() -> None:
    source = a_source("s")
    span = a_span("e", source, "Small ponds cool the air by three degrees in summer.")
    claim = a_claim("c", "Small ponds cool the air by nine degrees.", ClaimVerdict.CONTRADICTED)
    made = recorded(
        sources=(source,), spans=(span,), claims=(claim,), citations=(a_citation(claim, span),)
    )
    text = written(review(made), ReviewFormat.MARKDOWN).decode()
    assert "1. **contradicted** (0.80) Small ponds cool the air by **nine** degrees." in text
