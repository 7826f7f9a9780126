"""The record of research in the catalogue's database: tables, rows, adapters, and a fake."""
