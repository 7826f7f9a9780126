"""What the interface says of itself: OpenAPI, with examples."""
