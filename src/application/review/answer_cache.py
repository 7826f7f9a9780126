"""Answers of a language model that a review has had, so that it need not ask for them again."""

from collections.abc import Mapping

from citeloom.application.ports.models import Completion

#: By what was asked, in the order in which the same was asked several times.
Answers = Mapping[str, tuple[Completion, ...]]


class Memory:
    """Of one review. ``is_new`` tells that there is more in it than ``answers`` gave out."""

    def __init__(self) -> None:
        self._answers: dict[str, tuple[Completion, ...]] = {}
        self.is_new = False

    def recall(self, answers: Answers) -> None:
        """Begin with what an earlier run of the review has had."""
        self._answers = dict(answers)
        self.is_new = False

    def answers(self) -> Answers:
        """All that there are, to be kept."""
        self.is_new = False
        return dict(self._answers)

    def answer(self, asked: str, number: int) -> Completion | None:
        """The one to ``asked`` for the time ``number``, from 0."""
        known = self._answers.get(asked, ())
        return known[number] if number < len(known) else None

    def add(self, asked: str, answer: Completion) -> None:
        self._answers[asked] = (*self._answers.get(asked, ()), answer)
        self.is_new = True
