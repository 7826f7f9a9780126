"""Cross-encoders that rerank passages."""
