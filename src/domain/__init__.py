"""Values and pure functions: no input, no output, no engine."""
