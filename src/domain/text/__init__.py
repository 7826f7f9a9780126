"""Text: tokens, words, sentences, terms, folding, normalisation with offsets."""
