"""Suggestions and cards over the library in memory."""

from pathlib import Path

import pytest
from support.world import HERE, PONDS, World, an_item

from citeloom.application.ports.verification import DraftText
from citeloom.domain.citation.locators import parse_locator
from citeloom.domain.verification.drafts.draft import CitedItem
from citeloom.infrastructure.composition.application import Application
from citeloom_lsp.application.citation_cards import CitationCards
from citeloom_lsp.application.suggestions import Suggestions

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
    works, more = Suggestions(application.writing.views).works(HERE, "")
    assert [(work.key, work.has_text) for work in works] == [("ponds", True), ("unread", False)]
    assert not more


def test_the_best_sentence_of_a_work(application: Application) -> None:
    suggestions = Suggestions(application.writing.views)
    assert suggestions.pages(HERE, "ponds", CLAIM)[0].quote.text == CLAIM
    for key, sentence in (("unread", CLAIM), ("nobody", CLAIM), ("ponds", "")):
        assert not suggestions.pages(HERE, key, sentence)


def test_works_to_cite_for_a_sentence(application: Application) -> None:
    suggestions = Suggestions(application.writing.views)
    (one,) = suggestions.citations(HERE, CLAIM)
    assert (one.mention.citekey, one.quote.text) == ("ponds", CLAIM)
    assert not suggestions.citations(HERE, "Bakers knead dough at night")


def test_cards(application: Application) -> None:
    cards = CitationCards(application.writing.views)
    card = cards.card(HERE, item("ponds"), CLAIM)
    assert card.work is not None
    assert card.quote is not None
    assert card.quote.text == CLAIM
    assert not card.on_page
    assert cards.card(HERE, item("ponds", "p. 3"), CLAIM).note
    assert cards.card(HERE, item("unread"), CLAIM).note == "The library does not have its text."
    unknown = cards.card(HERE, item("pond"), CLAIM)
    assert unknown.work is None
    assert unknown.note is not None
    assert "Close to it: ponds." in unknown.note


def test_a_quotation_is_found_where_it_stands(application: Application) -> None:
    claim = "They write that “is gone at one hundred metres” and more."
    card = CitationCards(application.writing.views).card(HERE, item("ponds"), claim)
    assert card.quote is not None
    assert card.quote.text == CLAIM
