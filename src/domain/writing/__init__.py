"""What is pure of writing with a library: citations being typed, findings in an edited text."""
