"""Parameters of ingest_from_source and ingest_status."""

from typing import Any

from pydantic import Field

from citeloom.infrastructure.mcp.contract.parameters.base import Parameters, Text

MAX_WAIT = 14


class IngestOptions(Parameters):
    force_rebuild: bool = Field(default=False, description="redo unchanged files")
    references: Text | None = Field(
        default=None,
        description="path of a BibTeX, CSL, RIS or Better BibTeX JSON file; remembered",
    )
    ocr_languages: list[str] = Field(default=[])
    collection_key: Text | None = Field(default=None, description="required by source zotero")
    include_tags: list[str] = Field(default=[], description="zotero only")
    exclude_tags: list[str] = Field(default=[], description="zotero only")
    zotero_config: dict[str, Any] = Field(default={})


class IngestParameters(Parameters):
    project: Text = Field(description="NAME or NAMESPACE/NAME")
    source: Text = Field(description='absolute path of a file or folder, or "zotero"')
    options: IngestOptions = IngestOptions()


class StatusParameters(Parameters):
    job_id: Text
    wait_seconds: int = Field(default=0, ge=0, le=MAX_WAIT)
