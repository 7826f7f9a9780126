"""What authors write: drafts, their citations, and the claims that these stand for."""
