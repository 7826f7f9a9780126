"""Findings in an edited text, and the corrections that they offer."""

import pytest
from support.cases import each

from citeloom.application.ports.verification import DraftMarkup, DraftText
from citeloom.domain.verification.drafts.draft import (
    Draft,
    Finding,
    QuoteDifference,
    extract_claims,
)
from citeloom.domain.verification.verdict import Verdict
from citeloom.domain.writing import (
    Edit,
    PlacedFinding,
    closest_words,
    placed,
    quotation_span,
    relocated,
)
from citeloom.infrastructure.verification.drafts.reader import DraftFiles
from citeloom_lsp.domain.citations import cited_at, sentence_at

MARKDOWN = "First words here [@a, p. 9]. Ponds cool the *whole* street [see @pond, p. 3; @b]. Last."
LATEX = (
    r"Ponds cool the street \citep[see][p.~3]{pond}. More on this \cites[3]{a}[3]{pond} is here."
)
TYPST = "Ponds cool the street @pond[p. 3]."


def parsed(text: str, markup: str = "markdown") -> Draft:
    return DraftFiles().parse(DraftText(text=text, markup=DraftMarkup(markup)))


def found(draft: Draft, key: str, verdict: Verdict, **more: object) -> PlacedFinding:
    (claim, item) = next(
        (claim, item) for claim in extract_claims(draft) for item in claim.cited if item.key == key
    )
    locator = item.locator.text if item.locator else None
    finding = Finding(claim=claim, key=key, locator=locator, verdict=verdict, **more)
    (one,) = placed(draft, [finding])
    return one


def corrected(draft: Draft, one: PlacedFinding) -> str:
    (correction, *_) = one.corrections
    return draft.text[: correction.start] + correction.text + draft.text[correction.end :]


@each(
    ("markup", "text", "pages", "expected"),
    [
        ("markdown", MARKDOWN, ("5",), "[see @pond, p. 5; @b]"),
        ("markdown", MARKDOWN, ("5", "6"), "[see @pond, pp. 5–6; @b]"),
        ("markdown", MARKDOWN, ("PDF p. 5",), "[see @pond, PDF p. 5; @b]"),
        ("markdown", "Ponds cool @pond [3] the street.", ("5",), "@pond [5] the"),
        ("latex", LATEX, ("5",), r"\citep[see][p.~5]{pond}"),
        ("latex", LATEX, ("5", "6"), r"\citep[see][pp.~5--6]{pond}"),
        ("typst", TYPST, ("5",), "@pond[p. 5]."),
    ],
)
def test_a_wrong_page(markup: str, text: str, pages: tuple[str, ...], expected: str) -> None:
    draft = parsed(text, markup)
    one = found(draft, "pond", Verdict.WRONG_PAGE, right_pages=pages)
    assert expected in corrected(draft, one)


def test_the_locator_of_the_right_key_of_several() -> None:
    draft = parsed(r"It is known \cites[3]{a}[3]{pond} here.", "latex")
    one = found(draft, "pond", Verdict.WRONG_PAGE, right_pages=("5",))
    assert corrected(draft, one) == r"It is known \cites[3]{a}[5]{pond} here."


def test_a_misquotation() -> None:
    draft = parsed("They say “ponds never cool” [@pond]. Ponds never cool, others say [@b].")
    difference = QuoteDifference(quote="ponds never cool", closest="Ponds_ never cool")
    one = found(draft, "pond", Verdict.MISQUOTED, misquoted=(difference,))
    assert draft.text[slice(*one.shown)] == "ponds never cool"
    assert corrected(draft, one).startswith(r"They say “Ponds\_ never cool” [@pond].")


def test_words_of_several_cells_of_a_table_are_not_put_into_a_quotation() -> None:
    draft = parsed("They say “ponds never cool” [@pond].")
    difference = QuoteDifference(quote="ponds never cool", closest="ponds | never cool")
    one = found(draft, "pond", Verdict.MISQUOTED, misquoted=(difference,))
    assert one.corrections == ()


