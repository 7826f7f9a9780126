"""In-memory adapters of the ports, for tests, benchmarks and dry runs."""
