"""Removal of repeated statements from a report."""

from collections.abc import Iterable, Iterator

from citeloom.domain.research.session import Correction
from citeloom.domain.review.report.model import Checked, Statement


def normalized_text(statement: Statement) -> str:
    """The text by which repetitions are recognised: casefolded, single spaces."""
    return " ".join(statement.text.casefold().split())


def deduplicated(checked: Iterable[Checked]) -> Iterator[Checked]:
    """The statements in order; one whose text is contained in an earlier one is removed, as when
    several sentences are replaced by the same quotation."""
    texts: list[str] = []
    for one in checked:
        if one.statement is None:
            yield one
            continue
        text = normalized_text(one.statement)
        if any(text in earlier for earlier in texts):
            reasoning = f"{one.reasoning} The report says so already."
            yield one.model_copy(
                update={"statement": None, "correction": Correction.REMOVE, "reasoning": reasoning}
            )
            continue
        texts.append(text)
        yield one
