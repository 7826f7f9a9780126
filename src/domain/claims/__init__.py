"""What a sentence claims, and whether a source says so: numbers, quotations, polarity, verdict."""
