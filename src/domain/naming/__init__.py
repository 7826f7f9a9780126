"""Spellings of documents: what people and programs write to name one."""
