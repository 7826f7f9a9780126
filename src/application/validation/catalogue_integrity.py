"""Check of the catalogue's database."""

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.validation.checks import Check, Status
from citeloom.domain.errors import StorageFailed


def catalogue_integrity(catalogue: Catalogue, *, deep: bool) -> Check:
    """Whether the database is whole: its pages, and if ``deep`` its indexes too."""
    try:
        catalogue.verify(deep=deep)
    except StorageFailed as error:
        return Check(check="catalogue", status=Status.FAIL, message=error.message)
    return Check(check="catalogue", status=Status.PASS, message="its database is whole")
