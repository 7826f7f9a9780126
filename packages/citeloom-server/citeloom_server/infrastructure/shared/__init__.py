"""What machines take from each other: evidence, papers and models, with a copy on each."""
