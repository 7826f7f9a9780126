"""Typed sections of the settings, with defaults."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.projects.project import (
    DEFAULT_POLICY,
    FusionMethod,
    IndexLayout,
    IndexPlace,
    ProjectId,
    VectorQuantization,
    server_url,
)
from citeloom.domain.search.ranking import CANDIDATES
from citeloom.domain.search.request import DEFAULT_TOP_K, MAX_TOP_K


class Section(BaseModel):
    """Unknown names are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


_SCHEDULER = re.compile(r"(?:tcp|tls)://[^/\s@]+:\d{1,5}")


def web_url(value: str, server: str, path: str) -> str:
    """A URL without a slash at its end. Raises ValueError if it is not an http(s) URL, or has a
    user name, a password or a query."""
    if not (text := value.strip()):
        return ""
    parts = urlsplit(text)
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname or parts.port == 0:
        raise ValueError(f"{server} is written http(s)://HOST[:PORT]{path}")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError(f"the URL of {server} holds no user, key or query")
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def scheduler_url(value: str) -> str:
    """The address of a Dask scheduler; ``local`` and nothing stay so. Raises ValueError."""
    text = value.strip()
    if text not in ("", "local") and not _SCHEDULER.fullmatch(text):
        raise ValueError(
            "a Dask scheduler is written tcp://HOST:PORT or tls://HOST:PORT; local starts one here"
        )
    return text


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

    _url = field_validator("url")(lambda value: server_url(value) if value.strip() else "")


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


class ServeSettings(Section):
    metrics_token: SecretStr = Field(
        default=SecretStr(""),
        description="token that opens /metrics and nothing else, sent as Bearer",
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
    reads: bool = Field(
        default=False, description="also record who read or asked something, without the words"
    )


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
        default="warning", description="lowest level that is logged"
    )
    access: bool = Field(default=False, description="a line for each request")


PREFIX = "CITELOOM_"


def split_names(text: str) -> Sequence[str]:
    """Names separated by commas."""
    return [name for part in text.split(",") if (name := part.strip())]


class EmbeddingSettings(Section):
    model: str = Field(default="all-MiniLM-L6-v2", description="model of new projects")
    threads: int = Field(default=2, ge=1, le=64, description="processor threads for embedding")
    device: Literal["auto", "cpu", "cuda", "coreml", "openvino"] = Field(
        default="auto",
        description="what runs a model of fastembed or a folder; auto: cuda or openvino where "
        "onnxruntime has it, otherwise the processor",
    )
    cache: str = Field(
        default="", description="folder of fetched models; empty: FASTEMBED_CACHE_PATH or your own"
    )
    vector_cache_mb: int = Field(
        default=1024,
        ge=0,
        description="vectors kept for texts that are embedded again, in megabytes; 0: none",
    )
    endpoint: str = Field(
        default="",
        description="server that embeds for new projects, which is sent passages and questions; "
        "empty: none",
    )
    protocol: Literal["openai", "tei"] = Field(
        default="openai",
        description="its interface: OpenAI's /embeddings, or /embed of Text Embeddings Inference",
    )
    api_key: SecretStr = Field(default=SecretStr(""), description="its API key")
    tokenizer: str = Field(
        default="", description="folder with tokenizer.json of its model; empty: an estimate"
    )
    max_tokens: int = Field(default=512, ge=32, description="the longest input of its model")
    batch: int = Field(default=32, ge=1, le=2048, description="texts of one request to it")
    parallel: int = Field(default=4, ge=1, le=64, description="requests to it at the same time")
    per_second: float = Field(
        default=0.0, ge=0, description="requests to it that begin in a second; 0: no limit"
    )
    timeout_seconds: float = Field(
        default=60.0, gt=0, description="how long one answer of it may take"
    )

    @property
    def default_model(self) -> str:
        """The model of new projects; ``PROTOCOL:MODEL`` where an endpoint has it."""
        prefix = f"{self.protocol}:" if self.endpoint else ""
        return f"{prefix}{self.model.removeprefix(prefix)}"

    _endpoint = field_validator("endpoint")(
        lambda value: web_url(value, "an embedding server", "").removesuffix("/embeddings")
    )


class ConversionSettings(Section):
    pdf: Literal["native", "docling-standard"] = Field(
        default="native", description="how PDFs are read: rules, or docling's neural models"
    )
    artifacts_path: str = Field(
        default="", description="folder with the weights of docling's models"
    )
    timeout_seconds: float = Field(
        default=300.0, gt=0, description="wall-clock limit of one document, before its pages"
    )
    page_seconds: float = Field(default=2.0, ge=0, description="added to it for each page")
    stall_seconds: float = Field(
        default=120.0, gt=0, description="how long one page may take before all is given up"
    )


class OcrSettings(Section):
    engine: Literal["auto", "tesseract", "rapidocr", "none"] = Field(
        default="auto", description="what reads scanned pages"
    )
    languages: str = Field(
        default="eng",
        pattern=r"^[A-Za-z_]+(\+[A-Za-z_]+)*$",
        description="languages of scanned pages, as tesseract names them: eng+deu",
    )
    page_seconds: float = Field(
        default=60.0, gt=0, description="processor time for a look at one page"
    )


