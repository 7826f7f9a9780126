"""Projects: creation, listing, inspection, repair, deletion."""
