"""The description of the interface: OpenAPI, with examples."""
