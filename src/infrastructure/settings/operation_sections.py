"""Sections of the settings about the operation of a server: log, figures, trail of changes."""

from typing import Literal

from pydantic import Field, SecretStr

from citeloom.infrastructure.settings.section import Section


class ServeSettings(Section):
    metrics_token: SecretStr = Field(
        default=SecretStr(""), description="what opens /metrics and nothing else, as Bearer"
    )
    drain_seconds: float = Field(
        default=0.0,
        ge=0,
        le=300,
        description="how long it answers after SIGTERM, while /health/ready says that it ends",
    )
    traces: bool = Field(
        default=False,
        description="send traces by OTLP to where OTEL_EXPORTER_OTLP_ENDPOINT says",
    )


class AuditSettings(Section):
    days: int = Field(
        default=365, ge=0, description="how long events of the audit trail are kept; 0: for good"
    )
    reads: bool = Field(default=False, description="also who read and asked what, without words")


class QuotaSettings(Section):
    requests_per_minute: int = Field(
        default=0, ge=0, description="requests of a principal to one process of a server; 0: any"
    )
    jobs: int = Field(
        default=0, ge=0, description="jobs of a kind that a principal has at once; 0: any number"
    )
    project_documents: int = Field(
        default=0, ge=0, description="documents that a project may hold; 0: any number"
    )
    project_passages: int = Field(
        default=0, ge=0, description="passages at which a project takes no new document; 0: none"
    )
    project_megabytes: int = Field(
        default=0, ge=0, description="megabytes that its files may have together; 0: any number"
    )


class LogSettings(Section):
    format: Literal["text", "json"] = Field(
        default="text", description="lines of the log of a server: text, or JSON objects"
    )
    level: Literal["debug", "info", "warning", "error"] = Field(
        default="warning", description="from which level on"
    )
    access: bool = Field(default=False, description="a line for each request")
