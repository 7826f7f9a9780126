"""What a language model may write about the parts of a map."""
