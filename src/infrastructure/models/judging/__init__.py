"""Cross-encoders that read a claim with its evidence."""
