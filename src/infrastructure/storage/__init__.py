"""What is kept in a workspace: the catalogue, converted documents, maps, the audit log."""