class PdfSettings(Section):
    passwords: Mapping[str, SecretStr] = Field(
        default_factory=dict, description="passwords by file name or pattern"
    )


class IngestSettings(Section):
    jobs: int = Field(default=2, ge=1, le=64, description="conversion processes")
    pdf_reader: Literal["native", "docling"] = Field(
        default="native",
        description="what reads PDFs; docling: as conversion.pdf = docling-standard",
    )
    scheduler: str = Field(
        default="",
        description="Dask scheduler whose workers convert and embed: tcp://HOST:PORT or tls://; "
        "local: a cluster of jobs workers on this machine; empty: processes of this one",
    )
    worker_memory_mb: int = Field(
        default=2048, ge=512, description="memory that each of them may take, in megabytes"
    )
    disk_reserve_mb: int = Field(
        default=64, ge=0, description="space reserved for when the disk is full, in megabytes"
    )

    _scheduler = field_validator("scheduler")(scheduler_url)


class QuerySettings(Section):
    top_k: int = Field(default=DEFAULT_TOP_K, ge=1, le=MAX_TOP_K, description="passages shown")
    rerank: bool = Field(
        default=True,
        description="read question and passage together where the first order is not sure",
    )
    reranker: str = Field(
        default="bundled", description="the bundled model, a fastembed name, or a folder"
    )
    rerank_candidates: int = Field(
        default=CANDIDATES, ge=1, le=200, description="how many texts are read again"
    )
    rerank_weight: float = Field(
        default=DEFAULT_POLICY.rerank_weight,
        ge=0,
        description="weight of reading again: the share of the first scores' range that one "
        "unit of log-odds is worth",
    )
    fusion: FusionMethod = Field(
        default=FusionMethod.CONVEX, description="scores, ranks or standard scores are added"
    )
    dense_weight: float = Field(
        default=DEFAULT_POLICY.dense_weight, gt=0, description="weight of the passage's meaning"
    )
    sentence_weight: float = Field(
        default=DEFAULT_POLICY.sentence_weight, ge=0, description="weight of the best sentence"
    )
    sparse_weight: float = Field(
        default=DEFAULT_POLICY.sparse_weight, gt=0, description="weight of the words"
    )


class ZoteroSettings(Section):
    source: Literal["database", "local-api", "web-api", "auto", "local-first", "web-first"] = Field(
        default="database",
        description="what is asked: the database on this machine, Zotero running on it, or "
        "zotero.org (which asks the network); or the first of them that answers: auto asks "
        "zotero.org last and only with an api_key, local-first and web-first in any case",
    )
    data_dir: str = Field(
        default="", description="Zotero's data directory, or its database; empty: looked for"
    )
    linked_files: str = Field(
        default="",
        description="base folder of linked files; empty: as Zotero's settings have it",
    )
    better_bibtex: str = Field(
        default="http://localhost:23119/better-bibtex/json-rpc",
        description="Better BibTeX's address, which the local API asks for keys; empty: none",
    )
    user_id: int = Field(default=0, ge=0, description="number of the account at zotero.org")
    api_key: SecretStr = Field(default=SecretStr(""), description="its API key")
    local_url: str = Field(default="http://localhost:23119", description="Zotero's local API")
    web_url: str = Field(default="https://api.zotero.org", description="Zotero's web API")
    timeout_seconds: float = Field(
        default=30.0, gt=0, description="how long one request to an API may take"
    )


class EvidenceSettings(Section):
    max_megabytes: int = Field(
        default=2048,
        ge=1,
        description="what is kept of cut evidence, and of papers taken from the storage, each; "
        "more is removed",
    )

    @property
    def max_bytes(self) -> int:
        return self.max_megabytes * 2**20


class OpenSettings(Section):
    viewer: str = Field(
        default="",
        description="command that shows PDFs and other files, with {path} and {page}; empty: the "
        "desktop's own viewer",
    )


class WatchSettings(Section):
    settle_seconds: float = Field(
        default=2.0, gt=0, description="how long a file must be unchanged before it is read"
    )
    interval_seconds: float = Field(
        default=30.0, gt=0, description="between two looks at an API, or for a folder that is away"
    )
    polling: Literal["auto", "always", "never"] = Field(
        default="auto",
        description="look at folders each second instead of waiting for notifications; "
        "auto: for network folders",
    )


class LlmSettings(Section):
    url: str = Field(
        default="",
        description="a language model's server, up to /v1 (OpenAI's interface); empty: none",
    )
    model: str = Field(default="", description="which of its models")
    api_key: SecretStr = Field(default=SecretStr(""), description="its API key")
    timeout_seconds: float = Field(
        default=120.0, gt=0, description="how long an answer may take, repeats included"
    )
    max_tokens: int = Field(default=2048, ge=1, description="the longest answer")

    @field_validator("url")
    @classmethod
    def _normalized_url(cls, value: str) -> str:
        return web_url(value, "a language model's server", "/v1").removesuffix("/chat/completions")