@pytest.mark.parametrize(
    "text",
    [
        "They say “ponds *never* cool” [@pond].",
        "They say “ponds never cool” and “ponds never cool” [@pond].",
    ],
)
def test_no_correction_of_a_place_in_doubt(text: str) -> None:
    draft = parsed(text)
    (claim, *_) = extract_claims(draft)
    assert quotation_span(draft, (claim.start, claim.end), "ponds never cool") is None


def test_an_unknown_key() -> None:
    draft = parsed(MARKDOWN)
    one = found(draft, "pond", Verdict.UNKNOWN_KEY, close_keys=("ponds2020", "pond1"))
    assert "[see @ponds2020, p. 3; @b]" in corrected(draft, one)
    assert [each.title for each in one.corrections][1] == "Cite pond1 instead of pond"


@each(
    ("quote", "source", "expected"),
    [
        (
            "the air was 1.74 K warmer than in the street",
            "the four ponds and 92 evenings, the air was 1.74 K cooler than in the street",
            "the air was 1.74 K cooler than in the street",
        ),
        ("ponds never cool", "so ponds of the town never cool", "ponds of the town never cool"),
        ("hot air was above", "the cool air was here", "cool air was here"),
        ("nothing of it", "ponds cool", "ponds cool"),
    ],
)
def test_the_words_of_a_source_that_are_like_a_quotation(
    quote: str, source: str, expected: str
) -> None:
    assert closest_words(quote, source) == expected


@each(
    ("written", "pages", "format", "expected"),
    [
        ("p. 3", ("xii",), "markdown", "p. xii"),
        ("S. 3", ("5", "6"), "markdown", "S. 5–6"),
        ("pp. 3-5", ("7",), "markdown", "p. 7"),
        ("3", ("7", "8"), "latex", "7--8"),
        ("p. 3", ("PDF p. 7", "PDF p. 8"), "markdown", "PDF pp. 7–8"),
    ],
)
def test_the_term_of_a_locator_stays(
    written: str, pages: tuple[str, ...], format: str, expected: str
) -> None:
    assert relocated(written, pages, format) == expected


def test_a_finding_moves_with_its_text_and_goes_with_its_claim() -> None:
    draft = parsed(MARKDOWN)
    one = found(draft, "pond", Verdict.WRONG_PAGE, right_pages=("5",))
    edited = "New. " + draft.text
    later = one.after(Edit(0, 0, "New. "))
    assert later is not None
    assert edited[slice(*later.shown)] == draft.text[slice(*one.shown)]
    assert edited[later.corrections[0].start :].startswith("p. 3; @b]")
    assert one.after(Edit(len(draft.text), len(draft.text), "!")) == one
    for edit in (Edit(one.start, one.start, "Not "), Edit(one.end, one.end, " more")):
        assert one.after(edit) is None
    assert one.after(Edit(0, len(draft.text), "")) is None


def test_the_work_and_the_claim_under_a_position() -> None:
    draft = parsed(MARKDOWN)
    at = cited_at(draft, MARKDOWN.index("pond, p") + 2)
    assert at is not None
    assert at.item.key == "pond"
    assert at.claim is not None
    assert at.claim.text == "Ponds cool the whole street."
    on_b = cited_at(draft, MARKDOWN.index("@b"))
    assert on_b is not None
    assert on_b.item.key == "b"
    assert cited_at(draft, 3) is None
    latex = parsed(LATEX, "latex")
    in_note = cited_at(latex, LATEX.index("p.~3"))
    assert in_note is not None
    assert in_note.item.key == "pond"


def test_the_sentence_at_a_position() -> None:
    draft = parsed("One is here. Two *is* there [@a]. ")
    for offset, expected in ((3, "One is here."), (20, "Two is there."), (34, "Two is there.")):
        sentence = sentence_at(draft, offset)
        assert sentence is not None
        assert sentence.text == expected
    assert sentence_at(parsed("```\ncode\n```"), 5) is None
