"""Claims that are not established, cited with a page that has nothing of them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from support.world import HERE, CountingConverter, World, an_item

from citeloom.application.ports.ingest import ConversionJob, ConversionOutcome, Heard
from citeloom.application.ports.verification import DraftText, Judge
from citeloom.application.verification.judges import LEANS_TO_SUPPORT, RuleJudge
from citeloom.application.verification.verify import Verify, VerifyRequest
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.verification.claims.judgement import Judgement, SourceSentence
from citeloom.domain.verification.drafts.draft import Finding
from citeloom.domain.verification.verdict import Basis, Verdict
from citeloom.infrastructure.verification.drafts.reader import DraftFiles
from citeloom.infrastructure.verification.finding_cache import FindingFile

PAPER = """Ponds cool the street

doi:10.5555/ponds

At 5 m from the shore the air was on average 1.74 K cooler than in the reference street, at 100 m
only 0.33 K. Planners asked for open water and dry banks. The open water was asked for again.\f

The mast beside the water stood on 92 evenings in the wind that came over the\fopen meadow, where
the shade of 37 trees lay. The reeds were cut.\f

The sensors agreed to 0.08 K in the shelter. In most years the ponds lost 12.5 per cent of their
water while the banks were dry.\f

The open water of the ponds is not the shade of reeds. A volunteer learns the protocol in an
afternoon, and 100 lamp posts were lent.
"""
Check = Callable[[str], Finding]


class RunningOn(CountingConverter):
    """Joins a paragraph that ends without a full stop with the first one of the next page."""

    def convert(
        self, jobs: Iterable[ConversionJob], on_pages: Heard | None = None
    ) -> Iterator[ConversionOutcome]:
        for outcome in super().convert(jobs, on_pages):
            assert outcome.result is not None
            yield outcome.model_copy(update={"result": _joined(outcome.result)})


def _joined(paper: ConversionResult) -> ConversionResult:
    end = paper.plain_text.index("came over the") + len("came over the")
    begin = paper.plain_text.index("open meadow")
    between = "\n".ljust(begin - end)
    first, second = (
        next(block for block in paper.blocks if block.span.start < place <= block.span.end)
        for place in (end, begin + 1)
    )
    span = CharSpan(start=first.span.start, end=second.span.end)
    whole = first.model_copy(update={"span": span})
    blocks = (whole if one == first else one for one in paper.blocks if one != second)
    text = paper.plain_text[:end] + between + paper.plain_text[begin:]
    return paper.model_copy(update={"plain_text": text, "blocks": tuple(blocks)})


@pytest.fixture
def check(tmp_path: Path) -> Check:
    return _check(tmp_path, RuleJudge())


def _check(tmp_path: Path, judge: Judge) -> Check:
    world = World(tmp_path / "library", converter=RunningOn())
    world.write("ponds.txt", PAPER)
    world.ingest(references=world.cite(an_item("ponds2020", "10.5555/ponds")))
    verify = Verify(
        catalogue=world.catalogue,
        bundles=world.bundles,
        searcher=world.searcher,
        references=world.references,
        drafts=DraftFiles(),
        judge=judge,
        cache=FindingFile(tmp_path / "findings.jsonl"),
        clock=world.clock,
    )

    def only(text: str) -> Finding:
        draft = DraftText(text=text)
        findings = verify(VerifyRequest(project_id=HERE, draft=draft)).findings
        assert len({one.verdict for one in findings}) == 1
        return findings[0]

    return only


NUMBERS = "Ponds cooled the air of the street by only 0.33 K at 100 m"
SHORT = "At 100 m it was “only 0.33 K”"


@pytest.mark.parametrize(
    ("claim", "page", "right", "reason"),
    [
        (NUMBERS, 4, 1, "“0.33 K” and “100 m” are on PDF p. 1, not on PDF p. 4"),
        (SHORT, 4, 1, "“only 0.33 K” is on"),
        (NUMBERS, 40, 1, "not on PDF p. 40"),
        ("They deny that “the banks were dry”", 5, 4, "“the banks were dry” is on"),
        ("Of their water the ponds lost 12.5 %, it seems", 1, 4, "“12.5 %” is on"),
        ("Ponds may lose “12.5 per cent of their water” in a year", 5, 4, "is on"),
    ],
)
def test_what_stands_on_another_page_alone_is_on_the_wrong_page(
    check: Check, claim: str, page: int, right: int, reason: str
) -> None:
    found = check(f"{claim} [@ponds2020, PDF p. {page}].")
    assert found.verdict is Verdict.WRONG_PAGE
    assert found.basis is Basis.EXACT
    assert found.right_pages == (f"PDF p. {right}",)
    told = next(one for one in found.reasons if not one.startswith("Quotation exact"))
    assert reason in told
    assert "please check whether" in told
    assert found.evidence[0].page == right


@pytest.mark.parametrize(
    ("claim", "pages"),
    [
        (NUMBERS, "PDF p. 1"),
        (SHORT, "PDF p. 1"),
        # One of the numbers is on the page, in whatever unit.
        (NUMBERS, "PDF p. 5"),
        (NUMBERS, "PDF pp. 1-4"),
        # The paragraph goes over from page 2 to page 3.
        ("On 92 evenings the mast was in the wind near water", "PDF p. 3"),
        ("In the wind was the shade of 37 trees of a meadow", "PDF p. 2"),
        ("They liked “the shade of 37 trees”", "PDF p. 2"),
        # A term that the marks set off, and one that stands on several pages.
        ("The “dry banks” taught afternoons to volunteers with a protocol", "PDF p. 5"),
        ("Some like “open water” at the shelter", "PDF p. 4"),
        # The rest of the claim is on the cited page.
        (
            "While “planners asked for open water and dry banks”, a volunteer learns it in an "
            "afternoon by protocol",
            "PDF p. 5",
        ),
        # Words alone, and numbers that are not all in one sentence.
        ("Planners wish for banks without water", "PDF p. 4"),
        ("In the shelter ponds lost 0.08 K and 12.5 per cent of water", "PDF p. 5"),
    ],
)
def test_what_may_be_on_the_cited_page_is_left_to_a_person(
    check: Check, claim: str, pages: str
) -> None:
    found = check(f"{claim} [@ponds2020, {pages}].")
    assert found.verdict is Verdict.NOT_ESTABLISHED
    assert found.right_pages == ()


def test_a_quotation_on_another_page_is_on_the_wrong_page_though_it_leaves_out_a_reservation(
    check: Check,
) -> None:
    quoted = (
        "They write that “the ponds lost 12.5 per cent of their water” [@ponds2020, PDF p. {}]."
    )
    assert check(quoted.format(4)).verdict is Verdict.PARTIAL
    moved = check(quoted.format(1))
    assert moved.verdict is Verdict.WRONG_PAGE
    assert moved.right_pages == ("PDF p. 4",)
    assert any("leaves out" in reason for reason in moved.reasons)


def test_all_pages_cited_of_a_work_count(check: Check) -> None:
    found = check(f"{NUMBERS} [@ponds2020, PDF p. 4; @ponds2020, PDF p. 1].")
    assert found.verdict is Verdict.NOT_ESTABLISHED


def test_a_supported_claim_may_cite_either_page_of_a_paragraph(check: Check) -> None:
    for sentence, page in (
        ("The reeds were cut", 2),
        ("They say that “the reeds were cut”", 2),
        ("The reeds were cut", 3),
    ):
        found = check(f"{sentence} [@ponds2020, PDF p. {page}].")
        assert found.verdict is Verdict.SUPPORTED, (sentence, page)
    assert check("The reeds were cut [@ponds2020, PDF p. 4].").verdict is Verdict.WRONG_PAGE


def test_a_quotation_that_stands_twice_is_read_on_the_cited_page(check: Check) -> None:
    for page in (1, 5):
        found = check(f"They write of “the open water” [@ponds2020, PDF p. {page}].")
        assert found.verdict is not Verdict.WRONG_PAGE
        assert found.evidence[0].page == page


class OtherWords:
    """Reads a sentence with ``certain`` as support, and one with ``likely`` nearly so."""

    sentences, fingerprint = 4, "words"

    def __init__(self, certain: str, likely: str) -> None:
        self._certain = certain
        self._likely = likely

    def judge(self, claim: str, evidence: Sequence[SourceSentence]) -> Judgement:
        for n, one in enumerate(evidence):
            if self._certain in one.text:
                return Judgement(
                    verdict=Verdict.SUPPORTED, basis=Basis.JUDGED, confidence=0.9, best=n
                )
        leans = any(self._likely in one.text for one in evidence)
        return Judgement(
            verdict=Verdict.NOT_ESTABLISHED, best=0, reasons=(LEANS_TO_SUPPORT,) if leans else ()
        )


@pytest.mark.parametrize(
    ("page", "verdict", "reason"),
    [
        (2, Verdict.PARTIAL, "on PDF p. 4; PDF p. 2 may say so in other words."),
        (5, Verdict.WRONG_PAGE, "on PDF p. 4, not on PDF p. 5."),
        (4, Verdict.SUPPORTED, ""),
    ],
)
def test_a_page_that_may_say_so_in_other_words_is_not_called_wrong(
    tmp_path: Path, page: int, verdict: Verdict, reason: str
) -> None:
    check = _check(tmp_path, OtherWords(certain="sensors agreed", likely="mast"))
    found = check(f"All sensors beside the mast agree [@ponds2020, PDF p. {page}].")
    assert found.verdict is verdict
    assert reason in " ".join(found.reasons)
    assert found.evidence[0].page == 4


def test_a_page_that_has_the_numbers_of_a_claim_is_not_called_wrong(tmp_path: Path) -> None:
    check = _check(tmp_path, OtherWords(certain="sensors agreed", likely="none"))
    for evenings, verdict in ((92, Verdict.PARTIAL), (93, Verdict.WRONG_PAGE)):
        claim = f"The sensors beside the mast agree on {evenings} evenings"
        assert check(f"{claim} [@ponds2020, PDF p. 2].").verdict is verdict


def test_an_exact_quotation_is_told_first_whatever_becomes_of_the_sentence(check: Check) -> None:
    found = check("Frogs thrive, as “the banks were dry” shows [@ponds2020, PDF p. 4].")
    assert found.verdict is not Verdict.SUPPORTED
    assert found.reasons[0] == "Quotation exact, PDF p. 4."


def test_of_an_undecided_claim_the_nearest_sentence_and_that_of_the_page_are_shown(
    check: Check,
) -> None:
    found = check("A lay helper learns the protocol within an afternoon [@ponds2020, PDF p. 1].")
    assert found.verdict is Verdict.NOT_ESTABLISHED
    assert found.reasons[0] == "The nearest sentence is on PDF p. 5, not on PDF p. 1."
    assert [one.page for one in found.evidence[:2]] == [5, 1]
    assert len(found.reasons) <= 3
