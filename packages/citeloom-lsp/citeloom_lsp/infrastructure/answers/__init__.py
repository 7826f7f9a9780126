"""Answers of the language server: completion, hover, diagnostics, actions, pages."""
