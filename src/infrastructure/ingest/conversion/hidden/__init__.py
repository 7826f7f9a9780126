"""Text of HTML and Word files that a reader does not see."""
