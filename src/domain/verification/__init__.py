"""Claims of drafts and their verification against evidence."""
