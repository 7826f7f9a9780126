"""Word drafts."""
