"""Review files: Markdown, Word, CSV, search record (PRISMA-S)."""
