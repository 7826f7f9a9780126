"""Routes by capability."""
