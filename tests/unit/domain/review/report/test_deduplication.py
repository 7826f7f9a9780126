"""What a report says once."""

from collections.abc import Sequence

from citeloom.domain.research.session import ClaimVerdict, Correction
from citeloom.domain.review.report.report import Checked, Statement, deduplicated


def told(texts: Sequence[str | None]) -> list[str | None]:
    checked = [
        Checked(
            written=Statement(text="So.", step_index=0),
            statement=None if text is None else Statement(text=text, step_index=0),
            verdict=ClaimVerdict.SUPPORTED,
            confidence=1.0,
            reasoning="It is so.",
        )
        for text in texts
    ]
    found = list(deduplicated(checked))
    assert all(
        one.correction is Correction.REMOVE and "already" in one.reasoning
        for one, text in zip(found, texts, strict=True)
        if one.statement is None and text is not None
    )
    return [one.statement.text if one.statement else None for one in found]


def test_what_was_said_is_not_said_again():
    assert told(["Ponds cool.", "Grids win.", "Ponds  cool."]) == [
        "Ponds cool.",
        "Grids win.",
        None,
    ]


def test_what_was_said_with_more_is_not_said_again():
    assert told(["Ponds cool. They are wet.", "Ponds cool."]) == ["Ponds cool. They are wet.", None]


def test_more_may_follow_on_less():
    assert told(["Ponds cool.", None, "Ponds cool. They are wet."]) == [
        "Ponds cool.",
        None,
        "Ponds cool. They are wet.",
    ]
