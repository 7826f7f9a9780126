"""What so many papers take."""
