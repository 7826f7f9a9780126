"""Check of the catalogue's database."""

from collections.abc import Iterator

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.validation.checks import Check, Status
from citeloom.domain.text.phrasing import listed


def catalogue_integrity(catalogue: Catalogue, *, deep: bool) -> Iterator[Check]:
    """Whether the database is whole: its pages, and if ``deep`` its indexes too. Raises
    StorageFailed for one that cannot be read at all."""
    problems = catalogue.problems(deep=deep)
    if problems:
        yield Check(
            check="catalogue",
            status=Status.FAIL,
            message=f"the catalogue is damaged: {listed(problems)}",
            guidance="put back a copy of the file from before",
            items=tuple(problems),
        )
    else:
        yield Check(check="catalogue", status=Status.PASS, message="its database is whole")
