"""Language models; see the port ``LanguageModel``."""
