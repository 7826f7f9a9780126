"""What the product does: one module a verb."""
