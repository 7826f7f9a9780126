CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE projects (
	id TEXT NOT NULL,
	folded_id TEXT NOT NULL,
	collection TEXT NOT NULL,
	model_name TEXT NOT NULL,
	model_dimension INTEGER NOT NULL,
	model_digest TEXT NOT NULL,
	model_max_tokens INTEGER NOT NULL,
	sparse_model TEXT NOT NULL,
	references_json TEXT,
	hybrid_enabled BOOLEAN NOT NULL,
	created_at TEXT NOT NULL, retrieval TEXT, others TEXT,
	CONSTRAINT pk_projects PRIMARY KEY (id),
	CONSTRAINT uq_projects_folded_id UNIQUE (folded_id)
);

CREATE TABLE documents (
	project_id TEXT NOT NULL,
	document_id TEXT NOT NULL,
	title TEXT,
	mime_type TEXT NOT NULL,
	pages INTEGER NOT NULL,
	chunks INTEGER NOT NULL,
	language TEXT,
	identifiers TEXT NOT NULL,
	conversion TEXT NOT NULL,
	chunking TEXT NOT NULL,
	embedding TEXT NOT NULL,
	citation_how TEXT,
	references_digest TEXT,
	warnings TEXT NOT NULL,
	stored_at TEXT NOT NULL, held TEXT,
	CONSTRAINT pk_documents PRIMARY KEY (project_id, document_id),
	CONSTRAINT fk_documents_projects FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE INDEX ix_documents_document_id ON documents (document_id);

CREATE TABLE sources (
	project_id TEXT NOT NULL,
	path TEXT NOT NULL,
	document_id TEXT NOT NULL,
	position INTEGER NOT NULL,
	size BIGINT NOT NULL,
	mtime_ns BIGINT NOT NULL,
	CONSTRAINT pk_sources PRIMARY KEY (project_id, path),
	CONSTRAINT fk_sources_documents FOREIGN KEY(project_id, document_id) REFERENCES documents (project_id, document_id) ON DELETE CASCADE
);

CREATE INDEX ix_sources_project_id_document_id ON sources (project_id, document_id);

CREATE TABLE aliases (
	project_id TEXT NOT NULL,
	kind TEXT NOT NULL,
	value TEXT NOT NULL,
	document_id TEXT NOT NULL,
	CONSTRAINT pk_aliases PRIMARY KEY (project_id, kind, value, document_id),
	CONSTRAINT fk_aliases_documents FOREIGN KEY(project_id, document_id) REFERENCES documents (project_id, document_id) ON DELETE CASCADE
);

CREATE INDEX ix_aliases_project_id_document_id ON aliases (project_id, document_id);

CREATE TABLE citations (
	project_id TEXT NOT NULL,
	document_id TEXT NOT NULL,
	body TEXT NOT NULL,
	CONSTRAINT pk_citations PRIMARY KEY (project_id, document_id),
	CONSTRAINT fk_citations_documents FOREIGN KEY(project_id, document_id) REFERENCES documents (project_id, document_id) ON DELETE CASCADE
);

CREATE TABLE "indexed" (
	project_id TEXT NOT NULL,
	collection TEXT NOT NULL,
	document_id TEXT NOT NULL,
	chunks INTEGER NOT NULL,
	conversion TEXT NOT NULL,
	chunking TEXT NOT NULL,
	embedding TEXT NOT NULL,
	cited TEXT NOT NULL,
	CONSTRAINT pk_indexed PRIMARY KEY (project_id, collection, document_id),
	CONSTRAINT fk_indexed_projects FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE TABLE labels (
	project_id TEXT NOT NULL,
	target TEXT NOT NULL,
	name TEXT NOT NULL,
	document_id TEXT,
	value TEXT NOT NULL,
	CONSTRAINT pk_labels PRIMARY KEY (project_id, target, name),
	CONSTRAINT fk_labels_projects FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE INDEX ix_labels_project_id_document_id ON labels (project_id, document_id);

CREATE TABLE followed (
	project_id TEXT NOT NULL,
	body TEXT NOT NULL,
	CONSTRAINT pk_followed PRIMARY KEY (project_id),
	CONSTRAINT fk_followed_projects FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE TABLE entries (
	project_id TEXT NOT NULL,
	entry TEXT NOT NULL,
	kind TEXT NOT NULL,
	scope TEXT NOT NULL,
	item TEXT,
	digest TEXT NOT NULL,
	document_id TEXT,
	path TEXT,
	size BIGINT,
	mtime_ns BIGINT,
	annotations TEXT NOT NULL,
	CONSTRAINT pk_entries PRIMARY KEY (project_id, entry),
	CONSTRAINT fk_entries_projects FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE TABLE annotations (
	project_id TEXT NOT NULL,
	document_id TEXT NOT NULL,
	digest TEXT NOT NULL,
	annotations INTEGER NOT NULL,
	body TEXT NOT NULL,
	CONSTRAINT pk_annotations PRIMARY KEY (project_id, document_id),
	CONSTRAINT fk_annotations_projects FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE INDEX ix_documents_project_id_language ON documents (project_id, language);

CREATE TABLE chats (
	id TEXT NOT NULL,
	user_id TEXT NOT NULL,
	title TEXT,
	is_deleted BOOLEAN NOT NULL,
	deleted_at TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT pk_chats PRIMARY KEY (id)
);

CREATE INDEX ix_chats_user_id ON chats (user_id);

CREATE TABLE messages (
	id TEXT NOT NULL,
	chat_id TEXT NOT NULL,
	role TEXT NOT NULL,
	content TEXT,
	query_mode TEXT,
	created_at TEXT NOT NULL,
	CONSTRAINT pk_messages PRIMARY KEY (id),
	CONSTRAINT fk_messages_chats FOREIGN KEY(chat_id) REFERENCES chats (id) ON DELETE CASCADE
);

CREATE INDEX ix_messages_chat_id ON messages (chat_id);

CREATE TABLE research_sessions (
	id TEXT NOT NULL,
	message_id TEXT NOT NULL,
	question_id TEXT NOT NULL,
	chat_id TEXT NOT NULL,
	user_id TEXT NOT NULL,
	project_id TEXT NOT NULL,
	question TEXT NOT NULL,
	query_mode TEXT NOT NULL,
	research_depth TEXT NOT NULL,
	status TEXT NOT NULL,
	classification TEXT NOT NULL,
	"plan" TEXT,
	state TEXT,
	verification_summary TEXT,
	error_message TEXT,
	sequence INTEGER NOT NULL,
	worker TEXT,
	heartbeat_at TEXT,
	cancelling BOOLEAN NOT NULL,
	is_deleted BOOLEAN NOT NULL,
	deleted_at TEXT,
	started_at TEXT NOT NULL,
	completed_at TEXT,
	CONSTRAINT pk_research_sessions PRIMARY KEY (id),
	CONSTRAINT fk_research_sessions_chats FOREIGN KEY(chat_id) REFERENCES chats (id) ON DELETE CASCADE,
	CONSTRAINT fk_research_sessions_messages FOREIGN KEY(message_id) REFERENCES messages (id) ON DELETE CASCADE
);

CREATE INDEX ix_research_sessions_chat_id ON research_sessions (chat_id);

CREATE INDEX ix_research_sessions_deleted_at ON research_sessions (deleted_at);

CREATE INDEX ix_research_sessions_message_id ON research_sessions (message_id);

CREATE INDEX ix_research_sessions_started_at ON research_sessions (started_at);

CREATE INDEX ix_research_sessions_status ON research_sessions (status);

CREATE TABLE research_sources (
	id TEXT NOT NULL,
	research_session_id TEXT NOT NULL,
	chat_id TEXT,
	url TEXT NOT NULL,
	title TEXT NOT NULL,
	snippet TEXT NOT NULL,
	content TEXT,
	is_cited BOOLEAN NOT NULL,
	step_index INTEGER,
	step_title TEXT,
	crawl_status TEXT NOT NULL,
	error_reason TEXT,
	source_type TEXT NOT NULL,
	document_id TEXT,
	citekey TEXT,
	included BOOLEAN NOT NULL,
	exclusion_reason TEXT,
	created_at TEXT NOT NULL,
	ordinal INTEGER NOT NULL,
	CONSTRAINT pk_research_sources PRIMARY KEY (id),
	CONSTRAINT fk_research_sources_research_sessions FOREIGN KEY(research_session_id) REFERENCES research_sessions (id) ON DELETE CASCADE,
	CONSTRAINT uq_research_sources_session_url UNIQUE (research_session_id, url)
);

CREATE TABLE evidence_spans (
	id TEXT NOT NULL,
	source_id TEXT NOT NULL,
	quote TEXT NOT NULL,
	start_offset INTEGER,
	end_offset INTEGER,
	section_heading TEXT,
	relevance_score FLOAT NOT NULL,
	has_numeric_content BOOLEAN NOT NULL,
	page INTEGER,
	page_label TEXT,
	regions TEXT NOT NULL,
	citation TEXT,
	address TEXT,
	knowledge_uri TEXT,
	step_index INTEGER,
	created_at TEXT NOT NULL,
	ordinal INTEGER NOT NULL,
	CONSTRAINT pk_evidence_spans PRIMARY KEY (id),
	CONSTRAINT fk_evidence_spans_research_sources FOREIGN KEY(source_id) REFERENCES research_sources (id) ON DELETE CASCADE
);

CREATE INDEX ix_evidence_spans_source_id ON evidence_spans (source_id);

CREATE TABLE claims (
	id TEXT NOT NULL,
	message_id TEXT NOT NULL,
	claim_text TEXT NOT NULL,
	claim_type TEXT NOT NULL,
	position_start INTEGER NOT NULL,
	position_end INTEGER NOT NULL,
	citation_key TEXT,
	verdict TEXT,
	confidence FLOAT NOT NULL,
	verification_reasoning TEXT,
	correction TEXT NOT NULL,
	created_at TEXT NOT NULL,
	ordinal INTEGER NOT NULL,
	CONSTRAINT pk_claims PRIMARY KEY (id),
	CONSTRAINT fk_claims_messages FOREIGN KEY(message_id) REFERENCES messages (id) ON DELETE CASCADE
);

CREATE INDEX ix_claims_message_id ON claims (message_id);

CREATE TABLE claim_citations (
	id TEXT NOT NULL,
	claim_id TEXT NOT NULL,
	evidence_span_id TEXT NOT NULL,
	confidence FLOAT NOT NULL,
	is_primary BOOLEAN NOT NULL,
	created_at TEXT NOT NULL,
	ordinal INTEGER NOT NULL,
	CONSTRAINT pk_claim_citations PRIMARY KEY (id),
	CONSTRAINT fk_claim_citations_claims FOREIGN KEY(claim_id) REFERENCES claims (id) ON DELETE CASCADE,
	CONSTRAINT fk_claim_citations_evidence_spans FOREIGN KEY(evidence_span_id) REFERENCES evidence_spans (id) ON DELETE CASCADE
);

CREATE INDEX ix_claim_citations_claim_id ON claim_citations (claim_id);

CREATE INDEX ix_claim_citations_evidence_span_id ON claim_citations (evidence_span_id);

CREATE TABLE research_events (
	id TEXT NOT NULL,
	research_session_id TEXT NOT NULL,
	sequence INTEGER NOT NULL,
	event_type TEXT NOT NULL,
	payload TEXT NOT NULL,
	timestamp TEXT NOT NULL,
	CONSTRAINT pk_research_events PRIMARY KEY (id),
	CONSTRAINT fk_research_events_research_sessions FOREIGN KEY(research_session_id) REFERENCES research_sessions (id) ON DELETE CASCADE,
	CONSTRAINT uq_research_events_session_sequence UNIQUE (research_session_id, sequence)
);

CREATE TABLE user_preferences (
	id TEXT NOT NULL,
	user_id TEXT NOT NULL,
	system_instructions TEXT,
	default_query_mode TEXT,
	default_research_depth TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT pk_user_preferences PRIMARY KEY (id),
	CONSTRAINT uq_user_preferences_user_id UNIQUE (user_id)
);

CREATE TABLE message_feedback (
	id TEXT NOT NULL,
	message_id TEXT NOT NULL,
	user_id TEXT NOT NULL,
	rating TEXT NOT NULL,
	feedback_text TEXT,
	mlflow_trace_id TEXT,
	created_at TEXT NOT NULL,
	CONSTRAINT pk_message_feedback PRIMARY KEY (id),
	CONSTRAINT fk_message_feedback_messages FOREIGN KEY(message_id) REFERENCES messages (id) ON DELETE CASCADE
);

CREATE INDEX ix_message_feedback_message_id ON message_feedback (message_id);

INSERT INTO alembic_version VALUES ('0008');
