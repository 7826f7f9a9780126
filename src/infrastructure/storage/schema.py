"""Tables of the catalogue; those of the research record are in ``research.schema``, those of jobs
in ``jobs.schema``.

Every change of them is a migration in ``migrations/``.

Times are ISO 8601 texts with their zone, lists and citations are JSON texts: SQLite and PostgreSQL
then return the same values, and rows are human-readable.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
)

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


def _project_id() -> Column[str]:
    return Column(
        "project_id", Text, ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True
    )


def _to_document() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(
        ["project_id", "document_id"],
        ["documents.project_id", "documents.document_id"],
        ondelete="CASCADE",
    )


projects = Table(
    "projects",
    metadata,
    Column("id", Text, primary_key=True),
    Column("folded_id", Text, nullable=False, unique=True),
    Column("collection", Text, nullable=False),
    Column("model_name", Text, nullable=False),
    Column("model_dimension", Integer, nullable=False),
    Column("model_digest", Text, nullable=False),
    Column("model_max_tokens", Integer, nullable=False),
    Column("sparse_model", Text, nullable=False),
    Column("references_json", Text),
    Column("hybrid_enabled", Boolean, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("retrieval", Text),
    Column("others", Text),
    Column("folders", Text),
    Column("more_references", Text),
)

documents = Table(
    "documents",
    metadata,
    _project_id(),
    Column("document_id", Text, primary_key=True),
    Column("title", Text),
    Column("mime_type", Text, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("chunks", Integer, nullable=False),
    Column("language", Text),
    Column("identifiers", Text, nullable=False),
    Column("conversion", Text, nullable=False),
    Column("chunking", Text, nullable=False),
    Column("embedding", Text, nullable=False),
    Column("citation_how", Text),
    Column("references_digest", Text),
    Column("warnings", Text, nullable=False),
    Column("stored_at", Text, nullable=False),
    Column("held", Text),
    Column("fidelity", Text),
    Column("authors", Text),
    Column("year", Integer),
    Column("item", Text),
    Index(None, "document_id"),
    Index(None, "project_id", "language"),
)

sources = Table(
    "sources",
    metadata,
    Column("project_id", Text, primary_key=True),
    Column("path", Text, primary_key=True),
    Column("document_id", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("mtime_ns", BigInteger, nullable=False),
    _to_document(),
    Index(None, "project_id", "document_id"),
)

aliases = Table(
    "aliases",
    metadata,
    Column("project_id", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("value", Text, primary_key=True),
    Column("document_id", Text, primary_key=True),
    _to_document(),
    Index(None, "project_id", "document_id"),
)

citations = Table(
    "citations",
    metadata,
    Column("project_id", Text, primary_key=True),
    Column("document_id", Text, primary_key=True),
    Column("body", Text, nullable=False),
    _to_document(),
)

labels = Table(
    "labels",
    metadata,
    _project_id(),
    Column("target", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("document_id", Text),
    Column("value", Text, nullable=False),
    Index(None, "project_id", "document_id"),
)

own_changes = Table(
    "own_changes",
    metadata,
    _project_id(),
    Column("number", Integer, primary_key=True),
    Column("document_id", Text, nullable=False),
    Column("what", Text, nullable=False),
    Column("body", Text, nullable=False),
    Index(None, "project_id", "document_id"),
)

table_columns = Table(
    "table_columns",
    metadata,
    _project_id(),
    Column("question", Text, primary_key=True),
    Column("number", Integer, nullable=False),
)

table_cells = Table(
    "table_cells",
    metadata,
    _project_id(),
    Column("document_id", Text, primary_key=True),
    Column("question", Text, primary_key=True),
    Column("version", Text, nullable=False),
    Column("body", Text, nullable=False),
)

annotations = Table(
    "annotations",
    metadata,
    _project_id(),
    Column("document_id", Text, primary_key=True),
    Column("digest", Text, nullable=False),
    Column("annotations", Integer, nullable=False),
    Column("body", Text, nullable=False),
)

indexed = Table(
    "indexed",
    metadata,
    _project_id(),
    Column("collection", Text, primary_key=True),
    Column("document_id", Text, primary_key=True),
    Column("chunks", Integer, nullable=False),
    Column("conversion", Text, nullable=False),
    Column("chunking", Text, nullable=False),
    Column("embedding", Text, nullable=False),
    Column("cited", Text, nullable=False),
)

followed = Table(
    "followed",
    metadata,
    _project_id(),
    Column("body", Text, nullable=False),
)

entries = Table(
    "entries",
    metadata,
    _project_id(),
    Column("entry", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("item", Text),
    Column("digest", Text, nullable=False),
    Column("document_id", Text),
    Column("path", Text),
    Column("size", BigInteger),
    Column("mtime_ns", BigInteger),
    Column("annotations", Text, nullable=False),
)

principals = Table(
    "principals",
    metadata,
    Column("name", Text, primary_key=True),
    Column("is_administrator", Boolean, nullable=False),
    Column("token_digest", Text, nullable=False, unique=True),
    Column("browser_digest", Text, nullable=False, unique=True),
    Column("revocations", Integer, nullable=False),
    Column("created_at", Text, nullable=False),
)

former_principals = Table(
    "former_principals",
    metadata,
    Column("name", Text, primary_key=True),
    Column("removed_at", Text, nullable=False),
)

roles = Table(
    "roles",
    metadata,
    Column("principal", Text, ForeignKey("principals.name", ondelete="CASCADE"), primary_key=True),
    _project_id(),
    Column("role", Text, nullable=False),
)

audit_events = Table(
    "audit_events",
    metadata,
    Column("id", Text, primary_key=True),
    Column("time", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("principal", Text, nullable=False),
    Column("project", Text, nullable=False),
    Column("object", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("request_id", Text, nullable=False),
    Column("count", Integer, nullable=False),
    Index(None, "time", "id"),
)
