"""Maps of code, data and recordings, and of the output of other tools."""
