"""Parts that are declared by the place of their class are found there, with all they need."""

from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from citeloom.infrastructure.composition.application import open_application
from citeloom.infrastructure.composition.workspace import Overrides

RECORDS = (
    "catalogue labels own_records tables followed annotations research_record user_record"
    " chat_record job_record"
).split()
PARTS = (
    "projects.references projects.edit projects.duplicates projects.identify projects.projects"
    " projects.term_weights projects.remover projects.mover projects.optimize projects.inspect"
    " projects.papers ingest.annotate resources.show resources.label resources.relations"
    " resources.references resources.structure resources.observe resources.sources"
    " search.readable verification.verify writing.views writing.findings research.table"
    " research.sessions research.users citation.cite library.browse citation.export"
    " citation.quotations resources.pages projects.writer projects.remove projects.migration"
    " projects.validate research.compare research._reading ingest.add stores.document_stores"
    " stores.clock stores.files stores.trash stores.chunker stores.journal stores.shown_hits"
).split()


@pytest.mark.parametrize("name", [*(f"stores.{one}" for one in RECORDS), *PARTS])
def test_a_part_is_made_once(name: str, tmp_path: Path) -> None:
    library: Any = object()
    opened = open_application(tmp_path, overrides=Overrides(library=library))
    try:
        made = attrgetter(name)(opened)
        assert made is attrgetter(name)(opened)
    finally:
        opened.close()


@pytest.mark.parametrize(
    "name", [*RECORDS, "clock", "files", "trash", "chunker", "journal", "shown_hits"]
)
def test_adapters_that_are_given_are_used(name: str, tmp_path: Path) -> None:
    given = object()
    opened = open_application(tmp_path, overrides=Overrides(**{name: given}))  # type: ignore[arg-type]
    assert getattr(opened.stores, name) is given
    opened.close()
