"""Suggestions, cards and stored findings over the library in memory."""

from pathlib import Path

import pytest
from support.world import HERE, PONDS, World, an_item

from citeloom.application.ports.verification import DraftText
from citeloom.application.verification.verify import VerifyRequest
from citeloom.domain.citation.citation_locators import parse_locator
from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.verification.drafts.draft import CitedItem
from citeloom.domain.verification.verdict import Verdict
from citeloom.infrastructure.composition.application import Application

CLAIM = "The cooling falls with distance and is gone at one hundred metres."
DRAFT = DraftText(text=f"{CLAIM[:-1]} [@ponds]. Other words stand here [@nobody].\n")


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.write("ponds.md", PONDS)
    references = world.cite(an_item("ponds", "10.5555/ponds"), an_item("unread", "10.5555/unread"))
    world.ingest(references=references)
    return world


@pytest.fixture
def application(world: World) -> Application:
    return world.application


def item(key: str, locator: str = "") -> CitedItem:
    return CitedItem(key=key, start=0, end=1, locator=parse_locator(locator)[0])


def test_works_with_text_and_without(application: Application) -> None:
    works, more = application.writing.suggestions.works(HERE, "")
    assert [(work.key, work.has_text) for work in works] == [("ponds", True), ("unread", False)]
    assert not more


def test_the_best_sentence_of_a_work(application: Application) -> None:
    suggestions = application.writing.suggestions
    assert suggestions.pages(HERE, "ponds", CLAIM)[0].quote.text == CLAIM
    for key, sentence in (("unread", CLAIM), ("nobody", CLAIM), ("ponds", "")):
        assert not suggestions.pages(HERE, key, sentence)


def test_works_to_cite_for_a_sentence(application: Application) -> None:
    suggestions = application.writing.suggestions
    (one,) = suggestions.citations(HERE, CLAIM)
    assert (one.mention.citekey, one.quote.text) == ("ponds", CLAIM)
    assert not suggestions.citations(HERE, "Bakers knead dough at night")


def test_cards(application: Application) -> None:
    cards = application.writing.cards
    card = cards.card(HERE, item("ponds"), CLAIM)
    assert card.work is not None
    assert card.quote is not None
    assert card.quote.text == CLAIM
    assert not card.on_page
    assert cards.card(HERE, item("ponds", "p. 3"), CLAIM).note
    assert cards.card(HERE, item("unread"), CLAIM).note == "The library has no text of it."
    unknown = cards.card(HERE, item("pond"), CLAIM)
    assert unknown.work is None
    assert unknown.note is not None
    assert "Close to it: ponds." in unknown.note


def test_a_quotation_is_found_where_it_stands(application: Application) -> None:
    claim = "They write that “is gone at one hundred metres” and more."
    card = application.writing.cards.card(HERE, item("ponds"), claim)
    assert card.quote is not None
    assert card.quote.text == CLAIM


def test_findings_come_from_the_cache_alone(application: Application) -> None:
    stored = application.writing.findings
    assert stored.of(HERE, DRAFT) == ()
    checked = application.verification.verify(VerifyRequest(project_id=HERE, draft=DRAFT))
    found = stored.of(HERE, DRAFT)
    assert [one.finding.verdict for one in found] == [one.verdict for one in checked.findings]
    assert all(one.finding.cached for one in found)
    changed = DraftText(text=DRAFT.text.replace("Other", "New"))
    assert [one.finding.key for one in stored.of(HERE, changed)] == ["ponds"]


def test_a_check_that_is_stopped_keeps_what_it_has_found(application: Application) -> None:
    def stop(done: int, total: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        application.verification.verify(VerifyRequest(project_id=HERE, draft=DRAFT), stop)
    (first,) = application.writing.findings.of(HERE, DRAFT)
    assert first.finding.key == "ponds"
    assert first.finding.verdict is Verdict.SUPPORTED


def test_the_library_is_looked_at_again_when_asked(world: World, application: Application) -> None:
    views = application.writing.views
    before = views.view(HERE)
    assert views.refresh(HERE) is before
    world.write("more.md", PONDS.replace("Ponds", "More ponds").replace("ponds\n", "more\n"))
    world.ingest()
    assert views.view(HERE) is before
    assert views.refresh(HERE) is not before
    with pytest.raises(ProjectNotFound):
        views.view(ProjectId.parse("nowhere"))
