"""Two processes of one library, over a PostgreSQL of the test's own and a double of Qdrant."""

from collections.abc import Iterator

import pytest
from support.servers.group import Group, group
from support.servers.postgresql import PostgresServer
from support.servers.qdrant_double import QdrantDouble

PONDS = "# Ponds\n\n## Results\n\nThe cooling by ponds is gone at one hundred metres.\n"
GRIDS = "# Grids\n\n## Results\n\nThe square grid has the smallest error of all.\n"


@pytest.fixture(scope="package")
def library(
    postgres_server: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Group]:
    """With two papers in the project samples, sent to one process each."""
    workspace = tmp_path_factory.mktemp("group")
    catalogue = postgres_server.url(postgres_server.new_database())
    with QdrantDouble() as index, group(workspace, catalogue, index.url) as made:
        for name, text in (("ponds.md", PONDS), ("grids.md", GRIDS)):
            sent = made.rest.put(f"/projects/local/samples/uploads/{name}", content=text.encode())
            assert "event: done" in made.rest.get(f"/jobs/{sent.json()['id']}/events").text
        yield made