class ReviewSettings(Section):
    writer: Literal["extractive", "model"] = Field(
        default="extractive",
        description="who writes reviews: extractive only quotes; model sends the question and the "
        "quotations to the language model of llm",
    )


class VerifySettings(Section):
    judge: Literal["rules", "bundled", "local", "language-model"] = Field(
        default="bundled",
        description="what decides where rules cannot: nothing; the bundled cross-encoder; beside "
        "it that of judge_folder, or the model of llm, which is sent claims and sentences",
    )
    judge_folder: str = Field(
        default="",
        description="folder of an NLI cross-encoder: config.json, tokenizer.json, model.onnx",
    )


class McpSettings(Section):
    token: SecretStr = Field(
        default=SecretStr(""),
        description="token that clients of citeloom mcp --http send as Bearer",
    )
    hosts: str = Field(
        default="", description="names under which they reach it, without port, separated by commas"
    )
    origins: str = Field(
        default="",
        description="web origins (https://HOST) whose pages may call it, separated by commas",
    )
    folders: tuple[str, ...] = Field(
        default=(),
        description="folders that its tools may read files from; empty: the workspace and what "
        "its projects were ingested from",
    )
    stateless: bool = Field(
        default=False,
        description="no sessions over HTTP: any process behind a proxy can answer any call; "
        "clients before 2026-07-28 get no questions and no notifications",
    )
    read_only: bool = Field(
        default=False, description="without the tools that write or delete anything"
    )
    tools: tuple[str, ...] = Field(
        default=(),
        description="tools that it has, by name, older names included; empty: all",
    )

    @field_validator("tools", mode="before")
    @classmethod
    def _tools(cls, value: object) -> object:
        """Text of the environment has commas."""
        return tuple(split_names(value)) if isinstance(value, str) else value

    @field_validator("folders", mode="before")
    @classmethod
    def _folders(cls, value: object) -> object:
        """Text of the environment is split as in PATH."""
        if isinstance(value, str):
            value = value.split(os.pathsep)
        if isinstance(value, list):
            return tuple(one for one in value if not isinstance(one, str) or one.strip())
        return value

    @field_validator("origins")
    @classmethod
    def _origins(cls, value: str) -> str:
        for origin in split_names(value):
            parts = urlsplit(origin)
            if parts.scheme not in ("http", "https") or not parts.netloc or parts.path.strip("/"):
                raise ValueError(f"{origin}: an origin is written http(s)://HOST[:PORT]")
        return value


class ChecksSettings(Section):
    retractions: str = Field(
        default="", description="Retraction Watch's list (CSV) that validate looks in; empty: none"
    )


class MetadataSettings(Section):
    lookup: Literal["off", "ask", "on"] = Field(
        default="off",
        description="whether ingest looks up papers without an item at public services: never, "
        "after a question, or always",
    )
    contact: str = Field(
        default="", description="e-mail address that goes with a look-up; Crossref asks for one"
    )
    timeout_seconds: float = Field(
        default=20.0, gt=0, le=300, description="how long a service may take, for each attempt"
    )

    @field_validator("contact")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        text = value.strip()
        if text and not re.fullmatch(r"[\x21-\x3b\x3d\x3f-\x7e]+@[\w.-]+", text, re.ASCII):
            raise ValueError("an e-mail address is written NAME@HOST")
        return text


class Settings(Section):
    """All settings, read once at start. ``project`` is the default of commands."""

    project: str = Field(default="", description="project of commands that name none")

    embedding: EmbeddingSettings = EmbeddingSettings()
    conversion: ConversionSettings = ConversionSettings()
    ocr: OcrSettings = OcrSettings()
    pdf: PdfSettings = PdfSettings()
    ingest: IngestSettings = IngestSettings()
    catalogue: CatalogueSettings = CatalogueSettings()
    storage: StorageSettings = StorageSettings()
    index: IndexSettings = IndexSettings()
    query: QuerySettings = QuerySettings()
    zotero: ZoteroSettings = ZoteroSettings()
    watch: WatchSettings = WatchSettings()
    evidence: EvidenceSettings = EvidenceSettings()
    open: OpenSettings = OpenSettings()
    llm: LlmSettings = LlmSettings()
    verify: VerifySettings = VerifySettings()
    review: ReviewSettings = ReviewSettings()
    checks: ChecksSettings = ChecksSettings()
    metadata: MetadataSettings = MetadataSettings()
    mcp: McpSettings = McpSettings()
    serve: ServeSettings = ServeSettings()
    log: LogSettings = LogSettings()
    audit: AuditSettings = AuditSettings()
    quota: QuotaSettings = QuotaSettings()

    @field_validator("project")
    @classmethod
    def _project_id(cls, value: str) -> str:
        try:
            return ProjectId.parse(value).value if value.strip() else ""
        except InvalidRequest as error:
            raise ValueError(str(error)) from None
