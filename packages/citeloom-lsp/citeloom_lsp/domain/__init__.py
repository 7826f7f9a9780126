"""What is pure of writing in an editor: citations being typed, and where they are put."""
