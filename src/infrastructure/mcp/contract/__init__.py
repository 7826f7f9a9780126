"""Parameters, schemas and errors of the tools."""
