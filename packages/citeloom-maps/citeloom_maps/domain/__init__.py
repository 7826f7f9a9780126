"""What a language model may say of the parts of a map."""
