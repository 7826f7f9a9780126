"""Command line: parses options, calls one verb, renders its result."""
