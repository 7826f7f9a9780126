"""Citation metadata of documents, and the verbs *cite* and *export*."""
