"""Settings of the index: its server, and how collections are kept there."""

from pydantic import Field, SecretStr, field_validator

from citeloom.domain.projects.index_place import (
    IndexLayout,
    IndexPlace,
    VectorQuantization,
    server_url,
)
from citeloom.infrastructure.settings.section import Section


class IndexSettings(Section):
    url: str = Field(default="", description="Qdrant server of new projects; empty: none")
    api_key: SecretStr = Field(default=SecretStr(""), description="its API key")
    layout: IndexLayout = Field(
        default=IndexLayout.PROJECT,
        description="a collection for each project, or one shared by those of a model",
    )
    timeout_seconds: float = Field(
        default=30.0, gt=0, description="how long a call to the server may take, repeats included"
    )
    wait_seconds: float = Field(
        default=30.0, ge=0, description="how long to wait for another process"
    )
    exact_up_to: int = Field(
        default=50_000,
        ge=0,
        description="passages of a project that are all compared; more get a graph (HNSW)",
    )
    quantization: VectorQuantization = Field(
        default=VectorQuantization.NONE,
        description="new collections on a server: whole vectors in memory, or a byte a number",
    )
    on_disk: bool = Field(
        default=False,
        description="new collections on a server: vectors and graph are read from its disk",
    )
    shards: int = Field(
        default=1, ge=1, description="new collections on a server: parts, on as many nodes"
    )
    replicas: int = Field(
        default=1, ge=1, description="new collections on a server: copies of each part"
    )

    @property
    def place(self) -> IndexPlace | None:
        """Where the index of a new project is made; None for the workspace."""
        return IndexPlace(url=self.url, layout=self.layout) if self.url else None

    @field_validator("url")
    @classmethod
    def _normalized_url(cls, value: str) -> str:
        return server_url(value) if value.strip() else ""
