"""Cache of a language model's answers within one review."""

from collections.abc import Mapping

from citeloom.application.ports.models import Completion

#: Answers by digest of the request; equal requests have several, in their order.
Answers = Mapping[str, tuple[Completion, ...]]


class AnswerCache:
    """The cached answers of one review. ``is_new`` is set by ``add`` and cleared by
    ``answers`` and ``restore``."""

    def __init__(self) -> None:
        self._answers: dict[str, tuple[Completion, ...]] = {}
        self.is_new = False

    def restore(self, answers: Answers) -> None:
        """Start from the answers of an earlier run of the review."""
        self._answers = dict(answers)
        self.is_new = False

    def answers(self) -> Answers:
        """All answers, for storage."""
        self.is_new = False
        return dict(self._answers)

    def answer(self, request: str, number: int) -> Completion | None:
        """The answer to the ``number``-th equal request, from 0; None if there is none."""
        known = self._answers.get(request, ())
        return known[number] if number < len(known) else None

    def add(self, request: str, answer: Completion) -> None:
        self._answers[request] = (*self._answers.get(request, ()), answer)
        self.is_new = True
