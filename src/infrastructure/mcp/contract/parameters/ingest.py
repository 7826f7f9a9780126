"""Parameters of ingest_from_source and ingest_status."""

from typing import Annotated, Any

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from citeloom.infrastructure.mcp.contract.parameters.base import Object, Parameters, Text, Texts

MAX_WAIT = 14


class IngestOptions(Parameters):
    force_rebuild: bool = Field(default=False, description="redo unchanged files")
    references: Text | None = Field(
        default=None,
        description="path of a BibTeX, CSL or RIS file",
    )
    collection_key: Text | None = Field(default=None, description="for zotero")
    include_tags: Texts = Field(default=[], description="of zotero")
    exclude_tags: Texts = Field(default=[])
    # The contract has these two. Agents are not told of them: the first has no effect, the second
    # is refused.
    ocr_languages: SkipJsonSchema[Texts] = Field(default=[])
    zotero_config: SkipJsonSchema[dict[str, Any]] = Field(default={})


class IngestParameters(Parameters):
    project: Text
    source: Text = Field(description='absolute path of a file or folder, or "zotero"')
    options: Annotated[IngestOptions, Object] = IngestOptions()


class StatusParameters(Parameters):
    job_id: Text
    wait_seconds: int = Field(default=0, ge=0, le=MAX_WAIT)
