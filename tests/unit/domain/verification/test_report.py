"""What a report shows of a claim and of its source."""

import pytest

from citeloom.domain.verification.drafts.draft import Claim, EvidenceQuote, Finding, Position
from citeloom.domain.verification.report import compared
from citeloom.domain.verification.verdict import Verdict

CLAIM = "By May 2018 teachers had 20 notebooks."
LONG = f"It is used at {', '.join(f'Campus{n}' for n in range(60))}; by May 2018 with 10 notebooks."


def found(verdict: Verdict, source: str, *reasons: str) -> Finding:
    at = Position(line=1, column=1)
    quote = EvidenceQuote(
        text=source, document_id="d", start=0, end=len(source), address="doc://d", relevance=1.0,
        knowledge_uri="ndk://d",
    )  # fmt: skip
    claim = Claim(text=CLAIM, sentence=CLAIM, start=0, end=len(CLAIM), begins=at, ends=at, cited=())
    return Finding(claim=claim, key="k", verdict=verdict, reasons=reasons, evidence=(quote,))


@pytest.mark.parametrize(
    ("verdict", "source", "reasons", "mine", "theirs"),
    [
        (Verdict.CONTRADICTED, "By May 2018 many teachers had 10 notebooks.",
         ["Your sentence says “20”, the source “10”."], ["20"], ["10"]),
        (Verdict.PARTIAL, "By May 2018 many teachers had 10 notebooks.", ["It is less sure."],
         ["20"], ["many", "10"]),
        (Verdict.PARTIAL, "By May 2018 teachers had twenty fine notebooks.", [], [], ["fine"]),
        (Verdict.NOT_ESTABLISHED, "Frogs sleep under stones in May.", ["It has no “teachers”."],
         ["teachers"], []),
        (Verdict.SUPPORTED, "By May 2018 teachers had 20 new notebooks.", [], [], []),
    ],
    ids=["named", "not named", "numeral", "another sentence", "no reading needed"],
)  # fmt: skip
def test_words_that_decide_are_marked(
    verdict: Verdict, source: str, reasons: list[str], mine: list[str], theirs: list[str]
) -> None:
    finding = found(verdict, source, *reasons)
    claim = compared(finding, CLAIM, finding.evidence)
    quote = compared(finding, source, ())
    assert ["".join(one.text for one in side) for side in (claim, quote)] == [CLAIM, source]
    assert [one.text for one in claim if one.differs] == mine
    assert [one.text for one in quote if one.differs] == theirs


@pytest.mark.parametrize("verdict", [Verdict.CONTRADICTED, Verdict.SUPPORTED])
def test_of_a_long_sentence_the_part_is_shown_that_the_claim_is_about(verdict: Verdict) -> None:
    shown = "".join(one.text for one in compared(found(verdict, LONG), LONG, ()))
    assert len(shown) <= 400
    assert shown.startswith("… ")
    assert shown.endswith("by May 2018 with 10 notebooks.")
    assert shown[2:] in LONG
    unlike = "".join(one.text for one in compared(found(verdict, LONG), LONG[:-28], ()))
    assert unlike.startswith("It is used at Campus0")
