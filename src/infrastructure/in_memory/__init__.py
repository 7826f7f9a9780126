"""In-memory adapters of the ports, for tests and benchmarks."""
