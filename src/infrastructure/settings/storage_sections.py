"""Sections of the settings about where catalogue and files are, for one machine or several."""

from pathlib import Path
from typing import Self

from pydantic import Field, field_validator, model_validator

from citeloom.infrastructure.settings.section import Section


class CatalogueSettings(Section):
    url: str = Field(
        default="",
        description="PostgreSQL database of catalogue and record; empty: SQLite in the workspace",
    )

    @field_validator("url")
    @classmethod
    def _normalized_url(cls, value: str) -> str:
        if (text := value.strip()) and "://" not in text:
            raise ValueError("a database is written postgresql://USER:PASSWORD@HOST/DATABASE")
        return text


class StorageSettings(Section):
    url: str = Field(
        default="",
        description="where conversions, maps and evidence are: a folder that machines share, or "
        "s3://BUCKET/PREFIX; empty: the workspace",
    )
    papers: bool = Field(
        default=False,
        description="keep a copy of each paper there too, for machines that do not see its path",
    )

    @field_validator("url")
    @classmethod
    def _normalized_url(cls, value: str) -> str:
        """A folder is absolute: machines that share it have other current folders."""
        text = value.strip().removeprefix("file://").rstrip("/")
        if "://" in text:
            if not text.partition("://")[2]:
                raise ValueError("a store is written s3://BUCKET/PREFIX")
            if "@" in text:
                raise ValueError("the URL of a store holds no keys: they are in the environment")
            return text
        if text and not Path(text).expanduser().is_absolute():
            raise ValueError("a shared folder is written with its whole path")
        return str(Path(text).expanduser()) if text else ""

    @model_validator(mode="after")
    def _papers_have_a_place(self) -> Self:
        if self.papers and not self.url:
            raise ValueError("storage.papers keeps copies at storage.url, which is empty; set it")
        return self
