"""Reviews of a library in memory, and how they can be cut off."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid5

from support.in_memory.chat_record import InMemoryChatRecord
from support.in_memory.research_record import (
    InMemoryResearchRecord,
    InMemoryUserRecord,
)
from support.world import HERE, World, an_item

from citeloom.application.citation.cite import Citations, NamedWorks
from citeloom.application.documents.stores import SecondReading, SourceState
from citeloom.application.research.sessions import Lifecycle
from citeloom.application.review.extractive import extractive_roles
from citeloom.application.review.requests import NewSessions, ReviewRequest
from citeloom.application.review.review import Review
from citeloom.application.review.roles import ReviewResources, RolesFactory, VectorCloseness
from citeloom.application.verification.cited_documents import CitedDocuments, EvidenceSearch
from citeloom.application.verification.judges import RuleJudge
from citeloom.domain.leases import DEAD_AFTER
from citeloom.domain.projects.project import Project
from citeloom.infrastructure.citation.csl.styles import csl_style
from citeloom.infrastructure.ingest.source_files import LocalFiles
from citeloom.infrastructure.maps.evidence.pdf_pages import page_text
from citeloom.infrastructure.storage.small_files import ALONE, NoCopies

PONDS = """# Ponds cool the street

Oriana Szélkuti, doi:10.5555/ponds

## Methods

We measured the air temperature beside four small ponds on ninety summer evenings. The sensors of
all stations were compared in a shelter before the season.

## Results

The cooling beside small ponds falls with distance and is gone at one hundred metres. At the shore
the air was 1.7 K cooler than in the reference street. Larger ponds cool the air more than small
ponds at the same distance.
"""
LAKES = """# Lakes and the town

Teodor Marrowfield, doi:10.5555/lakes

## Results

The cooling beside small ponds does not fall with distance and is not gone at one hundred metres.
The wind carries the cooling of lakes into the town. Dry banks halve the cooling beside the ponds.
"""
GRIDS = """# Grid, random or transect

Halvard Quillenbrook, doi:10.5555/grids

## Results

The square grid has the smallest error at every sample size. Random points have no such trouble
with drained plots of any kind.
"""
QUESTION = "How does the cooling beside small ponds depend on distance, wind and dry banks?"
_IDS = UUID("11111111-2222-4333-8444-555555555555")


class Killed(BaseException):
    """The process is gone: nothing of ours catches this."""


@contextmanager
def still(seconds: float, do: Callable[[], None]) -> Iterator[None]:
    yield


class CutOff:
    """Passes calls on to ``inner``; the one number ``at``, counted from 0, raises ``error``
    before it is made, or after it was."""

    def __init__(
        self, inner: Any, at: int | None, error: BaseException, *, after: bool = False
    ) -> None:
        self.inner = inner
        self.calls = 0
        self._at = at
        self._error = error
        self._after = after

    def __getattr__(self, name: str) -> Any:
        made = getattr(self.inner, name)
        if not callable(made):
            return made

        def call(*arguments: Any, **named: Any) -> Any:
            number = self.calls
            self.calls += 1
            if number == self._at and not self._after:
                raise self._error
            result = made(*arguments, **named)
            if number == self._at:
                raise self._error
            return result

        return call


class Desk:
    """A library with three papers, and reviews of it. Ids count up from the same one."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.record = InMemoryResearchRecord()
        self.users = InMemoryUserRecord(self.record)
        self.chats = InMemoryChatRecord(self.record)
        self.ids = 0
        world.write("ponds2020.md", PONDS)
        world.write("lakes2021.md", LAKES)
        world.write("grids2019.md", GRIDS)
        world.ingest(
            references=world.cite(
                an_item("ponds2020", "10.5555/ponds"),
                an_item("lakes2021", "10.5555/lakes"),
                an_item("grids2019", "10.5555/grids"),
            )
        )

    def new_id(self) -> UUID:
        self.ids += 1
        return uuid5(_IDS, str(self.ids))

    def review(
        self, *, record: Any = None, searcher: Any = None, roles_for: RolesFactory | None = None
    ) -> Review:
        kept = record or self.record
        world, searcher = self.world, searcher or self.world.searcher
        return Review(
            catalogue=world.catalogue,
            searcher=searcher,
            citations=Citations(
                works=NamedWorks(documents=world.documents, references=world.references),
                bundles=world.bundles,
                styles=csl_style,
            ),
            resources_for=lambda project: self._resources(project, searcher),
            roles_for=roles_for or (lambda desk, writer: extractive_roles(desk)),
            lifecycle=Lifecycle(kept, world.clock, still),
            new_session=NewSessions(
                chats=self.chats, users=self.users, clock=world.clock, new_id=self.new_id
            ),
        )

    def _resources(self, project: Project, searcher: Any) -> ReviewResources:
        world = self.world
        documents = CitedDocuments(
            project,
            catalogue=world.catalogue,
            bundles=world.bundles,
            references=world.references,
        )
        return ReviewResources(
            project,
            documents,
            EvidenceSearch(project, searcher, documents),
            RuleJudge(),
            VectorCloseness(world.embedder(project.embedding_model.name)),
            SecondReading(
                sources=SourceState(LocalFiles(), NoCopies(ALONE)),
                texts=page_text,
                passwords={},
            ),
        )

    def request(self, question: str = QUESTION, **more: Any) -> ReviewRequest:
        return ReviewRequest(project_id=HERE, question=question, **more)

    def wait(self) -> None:
        """So long that whoever does not beat counts as dead."""
        self.world.clock.looked += int(DEAD_AFTER / timedelta(seconds=1)) + 1
