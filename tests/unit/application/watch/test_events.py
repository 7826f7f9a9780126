"""What a person reads of each change."""

from typing import Any

from support.builders import A_DAY
from support.cases import each

from citeloom.application.watch.request import Outcome, WatchEvent
from citeloom.infrastructure.cli.watch import line


@each(
    ("outcome", "more", "said"),
    [
        (
            Outcome.ADDED,
            {"citekey": "smith2020", "passages": 12},
            "added paper.pdf → smith2020, 12 passages",
        ),
        (Outcome.ADDED, {"passages": 1}, "added paper.pdf → no citation, 1 passage"),
        (Outcome.MOVED, {"before": "/in/old.pdf"}, "moved old.pdf → paper.pdf"),
        (Outcome.MOVED, {"before": "/old/paper.pdf"}, "moved /old/paper.pdf → /in/paper.pdf"),
        (Outcome.KEY_CHANGED, {"citekey": "b", "before": "a"}, "key changed a → b"),
        (Outcome.REMOVED, {"citekey": "a"}, "removed paper.pdf (a)"),
        (Outcome.CITED, {"citekey": "a"}, "cited again paper.pdf → a"),
        (Outcome.WATCHING, {}, "watching /in/paper.pdf"),
        (Outcome.NOTICE, {"detail": "two items have one key"}, "two items have one key"),
        (
            Outcome.FAILED,
            {"detail": "it is busy", "retry_seconds": 5.0},
            "failed paper.pdf: it is busy; trying again in 5 s",
        ),
    ],
)
def test_a_line_says_when_what_and_with_which_outcome(
    outcome: Outcome, more: dict[str, Any], said: str
) -> None:
    happening = WatchEvent(time=A_DAY, outcome=outcome, what="/in/paper.pdf", **more)
    assert line(happening) == f"{A_DAY.astimezone():%H:%M:%S} {said}"


def test_what_is_no_file_is_named_as_it_is() -> None:
    note = WatchEvent(
        time=A_DAY, outcome=Outcome.ADDED, what="zotero://select/library/items/AB", passages=2
    )
    assert line(note).endswith("added zotero://select/library/items/AB → no citation, 2 passages")
