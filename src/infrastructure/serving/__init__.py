"""The common parts of all servers: jobs, lanes, callers, names and tokens, shutdown."""
