"""The command line: parse, call one verb, render."""
