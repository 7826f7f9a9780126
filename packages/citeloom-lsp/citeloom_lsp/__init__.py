"""CiteLoom in an editor, over the Language Server Protocol."""
