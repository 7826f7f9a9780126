"""Answers that a review has had are not asked for again."""

import pytest
from support.models.evil_models import faithful
from support.models.report_writers import Says

from citeloom.application.ports.models import PromptMessage
from citeloom.application.review.llm.answers import LONGEST_ANSWER, CachedLanguageModel
from citeloom.application.review.roles import AnswerCache
from citeloom.domain.errors import LanguageModelUnavailable

ONE, OTHER = (PromptMessage(role="user", text=text) for text in ("One?", "Other?"))


def recalled(memory: AnswerCache) -> AnswerCache:
    """As the next process has it."""
    found = AnswerCache()
    found.restore(memory.answers())
    return found


def test_the_next_run_has_the_same_answers_in_their_order() -> None:
    first, memory = Says(lambda _: "a", lambda _: "b", lambda _: "c"), AnswerCache()
    model = CachedLanguageModel(first, memory)
    said = [model.complete([one]).text for one in (ONE, ONE, OTHER)]
    assert (said, memory.is_new) == (["a", "b", "c"], True)
    again, kept = Says(lambda _: "new"), recalled(memory)
    model = CachedLanguageModel(again, kept)
    assert [model.complete([one]).text for one in (ONE, ONE, OTHER)] == said
    assert (again.asked, kept.is_new) == ([], False)
    assert model.complete([ONE]).text == "new"


def test_silence_is_not_remembered() -> None:
    memory = AnswerCache()
    model = CachedLanguageModel(Says(None, lambda _: "a"), memory)
    with pytest.raises(LanguageModelUnavailable):
        model.complete([ONE])
    assert not memory.is_new
    assert model.complete([ONE]).text == "a"


def test_another_model_is_asked_itself() -> None:
    memory = AnswerCache()
    CachedLanguageModel(Says(lambda _: "a"), memory).complete([ONE])
    other = Says(lambda _: "b")
    other.name = "large"
    assert CachedLanguageModel(other, memory).complete([ONE]).text == "b"


def test_what_is_too_long_to_be_read_is_kept_as_too_long() -> None:
    memory = AnswerCache()
    CachedLanguageModel(Says(lambda _: "x" * 10**6), memory).complete([ONE])
    kept = CachedLanguageModel(Says(faithful), memory).complete([ONE]).text
    assert len(kept) == LONGEST_ANSWER + 1
