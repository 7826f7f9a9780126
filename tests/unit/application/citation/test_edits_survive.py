"""Edits outlast ingests, reference files and their removal, look-ups, undos and kills, in any
order."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.killed_writes import killed_after
from support.world import HERE, World, an_item

from citeloom.application.citation.edit import parse_assignment
from citeloom.application.ports.catalogue import UNSETTLED
from citeloom.domain.citation.own import OwnChange, OwnMetadata

PONDS = "# Ponds\n\ndoi:10.5555/ponds\n\nA pond cools the air.\n"
FOUND = {"type": "article-journal", "title": "Found ponds", "issued": {"date-parts": [[2001]]}}
ACTIONS = st.one_of(
    st.tuples(st.just("title"), st.sampled_from(["One", "Two"]), st.integers(0, 12)),
    st.tuples(st.just("year"), st.sampled_from(["1990", ""]), st.integers(0, 12)),
    st.tuples(st.just("key"), st.sampled_from(["mine", "yours"]), st.integers(0, 12)),
    st.tuples(st.just("tag"), st.sampled_from(["cool", ""]), st.integers(0, 12)),
    st.tuples(st.just("status"), st.sampled_from(["read", ""]), st.integers(0, 12)),
    st.tuples(st.just("undo"), st.just(""), st.integers(0, 12)),
    st.tuples(st.sampled_from(["ingest", "cite", "forget", "find", "rewrite"])),
)


class Story:
    """What one person does with one paper."""

    def __init__(self, folder: Path) -> None:
        self.world = World(folder)
        self.versions = 0
        self.rewrite()
        self.ingest()

    def ingest(self) -> None:
        self.world.ingest()

    def rewrite(self) -> None:
        self.versions += 1
        self.world.write("ponds.md", PONDS + "\nMore.\n" * self.versions)

    def cite(self) -> None:
        references = self.world.cite(an_item("weir", "10.5555/ponds", 1999))
        self.world.ingest(references=[references])

    def forget(self) -> None:
        self.world.ingest(references=[self.world.cite(an_item("other", "10.5555/other"))])

    def find(self) -> None:
        """A look-up was accepted."""
        own = self.own.model_copy(update={"found": FOUND})
        document = self.world.stored()[0].document_id
        change = OwnChange(document_id=document, what="looked up", after=own)
        self.world.own_records.put(HERE, change)
        stored = self.world.stored()[0].model_copy(update={"references_digest": UNSETTLED})
        self.world.catalogue.put_document(stored)

    def edit(self, field: str, value: str, steps: int) -> None:
        document = self.world.stored()[0].document_id
        change = parse_assignment(f"{field}={value}")
        with killed_after(steps):
            self.world.projects.edit(HERE, document, [change], force=True)

    def undo(self, steps: int) -> None:
        with killed_after(steps):
            self.world.projects.edit.undo(HERE)

    @property
    def own(self) -> OwnMetadata:
        (stored,) = self.world.stored()
        return self.world.own_records.own(HERE, stored.document_id) or OwnMetadata()

    def check(self) -> None:
        """After an ordinary ingest all agree: words, catalogue and index."""
        said = self.own
        self.ingest()
        (stored,) = self.world.stored()
        assert self.own == said
        citation = stored.citation
        assert citation is not None
        assert stored.references_digest != UNSETTLED
        if "title" in said.edits:
            assert citation.title == said.edits["title"]
        if "issued" in said.edits:
            issued = said.edits["issued"]
            assert citation.year == (issued["date-parts"][0][0] if issued else None)
        assert said.citekey in (None, citation.citekey)
        assert set(said.tags) <= set(citation.tags)
        for former in citation.former_keys:
            assert self.world.document(former).document_id == stored.document_id
        with self.world.index.open(
            self.world.catalogue.project(HERE).collection, dimension=64
        ) as collection:
            assert all(one.citation == citation for one in collection.passages())
        assert self.world.ingest().citations_updated == 0


@given(st.lists(ACTIONS, max_size=6))
@settings(deadline=None)
def test_edits_survive(actions: list[tuple[Any, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        story = Story(Path(folder))
        for name, *given in actions:
            if name == "undo":
                story.undo(given[1])
            elif given:
                story.edit(name, *given)
            else:
                getattr(story, name)()
            if name != "rewrite":  # its file is another document only after an ingest
                story.check()
        story.check()


def test_a_kill_at_each_write_loses_all_of_an_edit_or_nothing() -> None:
    done = set[bool]()
    for steps in range(1, 14):
        with tempfile.TemporaryDirectory() as folder:
            story = Story(Path(folder))
            story.edit("title", "One", steps)
            story.check()
            citation = story.world.stored()[0].citation
            assert citation is not None
            assert citation.title in ("Ponds", "One")
            done.add(citation.title == "One")
    assert done == {True, False}
